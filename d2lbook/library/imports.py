"""Gathers saved imports: each once, in isort's order."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field

from d2lbook.diagnostics import Messages
from d2lbook.library.item import OWN_NAME
from d2lbook.library.saved import Saved
from d2lbook.model import Line, Place


@dataclass(frozen=True, slots=True, order=True)
class Imported:
    """One name: `import module as bound`, or `from module import name as bound`."""

    module: str  # dots of a relative import in front
    name: str  # empty for `import module`
    bound: str  # what the importing code calls it; "a.b" for `import a.b`

    @property
    def text(self) -> str:
        name = self.name or self.module
        return name if name == self.bound else f"{name} as {self.bound}"


@dataclass(slots=True)
class Imports:
    head: frozenset[Imported] = frozenset()  # what the hand-written head imports already
    found: dict[str, tuple[Imported, Line]] = field(default_factory=dict)  # by bound name

    def add(self, saved: Saved, messages: Messages) -> None:
        for imported in imported_by(saved.node):
            line = saved.lines[0]
            if imported.module == "__future__" and imported not in self.head:
                _report(line.place(0), imported, messages)
            elif imported.bound != OWN_NAME and imported not in self.head:
                self._add(imported, line, messages)

    def _add(self, imported: Imported, line: Line, messages: Messages) -> None:
        earlier = self.found.get(imported.bound)
        if earlier is not None and earlier[0] != imported:
            place, other = line.place(0), earlier[1]
            what = f"'{imported.bound}' is imported from elsewhere at {other.path}:{other.number}"
            hint = "the library keeps this one, so rename one of them"
            messages.warning(*place, f"{what}; {hint}", "save-import-clash")
        if earlier is None or earlier[0] != imported:
            self.found[imported.bound] = (imported, line)

    def lines(self) -> list[Line]:
        """`import` lines, then `from` lines, of each section: standard library, installed packages, own modules."""
        sections: dict[int, list[Line]] = {}
        plain = [pair for pair in self.found.values() if not pair[0].name]
        for imported, line in sorted(plain, key=_order):
            text = Line(f"import {imported.text}", line.path, line.number)
            sections.setdefault(_section(imported.module), []).append(text)
        modules: dict[str, list[tuple[Imported, Line]]] = {}
        for pair in sorted((pair for pair in self.found.values() if pair[0].name), key=_order):
            modules.setdefault(pair[0].module, []).append(pair)
        for module, pairs in modules.items():
            bare = [pair for pair in pairs if pair[0].bound == pair[0].name]
            for group in [bare, *([pair] for pair in pairs if pair not in bare)]:
                if group:
                    names = ", ".join(imported.text for imported, _ in group)
                    text = Line(f"from {module} import {names}", group[0][1].path, group[0][1].number)
                    sections.setdefault(_section(module), []).append(text)
        result: list[Line] = []
        for number in sorted(sections):
            if result:
                result.append(Line("", "", 0))
            result += sections[number]
        return result


def imported_by(node: ast.stmt) -> list[Imported]:
    if isinstance(node, ast.Import):
        return [Imported(alias.name, "", alias.asname or alias.name) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return [Imported(module, alias.name, alias.asname or alias.name) for alias in node.names]
    return []


def _report(place: Place, imported: Imported, messages: Messages) -> None:
    what = f"'from __future__ import {imported.name}' has to come first in a file"
    messages.error(*place, f"{what}; write it into the library's hand-written head", "save-future")


def _section(module: str) -> int:
    if module.startswith("."):
        return 3
    top = module.split(".")[0]
    if top == OWN_NAME:
        return 2
    return 0 if top in sys.stdlib_module_names else 1


def _order(pair: tuple[Imported, Line]) -> tuple[str, str, int, str]:
    """As isort: modules by name; of a module's names first constants, then classes, then the rest."""
    imported = pair[0]
    name = imported.name
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return imported.module.lower(), imported.module, kind, name
