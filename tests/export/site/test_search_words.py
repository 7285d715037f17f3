"""What the index of the search and its scripts are told: other words for what is typed, letters for formulas."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.spoken import folded, spoken_script
from d2lbook.export.site.symbols import symbol_of

CONFIG = "[project]\ntitle = Small\nlang = en\nlanguages = ko\n\n[build]\nnotebooks = *.md\n"
GLOSSARY = "term,translation,note\ncheckpoint,체크포인트,\nall-reduce,all-reduce,\nactivation,활성값 | 활성화,\n"


def script(root: Path, spoken: str, lang: str = "ko") -> tuple[dict[str, list[str]], list[str]]:
    """The table that scripts get, and the findings."""
    (root / "config.ini").write_text(CONFIG, encoding="utf-8")
    (root / "index.md").write_text("# Small\n", encoding="utf-8")
    place = root / "locales" / "ko"
    place.mkdir(parents=True, exist_ok=True)
    (place / "glossary.csv").write_text(GLOSSARY, encoding="utf-8")
    (place / "spoken.csv").write_text(spoken, encoding="utf-8")
    messages = Messages()
    text = spoken_script(replace(load(root / "config.ini", messages), lang=lang), messages)
    table = text.partition("window.d2lSpoken = ")[2].rstrip(";\n")
    return json.loads(table), [f"{found.path}:{found.line} {found.code}" for found in messages]


def test_terms_of_the_glossary_and_what_readers_say_lead_to_the_book_s_words(tmp_path: Path) -> None:
    table, found = script(tmp_path, "typed,written\n올리듀스,all-reduce\n")
    assert found == []
    assert table == {"activation": ["활성값", "활성화"], "checkpoint": ["체크포인트"], "올리듀스": ["all-reduce"]}


def test_the_source_needs_no_other_words(tmp_path: Path) -> None:
    assert script(tmp_path, "typed,written\n", "en") == ({}, [])


@pytest.mark.parametrize(
    ("text", "line"), [("올리듀스,all-reduce\n", 1), ("typed,written\n올리듀스\n", 2), ("typed,written\n,a\n", 2)]
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, text: str, line: int) -> None:
    _, found = script(tmp_path, text)
    assert found == [f"locales/ko/spoken.csv:{line} spoken-line"]


def test_words_are_folded_as_in_the_script() -> None:
    typed = ("Öğrenme", "ISI", "ısı", "Độ ổn", "기울기")
    assert [folded(word) for word in typed] == ["ogrenme", "isi", "isi", "do on", "기울기"]


@pytest.mark.parametrize(
    ("tex", "letter"),
    [
        ("k", "k"),
        (r"\alpha", "α"),
        (r"\Lambda", "Λ"),
        (r"\mathbf{x}", "x"),
        (r"\mathbf{\theta}", "θ"),
        ("8", "8"),
        (r"\ell", "ℓ"),
        (r"\frac12", ""),
        ("2k", ""),
        (r"\cdot", ""),
        ("", ""),
    ],
)
def test_a_formula_of_one_letter_is_that_letter(tex: str, letter: str) -> None:
    assert symbol_of(tex) == letter
