"""Frameworks that the book does not have."""

from __future__ import annotations

import re

from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages
from d2lbook.model import ALL_TABS, Book, Cell, Document, TabProse
from d2lbook.view import make_view


def tabcheck(book: Book, messages: Messages) -> None:
    """Report frameworks that the book does not have: in cells, blocks of prose, `selected` and `interact_select`."""
    for page in book.pages:
        check_tabs(page.document, book.tabs, messages)


def check_tabs(document: Document, tabs: tuple[str, ...], messages: Messages) -> None:
    make_view(document, tabs[0], tabs, messages)  # reports those of `tab.selected`
    for block in document.walk():
        if isinstance(block, Cell) and block.tab_span is not None:
            _unknown_tabs(document, block.tabs or (), block.tab_span.start, tabs, messages)
        if isinstance(block, Cell):
            _unknown_tabs(document, block.interact_tabs, block.span.start, tabs, messages)
        elif isinstance(block, TabProse):
            _unknown_tabs(document, block.tabs, block.tab_span.start, tabs, messages)


def _unknown_tabs(
    document: Document, names: tuple[str, ...], start: int, tabs: tuple[str, ...], messages: Messages
) -> None:
    for name in names:
        if name.lower() in (*tabs, ALL_TABS):
            continue
        found = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE).search(document.text, start)
        line, column = _line_and_column(document, found.start() if found else start)
        messages.error(document.path, line, column, f"unknown tab '{name}'{nearest(name, tabs)}", "tab-unknown")


def _line_and_column(document: Document, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset into a document's text; a byte-order mark is no column."""
    before = document.text[:offset]
    column = offset - (before.rfind("\n") + 1)
    if "\n" not in before and before.startswith("\ufeff"):
        column -= 1
    return before.count("\n") + 1, column + 1
