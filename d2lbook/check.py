"""Finds what is wrong with a book as a whole: frameworks, code, names, outputs. Runs no code of the book."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import PurePosixPath

from d2lbook.book.cross_references import api_name
from d2lbook.build_cache import Findings
from d2lbook.config import Config
from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Message, Messages
from d2lbook.library import known_library
from d2lbook.library.item import OWN_NAME
from d2lbook.library.names import MODULE_ATTRIBUTES, attributes
from d2lbook.library.syntax import report_syntax
from d2lbook.model import ALL_TABS, Book, Cell, Document, Figure, Line, Listing, Prose, TabProse, View
from d2lbook.parse.listing_language import fence_word, is_known
from d2lbook.pycode import parse_cell
from d2lbook.view import make_view


def check_book(book: Book, config: Config, messages: Messages, kept: Findings | None = None) -> None:
    """Reports all that can be known without running code, but for what reading the book has reported already.

    With `kept` from an earlier call, only pages for which something changed are checked again.
    """
    libraries = _Libraries.of(book, config, messages)
    told = {(found.path, found.line, found.column) for found in messages if found.code == "lib-name-undefined"}
    kept = {} if kept is None else kept
    for page in book.pages:
        messages.extend(_page_findings(page.document, book.tabs, libraries, told, messages.strict, kept))


def _page_findings(
    document: Document,
    tabs: tuple[str, ...],
    libraries: _Libraries,
    told: set[tuple[str, int, int]],
    strict: bool,
    kept: Findings,
) -> tuple[Message, ...]:
    here = sorted(place for place in told if place[0] == document.path)
    key = hashlib.sha256(repr((document.text, tabs, libraries.key, here, strict)).encode("utf-8", "surrogatepass"))
    if kept.get(document.path, ("",))[0] != key.hexdigest():
        found = Messages(strict)
        _tabcheck_page(document, tabs, found)
        _figures(document, found)
        _fence_languages(document, found)
        _api_roles(document, libraries, found)
        views = [make_view(document, tab, tabs) for tab in tabs]
        _CodeCheck(libraries, found, told).check(views)
        kept[document.path] = key.hexdigest(), tuple(found)
    return kept[document.path][1]


def tabcheck(book: Book, messages: Messages) -> None:
    """Reports frameworks that the book does not have: in cells, blocks of prose, `selected` and `interact_select`."""
    for page in book.pages:
        _tabcheck_page(page.document, book.tabs, messages)


def _tabcheck_page(document: Document, tabs: tuple[str, ...], messages: Messages) -> None:
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
        line, column = line_and_column(document, found.start() if found else start)
        messages.error(document.path, line, column, f"unknown tab '{name}'{nearest(name, tabs)}", "tab-unknown")


def outputcheck(messages: Messages) -> None:
    """Refuses outputs that are stored in the pages, of which reading the book only warns."""
    warnings = {message for message in messages if message.code == "output-stored"}
    messages.found -= warnings
    messages.extend(replace(message, level="error") for message in warnings)


def _figures(document: Document, messages: Messages) -> None:
    for block in document.walk():
        if isinstance(block, Figure) and not block.alt.strip():
            messages.warning(
                document.path,
                block.span.line,
                block.span.column,
                f"the figure '{block.target}' has no alternative text; say what it shows in a line ':alt:`…`' below it",
                "figure-alt",
            )


_FENCE = re.compile(r"(?P<before>(?:[ \t>]|(?:[-+*]|\d+[.)])[ \t]+)*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")


def _fence_languages(document: Document, messages: Messages) -> None:
    for block in document.walk():
        if isinstance(block, Listing):
            _fence_language(document, block.info, block.span.line, block.span.column, messages)
        elif isinstance(block, Prose) and ("```" in block.text or "~~~" in block.text):
            closing = ""
            for number, line in enumerate(block.text.split("\n"), block.span.line):
                found = _FENCE.match(line)
                if found is None:
                    continue
                if closing:
                    closing = "" if found["fence"].startswith(closing) and not found["info"].strip() else closing
                    continue
                closing = found["fence"]
                _fence_language(document, found["info"], number, len(found["before"]) + 1, messages)


def _fence_language(document: Document, info: str, line: int, column: int, messages: Messages) -> None:
    word = fence_word(info)
    if not is_known(word):
        messages.warning(
            document.path,
            line,
            column,
            f"'{word}' is no language that Pygments knows, so the block is shown as plain"
            " text; mend the name, or write 'text'",
            "fence-language",
        )


def line_and_column(document: Document, offset: int) -> tuple[int, int]:
    """1-based line and column of an offset into a document's text; a byte-order mark is no column."""
    before = document.text[:offset]
    column = offset - (before.rfind("\n") + 1)
    if "\n" not in before and before.startswith("\ufeff"):
        column -= 1
    return before.count("\n") + 1, column + 1


# ---- code -----------------------------------------------------------------------------------------------------------


@dataclass
class _Libraries:
    """The names of the book's libraries, by the module that pages import."""

    names: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    of_tab: dict[str, str] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """The same for libraries that offer the same names."""
        return repr([(module, sorted(names), self.files[module]) for module, names in sorted(self.names.items())])

    @classmethod
    def of(cls, book: Book, config: Config, messages: Messages) -> _Libraries:
        libraries = cls()
        for tab in book.tabs:
            if tab not in config.libraries or not config.libraries[tab].lib_file:
                continue
            library = known_library(book, config, tab, messages)
            module = ".".join(PurePosixPath(library.file).with_suffix("").parts)
            if "*" in library.names:  # what `from x import *` brings cannot be known
                continue
            libraries.names[module] = {*library.names, *MODULE_ATTRIBUTES, *library.replaced}
            libraries.files[module] = library.file
            libraries.of_tab[tab] = module
        return libraries


def _api_roles(document: Document, libraries: _Libraries, messages: Messages) -> None:
    """Reports `:func:`d2l.name`` and the like where no library has the name."""
    known = {OWN_NAME: set[str]().union(*libraries.names.values()), **libraries.names} if libraries.names else {}
    for block in document.walk():
        for role in getattr(block, "roles", ()):
            name = api_name(role.text) if role.kind in {"class", "func"} else ""
            owner = max((owner for owner in known if name.startswith(f"{owner}.")), key=len, default="")
            own = name.removeprefix(f"{owner}.").split(".")[0]
            if owner and own not in known[owner]:
                close = difflib.get_close_matches(own, sorted(known[owner]), n=1)
                hint = f"did you mean '{close[0]}'?" if close else "mark its definition with #@save"
                text = f"'{own}' is not in the library; {hint}"
                messages.warning(document.path, role.span.line, role.span.column, text, "api-undefined")


@dataclass(slots=True)
class _ViewCode:
    """The cells of a view that parse, with the places of their lines."""

    tab: str
    cells: list[tuple[str, Sequence[Line]]] = field(default_factory=list)


@dataclass(slots=True)
class _CodeCheck:
    libraries: _Libraries
    messages: Messages
    told: set[tuple[str, int, int]]  # places of names that the library was found to lack

    def check(self, views: list[View]) -> None:
        for view in views:
            code = _ViewCode(view.tab)
            for cell in view.cells:
                error = _syntax_error(cell.code)
                if error is None:
                    code.cells.append((cell.code, cell.lines))
                else:
                    report_syntax(error, cell.lines, self.messages)
            self._names(code)

    def _names(self, code: _ViewCode) -> None:
        for module, owners in _owners(code, self.libraries).items():
            cells = [cell for cell in code.cells if any(f"{owner}." in cell[0] for owner in owners)]
            written = {name for cell, _ in cells for owner, name in attributes(cell).written if owner in owners}
            known = self.libraries.names[module] | written
            for cell, lines in cells:
                for use in attributes(cell).read:
                    if use.owner in owners and use.name not in known:
                        self._report_name(lines[use.line - 1], use.column, use.name, module)
        for cell, lines in code.cells:
            for imported in _imports(cell):
                module, name = imported.module, imported.name
                if name and module in self.libraries.names and name not in self.libraries.names[module] | {"*"}:
                    self._report_name(lines[imported.line - 1], imported.column, name, module)

    def _report_name(self, line: Line, byte_column: int, name: str, module: str) -> None:
        place = line.place_of_byte(byte_column)
        if (place.path, place.line, place.column) in self.told:
            return
        close = difflib.get_close_matches(name, sorted(self.libraries.names[module]), n=1)
        hint = f"; did you mean '{close[0]}'? Else" if close else ";"
        self.messages.error(
            place.path,
            place.line,
            place.column,
            f"'{name}' is not in {self.libraries.files[module]}{hint} mark its definition with #@save",
            "d2l-name",
        )


# Errors that the parser leaves to the compiler: a stray `return`, `nonlocal` without a variable and the like.
_LEFT_TO_COMPILER = re.compile(r"^(return|yield|break|continue)\b|^\s+(break|continue|nonlocal|global)\b", re.MULTILINE)


@lru_cache(maxsize=20_000)
def _syntax_error(code: str) -> SyntaxError | None:
    try:
        tree = parse_cell(code).tree
        if _LEFT_TO_COMPILER.search(code):
            compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return error
    return None


def _owners(code: _ViewCode, libraries: _Libraries) -> dict[str, set[str]]:
    """How a page calls the libraries it imports; `d2l` is its framework's, if it never says."""
    owners: dict[str, set[str]] = {}
    taken = False
    for cell, _ in code.cells:
        for imported in _imports(cell):
            taken = taken or imported.bound == OWN_NAME
            if imported.full_name in libraries.names:
                owners.setdefault(imported.full_name, set()).add(imported.bound)
        taken = taken or re.search(rf"^{OWN_NAME}\s*=", cell, re.MULTILINE) is not None
    if not taken and code.tab in libraries.of_tab:
        owners.setdefault(libraries.of_tab[code.tab], set()).add(OWN_NAME)
    return owners


@dataclass(frozen=True, slots=True)
class _Import:
    """One name that a cell imports: a module, or something of a module."""

    module: str
    name: str  # empty for a module as a whole
    bound: str
    line: int
    column: int  # in bytes

    @property
    def full_name(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module


@lru_cache(maxsize=20_000)
def _imports(code: str) -> tuple[_Import, ...]:
    if "import" not in code:
        return ()
    found = []
    for node in ast.walk(parse_cell(code).tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = alias.name if alias.asname else alias.name.split(".")[0]
                found.append(_Import(module, "", alias.asname or module, alias.lineno, alias.col_offset))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                bound = alias.asname or alias.name
                found.append(_Import(node.module or "", alias.name, bound, alias.lineno, alias.col_offset))
    return tuple(found)
