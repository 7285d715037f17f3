"""The code of a page: its syntax, and the names that it uses of the book's libraries."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from d2lbook.check.libraries import Libraries
from d2lbook.check.names import check_names
from d2lbook.diagnostics import Messages
from d2lbook.library.item import OWN_NAME
from d2lbook.library.names import attributes
from d2lbook.library.syntax import report_syntax
from d2lbook.model import Line, View
from d2lbook.pycode import parse_cell


@dataclass(slots=True)
class _ViewCode:
    """The cells of a view that parse, with the places of their lines."""

    tab: str
    cells: list[tuple[str, Sequence[Line]]] = field(default_factory=list)


@dataclass(slots=True)
class CodeCheck:
    libraries: Libraries
    messages: Messages
    told: set[tuple[str, int, int]]  # places of names that the library was found to lack

    def check(self, views: list[View]) -> None:
        every, readable = [], True
        for view in views:
            code = _ViewCode(view.tab)
            for cell in view.cells:
                error = _syntax_error(cell.code)
                if error is None:
                    code.cells.append((cell.code, cell.lines))
                else:
                    report_syntax(error, cell.lines, self.messages)
            self._names(code)
            readable = readable and len(code.cells) == len(view.cells)
            every.append(code.cells)
        if readable and not self.libraries.unknown:  # else what is missing may be defined in a cell that cannot be read
            check_names(every, self.told, self.messages)

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
        if place in self.told:
            return
        close = difflib.get_close_matches(name, sorted(self.libraries.names[module]), n=1)
        hint = f"; did you mean '{close[0]}'? Else" if close else ";"
        what = f"'{name}' is not in {self.libraries.files[module]}{hint} mark its definition with #@save"
        self.messages.error(*place, what, "d2l-name")


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


def _owners(code: _ViewCode, libraries: Libraries) -> dict[str, set[str]]:
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
    for node in parse_cell(code).nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                module = alias.name if alias.asname else alias.name.split(".")[0]
                found.append(_Import(module, "", alias.asname or module, alias.lineno, alias.col_offset))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                bound = alias.asname or alias.name
                found.append(_Import(node.module or "", alias.name, bound, alias.lineno, alias.col_offset))
    return tuple(found)
