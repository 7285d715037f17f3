"""Words in the pages' plots can be read in light and dark mode: they are drawn in the ink, or black on a ground."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.model import Cell

ROOT = Path(__file__).parents[1]
WRITERS = {"text", "annotate", "figtext", "suptitle", "set_title", "set_xlabel", "set_ylabel"}
MAGIC = re.compile(r"^[%!].*", re.MULTILINE)  # Jupyter's lines, which are not Python


def coloured_words(source: str) -> Iterator[str]:
    """The colours, as written, of words that a cell draws; none where matplotlib's style, the ink, decides."""
    for call in ast.walk(ast.parse(MAGIC.sub("", source))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in WRITERS:
            for keyword in call.keywords:
                if keyword.arg in ("color", "c"):
                    yield ast.unparse(keyword.value)


def test_the_colour_of_words_is_found() -> None:
    assert list(coloured_words("ax.text(0, 0, name, color=f'C{i}')\nax.text(0, 1, name)")) == ["f'C{i}'"]


def test_words_in_plots_are_not_coloured_like_lines() -> None:
    """The colours of lines have too little contrast for words: 3.80 and 3.43 were measured, 4.5 is needed."""
    book = load_book(load(ROOT / "config.ini", Messages()), Messages())
    cells = [
        (page.document.path, block)
        for page in book.pages
        for block in page.document.walk()
        if isinstance(block, Cell) and not block.interact
    ]
    assert any("color='black'" in cell.source for _, cell in cells)
    coloured = [
        f"{path}:{cell.code_line}: {colour}"
        for path, cell in cells
        for colour in coloured_words(cell.source)
        if colour != "'black'"
    ]
    assert coloured == []
