"""What of a page is translated, where it stands, and that taking it out and putting it back loses nothing."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import translated
from translated import PAGE

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.model import Document, Equation, Figure, Heading, Label, Prose, TabProse
from d2lbook.parse import parse_document
from d2lbook.parse.inline import inline_tokens
from d2lbook.translate.apply import translate_document
from d2lbook.translate.catalog import Catalog, CatalogEntry
from d2lbook.translate.checks.catalog import check_catalog
from d2lbook.translate.checks.glossary import Glossary
from d2lbook.translate.extract import by_message, units
from d2lbook.translate.figures import drawing_units, translate_svg
from d2lbook.translate.splice import splice
from d2lbook.translate.units import Unit, one_line

ROOT = Path(__file__).parents[2]
MESSAGES = {
    ("sec_page: title", "The Page"),
    (
        "sec_page: paragraph",
        "A paragraph with `code`, $x = 1$, a [link](https://example.org/x7) and :numref:`sec_page`, wrapped over two"
        " lines.",
    ),
    ("title", "[**Lists**] and Tables"),
    ("lists-and-tables: list item", "One *item*, wrapped."),
    ("lists-and-tables: list item", "Another:"),
    ("lists-and-tables: list item", "and its end."),
    ("lists-and-tables: list item", "An exercise of 120 words."),
    ("lists-and-tables: quotation", "A quotation, wrapped."),
    ("lists-and-tables, tab_one: caption", "What the table shows"),
    ("lists-and-tables, tab_one: table cell", "Column"),
    ("lists-and-tables, tab_one: table cell", "a cell"),
    ("lists-and-tables, tab_one: table cell", "either | or"),
    ("lists-and-tables, fig_box: caption", "A caption"),
    ("lists-and-tables, fig_box: alternative text", "What it shows"),
    ("lists-and-tables: paragraph", "It follows that"),
    ("lists-and-tables, a: paragraph", "Only for a."),
    ("lists-and-tables, solution: paragraph", "It is solved."),
    ("lists-and-tables, solution: alternative text", "A curve that rises."),
    ("lists-and-tables, solution: code comment", "A comment over two lines."),
    ("lists-and-tables, solution, area: docstring", "The area of a circle."),
    ("lists-and-tables, solution, area: docstring", "`r` is its radius, which is a number."),
    ("lists-and-tables, solution, area: code comment", "roughly"),
    ("lists-and-tables, solution: string", r"the area is {area(2):.1f}\n"),
    ("lists-and-tables, solution: string", "radius in m"),
}


def parsed(text: str) -> Document:
    return parse_document(text, "page.md", Messages())


def test_every_text_is_a_message_and_code_math_and_marks_are_none() -> None:
    assert {unit.key for unit in units(parsed(PAGE))} == MESSAGES


def test_messages_stand_in_the_order_of_the_page() -> None:
    found = units(parsed(PAGE))
    assert [unit.start for unit in found] == sorted(unit.start for unit in found)
    assert found[0].msgid == "The Page" and found[-1].msgid == "radius in m"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_translation_that_says_the_same_changes_no_byte(ending: str) -> None:
    document = parsed("\ufeff" + PAGE.replace("\n", ending))
    assert {unit.key for unit in units(document)} == MESSAGES
    assert splice(document.text, {unit: unit.msgid for unit in units(document)}) == document.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("`sec_page`,\nwrapped over", "`sec_page`, wrapped\nover"),
        ("item*,\n  wrapped", "item*, wrapped"),
        ("quotation,\n> wrapped", "quotation, wrapped"),
        ("comment\n# over two", "comment over\n# two"),
        ("which is\n    a number", "which is a\n    number"),
        ("`, $x", "`,\n$x"),
    ],
)
def test_wrapping_a_text_anew_leaves_its_message(old: str, new: str) -> None:
    assert old in PAGE
    assert {unit.key for unit in units(parsed(PAGE.replace(old, new)))} == MESSAGES


@pytest.mark.parametrize("ending", ["\\\n", "  \n"])
@pytest.mark.parametrize(("prefix", "further"), [("", ""), ("* ", "  "), ("> ", "> "), ("> 1. ", ">    ")])
def test_a_hard_line_break_is_part_of_the_message(ending: str, prefix: str, further: str) -> None:
    document = parsed(f"{prefix}one line{ending}{further}another line\n")
    (unit,) = units(document)
    assert unit.msgid == "one line\\\nanother line"
    assert splice(document.text, {unit: "eins\\\nzwei"}) == f"{prefix}eins\\\n{further}zwei\n"


def test_a_block_put_before_others_leaves_their_contexts() -> None:
    more = PAGE.replace("* One", "A new paragraph.\n\n* One").replace("# A comment", "x = 1\n\n# A comment")
    assert {unit.key for unit in units(parsed(more))} - MESSAGES == {
        ("lists-and-tables: paragraph", "A new paragraph.")
    }


def test_what_speaks_to_programs_is_no_message() -> None:
    code = "#@save\n#!shebang\n# noqa\n# type: ignore\n# Hide code\n#@hide\n%matplotlib inline\nx = 1  # fmt: skip\n"
    assert units(parsed(f"```{{.python .input}}\n{code}```\n")) == ()
    live = "```{.python .input}\n%load_ext d2lbook.tab\ntab.interact_select(['a'])  # choose\n```\n"
    assert units(parsed(live)) == ()


def test_code_that_does_not_parse_has_no_messages() -> None:
    assert units(parsed("```{.python .input}\n# a comment\nx = = 1\n```\n")) == ()


def test_comments_apart_are_messages_of_their_own() -> None:
    code = "# one comment\n\n# another comment\nif x:\n    # a third one\n    y = 1  # behind code\n    # a last one\n"
    found = [unit.msgid for unit in units(parsed(f"```{{.python .input}}\n{code}```\n"))]
    assert found == ["one comment", "another comment", "a third one", "behind code", "a last one"]


def test_lines_of_a_docstring_that_mean_something_stay_lines() -> None:
    code = 'def f():\n    """First line.\n\n    Values:\n      one: the first\n      two: the second\n    """\n'
    found = [unit.msgid for unit in units(parsed(f"```{{.python .input}}\n{code}```\n"))]
    assert found == ["First line.", "Values:\n  one: the first\n  two: the second"]


def test_a_file_that_a_cell_writes_has_a_docstring_and_comments() -> None:
    code = '#@tab a\n%%writefile {folder}/train.py\n"""Trains it."""\nx = 1  # a comment\n'
    document = parsed(f"```{{.python .input}}\n{code}```\n")
    assert [(unit.kind, unit.msgid) for unit in units(document)] == [
        ("docstring", "Trains it."),
        ("code comment", "a comment"),
    ]
    for other in ("%%bash\nls  # none\n", "%%writefile notes.txt\nx  # none\n"):
        assert units(parsed(f"```{{.python .input}}\n{other}```\n")) == ()


def test_a_title_of_names_is_a_message() -> None:
    assert [unit.msgid for unit in units(parsed("# GPUs\n"))] == ["GPUs"]


def test_a_letter_is_a_symbol_but_a_syllable_is_a_word() -> None:
    table = "# 열\n\n| 열 | x |\n|--|--|\n| $y$ | 1 |\n"
    assert [unit.msgid for unit in units(parsed(table))] == ["열", "열"]


def test_listings_of_python_have_comments() -> None:
    found = units(parsed("# Page\n\n```python\nx = 1  # a comment\n```\n\n```bash\nls  # none\n```\n"))
    assert [unit.msgid for unit in found[1:]] == ["a comment"]
    assert len(units(parsed("# Page\n\n  ```python\n  x = 1  # a comment\n  ```\n"))) == 1


def test_texts_of_a_drawing_are_messages_once() -> None:
    found = drawing_units(translated.SVG)
    assert [unit.msgid for unit in found] == ["a box of <1>h</1>"]


def test_a_cell_without_code_has_no_messages() -> None:
    assert units(parsed("```{.python .input}")) == ()


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.md")), ids=lambda path: path.stem)
def test_every_page_of_the_tests_comes_back_as_it_was(path: Path) -> None:
    text = path.read_bytes().decode()
    for whole in (text, text.replace("\n", "\r\n")):
        found = units(parsed(whole))
        assert all(before.end <= after.start for before, after in pairwise(found))
        assert splice(whole, {unit: unit.msgid for unit in found}) == whole


# ---- all pages of this book -----------------------------------------------------------------------------------------


def pseudo(unit: Unit) -> str:
    """A made-up translation: words in capitals, everything else as it is."""
    if unit.kind == "string":
        return unit.msgid
    parts, position = [], 0
    for piece in inline_tokens(unit.msgid):
        parts += _capitals(unit.msgid[position : piece.start]), unit.msgid[piece.start : piece.end]
        position = piece.end
    return "".join([*parts, _capitals(unit.msgid[position:])])


def _capitals(text: str) -> str:
    return re.sub(r"(\]\([^)]*\)|<[^>]*>|&\w+;|\\.)|([a-z]{2,})", lambda found: found[1] or found[2].upper(), text)


def catalog_of(found: tuple[Unit, ...], translate: type[str] | None = None) -> Catalog:
    entries = (
        CatalogEntry(unit.context, unit.msgid, unit.msgid if translate else pseudo(unit), False, 1)
        for unit in by_message(found)
    )
    return Catalog("page.po", tuple(entries))


@pytest.mark.slow
def test_all_pages_of_the_book_keep_their_structure_in_another_language() -> None:
    messages = Messages()
    book = load_book(load(ROOT / "config.ini", messages), messages)
    assert len(book.pages) > 15
    for page in book.pages:
        document = page.document
        found = units(document)
        catalog = catalog_of(found)
        checked = check_catalog(found, catalog, Glossary("xx", ""), document.path)
        assert [str(message) for message in checked.found] == []
        result = translate_document(document, catalog, "en", known=found)
        assert result is not None
        assert _structure(result) == _structure(document)
        assert [block for block in result.walk() if block.lang] == []
        assert result.text != document.text
        same = translate_document(document, catalog_of(found, str), "en", known=found)
        assert same is not None and same.text == document.text


def test_all_drawings_of_the_book_are_the_same_with_other_words() -> None:
    paths = sorted((ROOT / "img").glob("*.svg"))
    assert len(paths) > 15
    for path in paths:
        svg = path.read_text(encoding="utf-8")
        found = drawing_units(svg)
        catalog = catalog_of(found)
        assert check_catalog(found, catalog, Glossary("xx", ""), path.name).found == ()
        translated_svg = translate_svg(svg, catalog)
        before, after = ElementTree.fromstring(svg), ElementTree.fromstring(translated_svg)
        assert [element.tag for element in after.iter()] == [element.tag for element in before.iter()]
        assert "".join(after.itertext()).lower() == "".join(before.itertext()).lower()
        assert (translated_svg != svg) == bool(found)
        assert translate_svg(svg, catalog_of(found, str)) == svg


def _structure(document: Document) -> list[tuple[object, ...]]:
    """What a translation must leave as it is."""
    found = []
    for block in document.walk():
        roles = sorted((role.kind, role.text) for role in getattr(block, "roles", ()))
        marks = [(mark.new_slide, mark.only_slides) for mark in getattr(block, "marks", ())]
        labels = block.labels if isinstance(block, Heading) else (getattr(block, "label", None),)
        names = [label.name for label in labels if isinstance(label, Label)]
        fixed = (
            block.tabs
            if isinstance(block, TabProse)
            else block.tex
            if isinstance(block, Equation)
            else (block.target, block.width, block.interactive)
            if isinstance(block, Figure)
            else ()
        )
        found.append((type(block).__name__, roles, marks, names, fixed))
    assert any(isinstance(block, Prose) for block in document.walk())
    return found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one\ntwo", "one two"),
        ("one  \r\n  two\n", "one\\\ntwo"),
        ("one\\ \t\n\n\ntwo", "one\\\ntwo"),
        ("one \t  \n\ttwo", "one two"),
        ("one \n\\\ntwo\\", "one \\\ntwo\\"),
    ],
)
def test_wrapping_is_taken_out_and_hard_breaks_stay(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.timeout(60)
def test_a_long_run_of_blanks_takes_no_longer_than_other_text() -> None:
    """Once every start within a run was tried: 60 nested lists, a page of 6 kB, took a minute."""
    text = "".join(f"{' ' * depth}- x\n" for depth in range(3000)) + " " * 200_000
    assert one_line(f"{text}x") == " ".join(["- x"] * 3000 + ["x"])
