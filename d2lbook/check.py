"""Finds what is wrong with a book as a whole: frameworks, code, names, outputs. Runs no code of the book."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePosixPath

from d2lbook.config import Config, nearest
from d2lbook.library import library_of
from d2lbook.library.lines import Line, cell_lines
from d2lbook.library.names import MODULE_ATTRIBUTES, attribute_uses, attributes_set, bound
from d2lbook.library.syntax import report_syntax
from d2lbook.messages import Messages
from d2lbook.model import ALL_TABS, Book, Cell, Document, Figure, TabProse, View
from d2lbook.pycode import parse_cell
from d2lbook.view import make_view


def check_book(book: Book, config: Config, messages: Messages) -> None:
    """Reports all that can be known without running code, but for what reading the book has reported already."""
    tabcheck(book, config, messages)
    for page in book.pages:
        _figures(page.document, messages)
    for tab in book.tabs:
        if tab in config.libraries:
            messages.extend(library_of(book, config, tab).found)
    libraries = _Libraries.of(book, config)
    told = {(found.path, found.line, found.column) for found in messages if found.code == "lib-name-undefined"}
    for page in book.pages:
        views = [make_view(page.document, tab, book.tabs) for tab in book.tabs]
        _CodeCheck(libraries, messages, told).check(page.document, views)


def tabcheck(book: Book, config: Config, messages: Messages) -> None:
    """Reports frameworks that the book does not have: in cells, blocks of prose, `selected` and `interact_select`."""
    for page in book.pages:
        document = page.document
        make_view(document, book.tabs[0], book.tabs, messages)  # reports those of `tab.selected`
        for block in document.walk():
            if isinstance(block, Cell) and block.tab_span is not None:
                _unknown_tabs(document, block.tabs or (), block.tab_span.start, book.tabs, messages)
            if isinstance(block, Cell):
                _unknown_tabs(document, block.interact_tabs, block.span.start, book.tabs, messages)
            elif isinstance(block, TabProse):
                _unknown_tabs(document, block.tabs, block.tab_span.start, book.tabs, messages)


def _unknown_tabs(
    document: Document, names: tuple[str, ...], start: int, tabs: tuple[str, ...], messages: Messages
) -> None:
    for name in names:
        if name.lower() in (*tabs, ALL_TABS):
            continue
        found = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE).search(document.text, start)
        line, column = line_and_column(document, found.start() if found else start)
        messages.error(document.path, line, column, f"unknown tab '{name}'{nearest(name, tabs)}", "tab-unknown")


def outputcheck(book: Book, config: Config, messages: Messages) -> None:
    """Refuses outputs that are stored in the pages, of which reading the book only warns."""
    warnings = {message for message in messages if message.code == "output-stored"}
    messages.found -= warnings
    messages.extend(replace(message, level="error") for message in warnings)


def _figures(document: Document, messages: Messages) -> None:
    for block in document.walk():
        if isinstance(block, Figure) and not block.alt.strip():
            messages.warning(
                document.path, block.span.line, block.span.column, f"the figure '{block.target}' has no alternative"
                " text; say what it shows in a line ':alt:`…`' below it", "figure-alt",
            )  # fmt: skip


def line_and_column(document: Document, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset into a document's text; a byte-order mark is no column."""
    before = document.text[:offset]
    column = offset - (before.rfind("\n") + 1)
    if "\n" not in before and before.startswith("\ufeff"):
        column -= 1
    return before.count("\n") + 1, column + 1


# ---- code -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Libraries:
    """The names of the book's libraries, by the module that pages import."""

    names: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    of_tab: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, book: Book, config: Config) -> _Libraries:
        libraries = cls()
        for tab in book.tabs:
            if tab not in config.libraries or not config.libraries[tab].lib_file:
                continue
            library = library_of(book, config, tab)
            module = ".".join(PurePosixPath(library.file).with_suffix("").parts)
            names = library.names
            if "*" in names:  # what `from x import *` brings cannot be known
                continue
            libraries.names[module] = names | MODULE_ATTRIBUTES | library.aliases.replaced_names
            libraries.files[module] = library.file
            libraries.of_tab[tab] = module
        return libraries


@dataclass(slots=True)
class _ViewCode:
    """The cells of a view that parse, with the places of their lines."""

    tab: str
    cells: list[tuple[ast.Module, list[Line]]] = field(default_factory=list)


@dataclass(slots=True)
class _CodeCheck:
    libraries: _Libraries
    messages: Messages
    told: set[tuple[str, int, int]]  # places of names that the library was found to lack

    def check(self, document: Document, views: list[View]) -> None:
        page_lines = document.text.split("\n")
        for view in views:
            code = _ViewCode(view.tab)
            for cell in view.cells:
                lines = cell_lines(cell, document.path, page_lines)
                try:
                    code.cells.append((_compiled(cell.code), lines))
                except SyntaxError as error:
                    report_syntax(error, lines, self.messages)
            self._names(code)

    def _names(self, code: _ViewCode) -> None:
        owners = _owners(code, self.libraries)
        for module, names in owners.items():
            here = set().union(*(attributes_set(tree, names) for tree, _ in code.cells))
            known = self.libraries.names[module] | here
            for tree, lines in code.cells:
                for use in attribute_uses(tree, names):
                    if use.name not in known:
                        self._report_name(lines[use.line - 1], use.column, use.name, module)
        for tree, lines in code.cells:
            for module, alias in _imported_names(tree):
                if module in self.libraries.names and alias.name not in self.libraries.names[module] | {"*"}:
                    self._report_name(lines[alias.lineno - 1], alias.col_offset, alias.name, module)

    def _report_name(self, line: Line, byte_column: int, name: str, module: str) -> None:
        place = line.place_of_byte(byte_column)
        if (place.path, place.line, place.column) in self.told:
            return
        close = difflib.get_close_matches(name, sorted(self.libraries.names[module]), n=1)
        hint = f"; did you mean '{close[0]}'? Else" if close else ";"
        self.messages.error(
            place.path, place.line, place.column, f"'{name}' is not in {self.libraries.files[module]}{hint} mark its"
            " definition with #@save", "d2l-name",
        )  # fmt: skip


@lru_cache(maxsize=4096)
def _compiled(code: str) -> ast.Module:
    """A cell's syntax tree. Raises SyntaxError, also for what only the compiler sees, such as a stray `return`."""
    tree = parse_cell(code).tree
    compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return tree


def _owners(code: _ViewCode, libraries: _Libraries) -> dict[str, frozenset[str]]:
    """How a page calls the libraries it imports; `d2l` is its framework's, if it never says."""
    owners: dict[str, set[str]] = {}
    taken = False
    for tree, _ in code.cells:
        for name, module in _imported_modules(tree):
            if module in libraries.names:
                owners.setdefault(module, set()).add(name)
        taken = taken or "d2l" in bound(tree)
    if not taken and code.tab in libraries.of_tab:
        owners.setdefault(libraries.of_tab[code.tab], set()).add("d2l")
    return {module: frozenset(names) for module, names in owners.items()}


def _imported_modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Names bound to modules, with the modules' full names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname or "." not in alias.name:
                    yield alias.asname or alias.name, alias.name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _imported_names(tree: ast.Module) -> Iterator[tuple[str, ast.alias]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node.module or "", alias
