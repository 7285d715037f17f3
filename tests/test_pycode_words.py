"""Words and comments found with a pattern are those that `tokenize` finds."""

from __future__ import annotations

import sys
import sysconfig
import tokenize
from pathlib import Path

import pytest

from d2lbook import pycode
from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.model import Cell
from d2lbook.pycode import parse_cell, tokens, words
from d2lbook.pycode.words import comments_of, words_of
from tests.own_book import ROOT

NESTED = sys.version_info >= (3, 12)  # strings inside f-strings, which the pattern cannot know
ODD = """\
x = 1.5e-3 + 0x1F - .5j ** 1_000 // 2.  # a # b
def f(a: int = 3, *b, **c) -> "g": "one " 'two'; return a @ b
class A:

    # a comment before the docstring
    '''Text with "quotes" and a # mark.

    More.
    '''
        # further in
    def g(self):
        ("in"
         "parentheses")
        if (y := rb"\\'#" or R'\"'):
            return [
  1, {2: ...}]; pass

    x: str = f"{a!r:>{width}} # no comment" # a comment"""


def words_by_tokenize(source: str) -> list[str]:
    cell = parse_cell(source)
    return pycode._words_by_tokenize(cell.source, pycode._docstrings(cell))


def words_by_pattern(source: str) -> list[str] | None:
    cell = parse_cell(source)
    return words_of(cell.source, pycode._docstrings(cell))


def comments_by_tokenize(source: str) -> dict[int, tuple[int, str]]:
    found = (token for token in tokens(source) if token.type == tokenize.COMMENT)
    return {token.start[0]: (token.start[1], token.string) for token in found}


@pytest.fixture
def with_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pattern is tried on every Python."""
    monkeypatch.setattr(words, "CAN_READ", True)


def test_odd_code(with_pattern: None) -> None:
    assert words_by_pattern(ODD) == words_by_tokenize(ODD)
    assert comments_of(ODD) == comments_by_tokenize(ODD)


def test_the_standard_library(with_pattern: None) -> None:
    read = 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("[a-m]*.py")):
        source = path.read_text(encoding="utf-8")
        if NESTED and 'f"' in source + source.replace("f'", 'f"'):
            continue
        found = words_by_pattern(source)
        assert found is None or found == words_by_tokenize(source), path
        assert comments_of(source) == comments_by_tokenize(source), path
        read += found is not None
    assert read > 10


def left_out(source: str) -> bool:
    return "\\\n" in source or source.rpartition("\n")[2].lstrip().startswith("#")


def test_the_cells_of_the_book(with_pattern: None) -> None:
    book = load_book(load(ROOT / "config.ini", Messages()), Messages())
    cells = {block.source for page in book.pages for block in page.document.walk() if isinstance(block, Cell)}
    assert len(cells) > 500
    for code in cells:
        if NESTED and 'f"' in code:
            continue
        try:
            source = parse_cell(code).source
        except SyntaxError:
            continue
        assert words_by_pattern(code) == (None if left_out(source) else words_by_tokenize(code)), code
        assert comments_of(source) == comments_by_tokenize(source), code


@pytest.mark.parametrize(
    "source", ["x = 1 + \\\n 2", "if x:\n\ty = 1", "x = 1\r\n", 'x = """a\n# b"""', "x = 1\n# y", "x = ℮"]
)
def test_what_the_pattern_could_mistake_is_left_to_tokenize(with_pattern: None, source: str) -> None:
    assert words_of(source, ()) is None


def test_many_lines_take_no_more_than_their_time(with_pattern: None) -> None:
    source = "x = 1" + "\n" * 200_000 + "    \n" * 50_000 + "y = 2"
    assert words_of(source, ()) == ["x", "=", "1", ";", "y", "=", "2", ";"]


def test_where_strings_may_hold_their_own_quotes_all_is_left_to_tokenize(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "CAN_READ", False)
    assert words_of("x = 1", ()) is None and comments_of("x = 1  # y") is None
