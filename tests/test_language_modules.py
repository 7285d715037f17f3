"""languages/: one module per language, and nothing else to do for a further one."""

from __future__ import annotations

import json
from pathlib import Path

import polib
import pytest
from books import write_book
from builders import copy_builder, run_copy

from d2lbook import languages
from d2lbook.languages import Language, known, language_of

MODULE = '''"""A language that no standard knows."""

import re

from d2lbook.languages._language import Language, Rule

LANGUAGE = Language(
    "qtz",
    "Quartz",
    plural_forms="nplurals=3; plural=n%3;",
    dotted_i=True,
    number_words={"krad": 1000},
    punctuation=(Rule(re.compile(";"), "'{found}' is a full stop in Quartz"),),
    fonts={"serif": ("Quartz Serif",)},
    line_height="2.5",
    breaks_in_words=False,
    has_italics=False,
)
'''
GLOSSARY = "term,translation,note\nlight,ışık,\n"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the builder with a module for a language of no other, and a book with an edition in it."""
    room = tmp_path_factory.mktemp("quartz")
    (copy_builder(room) / "languages/qtz.py").write_text(MODULE, encoding="utf-8")
    book = room / "book"
    write_book(book, {"page": "The *speed* of light is 300,000 metres.\n\nIt is constant.\n"})
    config = book / "config.ini"
    config.write_text(f"[project]\ntitle = Light\nlanguages = qtz\n{config.read_text()}[html]\n")
    (book / "locales/qtz").mkdir(parents=True)
    (book / "locales/qtz/glossary.csv").write_text(GLOSSARY, encoding="utf-8")
    run_copy(room, "translate", "update")
    return room


def translate(room: Path, texts: dict[str, str]) -> None:
    path = room / "book/locales/qtz/page.po"
    catalog = polib.pofile(str(path))
    for entry in catalog:
        entry.msgstr = texts.get(entry.msgid, "")
    catalog.save()


def test_its_catalogs_have_its_plural_forms(room: Path) -> None:
    assert polib.pofile(str(room / "book/locales/qtz/page.po")).metadata["Plural-Forms"] == "nplurals=3; plural=n%3;"


def test_its_punctuation_numbers_and_letters_count(room: Path) -> None:
    source = "The *speed* of light is 300,000 metres."
    translate(room, {source: "*IŞIK* 300 krad metro.", "It is constant.": "O sabit; bit."})
    found = run_copy(room, "translate", "check")
    assert "';' is a full stop in Quartz" in found  # the only slip: I is the capital of ı, 300 krad are 300,000
    assert found.count("translation-") == 1
    translate(room, {source: "*IŞIK* 300 krad metro.", "It is constant.": "O sabit."})
    run_copy(room, "translate", "check")


def test_its_pages_have_its_fonts_and_habits(room: Path) -> None:
    translate(room, {"It is constant.": "O sabit."})
    run_copy(room, "html")
    page = (room / "book/_build/html/qtz/page.html").read_text(encoding="utf-8")
    assert "O sabit." in page
    assert '--d2l-serif-also:"Quartz Serif"' in page and "--d2l-line-height:2.5" in page
    assert ":lang(qtz){word-break:keep-all" in page and "em:lang(qtz){font-style:normal" in page
    english = (room / "book/_build/html/page.html").read_text(encoding="utf-8")
    assert "Quartz" not in english


def test_modules_are_named_as_their_languages() -> None:
    assert {"en", "ko", "tr", "vi"} <= known().keys()
    for code, language in known().items():
        assert language.code == code and language.name[0].isupper()


def test_a_variety_is_its_language_and_an_unknown_one_has_the_defaults() -> None:
    assert language_of("ko-KR") is language_of("ko")
    assert language_of("qtz") == Language("qtz", "qtz")
    assert languages.style(["qtz"]) == "" and languages.search("qtz") == "{}"


def test_what_the_search_scripts_are_told() -> None:
    told = json.loads(languages.search("ko"))
    assert told["particles"][0] == "에서" and "stopWords" in told
    assert json.loads(languages.search("vi"))["wordsAreSyllables"] is True
    for code in known():
        particles = json.loads(languages.search(code)).get("particles", [])
        assert [len(particle) for particle in particles] == sorted(map(len, particles), reverse=True)


@pytest.mark.parametrize(
    ("lang", "region"), [("ko", "KR"), ("ja", "JP"), ("zh", "SC"), ("zh-TW", "TC"), ("zh-HK", "HK"), ("tr", "KR")]
)
def test_chinese_japanese_and_korean_have_their_fonts(lang: str, region: str) -> None:
    assert languages.cjk_region(lang) == region


def test_text_of_the_source_inside_an_edition_breaks_as_it_does_elsewhere() -> None:
    assert ":lang(en){word-break:normal}" in languages.habits(["ko", "en"])
    assert languages.habits(["tr", "en"]) == ""
