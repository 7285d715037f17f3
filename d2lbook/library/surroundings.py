"""What a library loads beside the code of pages: modules written by hand, and installed packages."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.files import read_text
from d2lbook.library.assemble import Library
from d2lbook.library.imports import Imported, imported_by
from d2lbook.library.item import OWN_NAME
from d2lbook.pycode import normalise

_VERSION = "__version__"  # written by `lib`; a release changes no result


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Part of the key of every result that uses the library."""

    modules: tuple[tuple[str, str], ...] = ()  # name and normalised source of each module of the library's folder
    packages: tuple[str, ...] = ()  # top-level names of what is imported from elsewhere, the standard library aside


def surroundings_of(library: Library, config: Config) -> Surroundings:
    """Follow the imports of a library's head and of its saved code through the modules beside it."""
    if not library.file:
        return Surroundings()
    path = config.path.parent / library.file
    package = _Package(path.parent)
    saved = [imported for imported, _ in library.imports.found.values()]
    waiting = [*_at_load(library.head_tree.body), *saved]
    modules: dict[str, str] = {}
    packages: set[str] = set()
    while waiting:
        imported = waiting.pop()
        for name in package.modules(imported):
            if name not in modules and name != path.stem:
                modules[name], tree = package.read(name)
                waiting += _at_load(tree.body)
        if top := package.installed(imported):
            packages.add(top)
    return Surroundings(tuple(sorted(modules.items())), tuple(sorted(packages)))


@dataclass(frozen=True, slots=True)
class _Package:
    """The folder of a library, whose modules import each other as `.name` or `d2l.name`."""

    folder: Path

    def modules(self, imported: Imported) -> Iterator[str]:
        """The names of the folder's modules that an import loads; `__init__` is loaded first."""
        name = self._inner(imported.module)
        if name is None:
            return
        for module in ("__init__", name.split(".")[0] or imported.name):
            if module and (self.folder / f"{module}.py").is_file():
                yield module

    def read(self, name: str) -> tuple[str, ast.Module]:
        """A module as a key has it, and its syntax tree; what does not parse counts as it is, and imports nothing."""
        text = read_text(self.folder / f"{name}.py").removeprefix("\ufeff")
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return text, ast.Module([], [])
        return _source(text, tree), tree

    def installed(self, imported: Imported) -> str:
        """The package that an import loads from elsewhere; "" for the folder's own and the standard library."""
        top = imported.module.split(".")[0]
        return "" if self._inner(imported.module) is not None or top in sys.stdlib_module_names else top

    def _inner(self, module: str) -> str | None:
        """A module's name within the folder, "" for the folder itself; None for one from elsewhere."""
        if module.startswith("."):
            return module.removeprefix(".")
        top, _, rest = module.partition(".")
        return rest if top in (self.folder.name, OWN_NAME) else None


def _at_load(body: Iterable[ast.stmt]) -> Iterator[Imported]:
    """The imports that run when a module is loaded: those in functions, or for type checkers only, do not."""
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With) and "TYPE_CHECKING" not in ast.unparse(node).split("\n")[0]:
            for _, value in ast.iter_fields(node):
                if isinstance(value, list):
                    yield from _at_load(_statements(value))
        yield from imported_by(node)


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    for node in nodes:
        if isinstance(node, ast.ExceptHandler):
            yield from node.body
        elif isinstance(node, ast.stmt):
            yield node


def _source(text: str, tree: ast.Module) -> str:
    """A module as a key has it: without comments, docstrings and the version."""
    lines = text.split("\n")
    for node in tree.body:
        if _is_docstring(node) or _assigns_version(node):
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return normalise("\n".join(lines))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _assigns_version(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == _VERSION for t in node.targets)
