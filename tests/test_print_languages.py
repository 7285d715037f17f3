"""The book in other languages where it is not a site: PDF, ePub, notebooks, slides."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from books import cell, freeze
from editions import edition

from d2lbook.editions import Edition
from d2lbook.export.pdf.build import build as build_pdf
from d2lbook.messages import Messages

KOREAN = """한 장치에서 계산하던 *미니배치(minibatch)*를 여러 장치에 나누어 계산하면, 각 장치는
자기 몫의 **기울기**를 구합니다. 모든 장치의 기울기를 더하려면 `torch.cuda.synchronize`를 부른 뒤
all-reduce를 실행합니다. “동기화”라는 말은 :numref:`sec_second`에서 다시 나옵니다. 장치들 사이의 통신은
공짜가 아니며, 파라미터가 많을수록 더 오래 걸립니다. 이 값을 먼저 예측하고 나서 측정하겠습니다.

## 여러 장치에서 계산하기
:label:`sec_several`

![미니배치를 나눕니다.](box.svg)
:label:`fig_box`

"""
KOREAN_CODE = "# 장치마다 하나의 커널을 실행합니다\ndef area(r):  #@save\n    return 3 * r ** 2"
EXERCISE = "\n1. 얼마나 큽니까?\n\n:begin_solution:\n이만큼 큽니다.\n:end_solution:\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" width="90"><text x="9" y="50">장치</text></svg>'
VIETNAMESE = (
    "Chúng ta tính gradient trên nhiều thiết bị rồi cộng lại, như ở :numref:`sec_second`. Nghiêng ngả, ưỡn ẹo.\n\n"
)
TURKISH = (
    "Eşzamanlılaştırma gradyanların fiyatını düşürür: İstanbul, ılık, çığ, :numref:`sec_second`.\n\n## İyi Şeyler\n\n"
)


def pdf(made: Edition) -> Path:
    messages = Messages(strict=True)
    paths = build_pdf(made.book, made.config, ["a"], messages)
    assert [str(message) for message in messages] == []
    return paths[0]


def text_of(path: Path) -> str:
    return subprocess.run(["pdftotext", str(path), "-"], check=True, capture_output=True, text=True).stdout


def bookmarks(path: Path) -> list[str]:
    command = ["pdftohtml", "-xml", "-stdout", "-i", str(path)]
    xml = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    outline = xml.partition("<outline>")[2]
    return re.findall(r"<item page=\"\d+\">([^<]*)</item>", outline)


@pytest.fixture(scope="module")
def korean(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    root = tmp_path_factory.mktemp("ko") / "book"
    root.mkdir()
    (root / "box.svg").write_text(SVG)
    first = KOREAN + cell(KOREAN_CODE, "a") + EXERCISE
    made = edition(root, "ko", {"first": first, "second": "This is not translated.\n"}, english="not translated")
    freeze(root, "first", "a", "출력 printed")
    return made


@pytest.fixture(scope="module")
def korean_pdf(korean: Edition) -> Path:
    return pdf(korean)


def test_korean_text_keeps_the_spaces_between_its_words(korean_pdf: Path) -> None:
    text = " ".join(text_of(korean_pdf).split())

    assert "한 장치에서 계산하던 미니배치(minibatch)를 여러 장치에 나누어 계산하면, 각 장치는 자기 몫의" in text
    assert "“동기화”라는 말은 2절에서 다시 나옵니다." in text


def test_korean_words_of_the_builder(korean_pdf: Path) -> None:
    text = " ".join(text_of(korean_pdf).split())

    assert "1장" in text and "차례" in text and "그림 1.1.1 미니배치를" in text and "저장된 이름 찾아보기" in text
    assert re.search(r"풀이는 \d+쪽", text) and re.search(r"\(연습문제는 \d+쪽\)", text)
    assert "패키지 d2l의 함수와" in text and not re.search(r"Chapter|Contents|Solution|Index of", text)


def test_korean_bookmarks_read_as_the_headings(korean_pdf: Path) -> None:
    found = bookmarks(korean_pdf)

    assert "차례" in found and "1.1 여러 장치에서 계산하기" in found and "풀이" in found


def test_korean_comments_of_code_are_there(korean_pdf: Path) -> None:
    assert "# 장치마다 하나의 커널을 실행합니다" in text_of(korean_pdf)


@pytest.mark.parametrize(
    ("lang", "page", "expected"),
    [
        ("vi", VIETNAMESE, ["Chương 1", "như ở Mục 2. Nghiêng ngả, ưỡn ẹo."]),
        ("xx", VIETNAMESE, ["Chapter 1", "như ở Section 2."]),  # babel knows no such language
    ],
)
def test_letters_of_other_languages(tmp_path: Path, lang: str, page: str, expected: list[str]) -> None:
    made = edition(tmp_path / "book", lang, {"first": page + "## Tính toán\n", "second": "Hết.\n"})

    path = pdf(made)

    text = " ".join(text_of(path).split())
    assert all(words in text for words in expected)
    assert "1.1 Tính toán" in bookmarks(path)
