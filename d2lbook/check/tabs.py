"""Frameworks that the book does not have."""

from __future__ import annotations

import re

from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages
from d2lbook.frameworks import FREE_TAB, needs_none, with_free
from d2lbook.model import ALL_TABS, Book, Cell, Document, Span, TabProse
from d2lbook.tab_conditions import selected_names
from d2lbook.view import make_view


def tabcheck(book: Book, messages: Messages) -> None:
    """Report frameworks that the book does not have: in cells, blocks of prose, `selected` and `interact_select`."""
    for page in book.pages:
        check_tabs(page.document, book.tabs, messages)


def check_tabs(document: Document, tabs: tuple[str, ...], messages: Messages) -> None:
    make_view(document, tabs[0], tabs, messages)  # reports those of `tab.selected`
    for block in document.walk():
        if isinstance(block, Cell) and block.tab_span is not None:
            marked = block.tabs or ()
            known = with_free(tabs)
            _unknown_tabs(document, marked, block.tab_span.start, known, messages)
            if needs_none(marked, tabs):
                _check_free(document, block, block.tab_span, messages)
        if isinstance(block, Cell):
            _unknown_tabs(document, block.interact_tabs, block.span.start, tabs, messages)
        elif isinstance(block, TabProse):
            _unknown_tabs(document, block.tabs, block.tab_span.start, tabs, messages)


def _check_free(document: Document, cell: Cell, mark: Span, messages: Messages) -> None:
    """Report what makes no sense in a cell that needs no framework."""
    if len(cell.tabs or ()) > 1:
        what = f"'{FREE_TAB}' is for every framework already; leave the other names out"
        messages.warning(document.path, mark.line, mark.column, what, "tab-free")
    for selected in selected_names(cell.source):
        what = f"this cell is run once for all frameworks, so '{selected.name}' is never chosen; mark it 'all'"
        place = cell.code_line + selected.line - 1, selected.column + 1
        messages.error(document.path, *place, what, "tab-free")
        break


def _unknown_tabs(
    document: Document, names: tuple[str, ...], start: int, tabs: tuple[str, ...], messages: Messages
) -> None:
    for name in names:
        if name.lower() in (*tabs, ALL_TABS):
            continue
        found = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE).search(document.text, start)
        line, column = document.place(found.start() if found else start)
        messages.error(document.path, line, column, f"unknown tab '{name}'{nearest(name, tabs)}", "tab-unknown")
