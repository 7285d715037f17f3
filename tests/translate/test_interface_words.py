"""The builder's words in languages: those that it comes with, and what a book says otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.config import Config
from d2lbook.languages import _WORDS, interface_words, known
from d2lbook.translate.checks.punctuation import check_punctuation
from d2lbook.translate.checks.translation import check_translation
from d2lbook.translate.sources import word_units
from d2lbook.ui_strings import WORDS

LANGUAGES = ("ko", "tr", "vi")
PAGE = "Text, see :numref:`fig_a`.\n\n![A](a.svg)\n:alt:`An a.`\n:label:`fig_a`\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0H9"/></svg>'


def book(root: Path, project: str) -> Path:
    write_book(root, {"page": PAGE}, f"[project]\ntitle = Small\n{project}")
    (root / "a.svg").write_text(SVG)
    return root / "config.ini"


def site(root: Path, name: str) -> str:
    return (root / "_build" / "html" / name).read_text(encoding="utf-8")


def interface(root: Path, lang: str) -> polib.POFile:
    return polib.pofile(str(root / "locales" / lang / "interface.po"))


def test_the_builder_comes_in_these_languages() -> None:
    assert tuple(sorted(path.stem for path in _WORDS.glob("*.toml"))) == LANGUAGES
    assert known().keys() >= set(LANGUAGES)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_table_has_every_word_in_the_order_of_the_list_and_each_can_be_used(lang: str) -> None:
    words = interface_words(lang)
    assert list(words) == list(WORDS)
    found = []
    for unit in word_units(Config(Path("config.ini"), Path(), title="", author="", copyright="")):
        text = words[unit.msgid]
        assert text.strip() == text != ""
        found += [(unit.msgid, *check_translation(unit, text)), (unit.msgid, *check_punctuation(lang, unit, text))]
    assert [row for row in found if len(row) > 1] == []


def test_varieties_of_a_language_have_its_words_and_unknown_ones_none() -> None:
    assert interface_words("ko-KR") == interface_words("ko")
    assert interface_words("xx") == {}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_book_in_a_language_has_an_interface_in_it_without_a_catalog(lang: str, tmp_path: Path) -> None:
    config = book(tmp_path, f"lang = {lang}\n")
    assert main(["html", "--config", str(config)]) == 0
    page, words = site(tmp_path, "page.html"), interface_words(lang)
    assert words["Skip to main content"] in page and "Skip to main content" not in page
    assert words["Fig. {number}"].format(number="1.1") in page
    assert f'"Copied": "{words["Copied"]}"' in page  # what scripts say


def test_a_translation_begins_with_the_words_of_its_language(tmp_path: Path) -> None:
    config = book(tmp_path, "")
    assert main(["translate", "add", "vi", "--config", str(config)]) == 0
    assert [entry.msgctxt for entry in interface(tmp_path, "vi")] == ["config.ini: title"]
    assert main(["translate", "add", "xx", "--config", str(config)]) == 0
    assert len(interface(tmp_path, "xx")) == len(WORDS) + 1
    assert main(["html", "--config", str(config)]) == 0
    assert interface_words("vi")["Skip to main content"] in site(tmp_path, "vi/page.html")
    assert "Skip to main content" in site(tmp_path, "xx/page.html")


def say_otherwise(root: Path, lang: str, word: str, text: str) -> None:
    path = root / "locales" / lang / "interface.po"
    path.parent.mkdir(parents=True, exist_ok=True)
    catalog = polib.pofile(str(path)) if path.exists() else polib.POFile()
    catalog.metadata = catalog.metadata or {"Content-Type": "text/plain; charset=UTF-8"}
    catalog.append(polib.POEntry(msgctxt="interface", msgid=word, msgstr=text))
    catalog.save(str(path))


def test_a_book_may_say_a_word_otherwise_and_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = book(tmp_path, "")
    assert main(["translate", "add", "ko", "--config", str(config)]) == 0
    say_otherwise(tmp_path, "ko", "Next", "다음 쪽")
    say_otherwise(tmp_path, "ko", "Previous", interface_words("ko")["Previous"])  # as the builder has it
    capsys.readouterr()
    assert main(["translate", "check", "--config", str(config)]) == 0
    assert main(["translate", "update", "--config", str(config)]) == 0
    assert [entry.msgid for entry in interface(tmp_path, "ko")] == ["Small", "Next"]
    assert main(["translate", "status", "--config", str(config)]) == 0
    (row,) = re.findall(r"^interface +(.+)$", capsys.readouterr().out, re.MULTILINE)
    assert row.split()[:4] == ["1", "0", "0", "1"]  # the title is missing, the builder's words are not
    assert main(["html", "--config", str(config)]) == 0
    assert "<small>다음 쪽</small>" in site(tmp_path, "ko/index.html")
    assert f"<small>{interface_words('ko')['Previous']}</small>" in site(tmp_path, "ko/page.html")


def test_a_book_may_say_a_word_of_its_own_language_otherwise(tmp_path: Path) -> None:
    config = book(tmp_path, "lang = en\n")
    say_otherwise(tmp_path, "en", "Fig. {number}", "Figure {number}")
    assert main(["html", "--config", str(config)]) == 0
    page = site(tmp_path, "page.html")
    assert page.count("Figure 1.1") >= 2 and "Fig. 1.1" not in page
