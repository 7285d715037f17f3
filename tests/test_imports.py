"""Who may import whom: down only, never in a circle, `TYPE_CHECKING` included; and how large a package may grow.

The order is that of the book's way through the builder: data and messages, text to documents, documents to a book, a
book as a framework sees it, its translations and libraries, its results, what all formats are written with, HTML, the
formats, what is wrong with the book, commands.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for package in ("d2lbook", "d2l") for path in (ROOT / package).rglob("*.py"))
BUILDER = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in MODULES
    if path.is_relative_to(ROOT / "d2lbook")
}
# A part of the builder imports itself and parts of the rows above its own.
ORDER = (
    {"frameworks", "languages"},
    {"__init__", "codes", "diagnostics", "pycode"},
    {"model"},
    {"files", "process_pool", "system_packages", "tab_conditions", "ui_strings"},
    {"security"},
    {"config"},
    {"parse", "watch"},
    {"activate", "book", "jupyter", "tab"},
    {"fences"},
    {"view"},
    {"cache"},
    {"library", "translate"},
    {"build_cache", "execute"},
    {"editions"},
    {"rendering"},
    {"html"},
    {"session"},
    {"export"},
    {"check"},
    {"server"},
    {"serve"},
    {"commands"},
    {"make"},
    {"cli"},
    {"__main__"},
)
ROW = {part: row for row, parts in enumerate(ORDER) for part in parts}
TOP = {"__init__", "__main__"}  # which only pass on
LARGEST_PACKAGE = 22
STANDARD_LIBRARY_ONLY = {
    *("__init__.py", "__main__.py", "cli.py", "config/*.py", "diagnostics.py", "files.py", "frameworks.py", "model.py"),
    "languages/*.py",
    *("session.py", "system_packages.py", "make/*.py", "commands/__init__.py", "commands/command.py"),
    *("commands/table.py", "commands/arguments.py", "commands/output.py", "security/inside.py", "security/key.py"),
    "security/output_directory.py",
}
ONLY_THESE_PRINT = {
    ("d2lbook", "cli.py"),
    ("commands", "output.py"),
    ("d2lbook", "__main__.py"),
    ("make", "__init__.py"),
}
ONLY_IN = {
    "distributed": {"execute"},
    "nbclient": {"execute"},
    "jupyter_client": {"execute"},
    "jupyter_server": {"jupyter"},
    "docutils": {"export", "html"},
}


def drawn() -> list[set[str]]:
    """The rows of the picture in CONTRIBUTING.md: the names at the beginning of its lines."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    picture = text.partition("`tests/test_imports.py` sees to it:\n\n```\n")[2].partition("```")[0]
    return [
        {name.removesuffix("/") for name in line.partition("   ")[0].split("  ")}
        for line in picture.splitlines()
        if not line.startswith(" ")
    ]


def test_contributing_draws_the_same_order() -> None:
    """A row of `ORDER` may be several lines of the picture."""
    lines = drawn()
    assert set().union(*lines) == set(ROW) - TOP
    rows = [{ROW[part] for part in line} for line in lines]
    assert all(len(row) == 1 for row in rows) and sorted(rows, key=min) == rows


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[1].removesuffix(".py")


def imported(path: Path) -> list[tuple[int, str]]:
    """Line and full name of every module or name that a file imports."""
    found = []
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


def parts_imported(path: Path) -> list[tuple[str, str]]:
    return [
        (f"{path.relative_to(ROOT)}:{line}", name.split(".")[1])
        for line, name in imported(path)
        if name.startswith("d2lbook.")
    ]


def modules_imported(module: str) -> set[str]:
    """The builder's modules that one names in its imports, without the packages around them."""
    found = set()
    for _, name in imported(BUILDER[module]):
        if name in BUILDER:
            found.add(name)
        elif name.rpartition(".")[0] in BUILDER:
            found.add(name.rpartition(".")[0])
    return found - {module}


def test_the_walk_sees_imports() -> None:
    assert {"d2lbook.cli", "d2lbook.model", "d2lbook.library", "d2lbook.parse.document"} <= BUILDER.keys()
    assert "diagnostics" in {part for _, part in parts_imported(ROOT / "d2lbook" / "check" / "code.py")}
    assert "d2lbook.book.load" in modules_imported("d2lbook.book")


def test_every_part_has_its_place() -> None:
    assert {part_of(path) for path in BUILDER.values()} - ROW.keys() == set()


def test_parts_import_only_what_stands_below_them() -> None:
    wrong = []
    for path in BUILDER.values():
        part = part_of(path)
        for where, other in parts_imported(path):
            if other != part and ROW.get(other, 0) >= ROW.get(part, 0):
                wrong.append(f"{where} imports {other}")
    assert wrong == []


def test_no_circle() -> None:
    graph = {module: modules_imported(module) for module in BUILDER}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_packages_are_small_and_say_what_they_are() -> None:
    sizes: dict[str, int] = defaultdict(int)
    for path in BUILDER.values():
        package = ".".join(path.relative_to(ROOT).parent.parts)
        sizes[package] += path.name != "__init__.py"
        if path.name == "__init__.py":
            assert (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").endswith("."), package
    assert {package for package, size in sizes.items() if size > LARGEST_PACKAGE} == set()


def test_no_module_keeps_state() -> None:
    """What is made once hangs on what it is made of; a module holds constants, and caches of pure functions."""
    wrong = []
    for module, path in BUILDER.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wrong += [f"{module}:{node.lineno}" for node in ast.walk(tree) if isinstance(node, ast.Global)]
        assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
        empty = ("{}", "[]", "set()", "dict()", "list()", "None")
        wrong += [f"{module}:{node.lineno}" for node in assigned if ast.unparse(node.value or node) in empty]
    assert wrong == []


def test_nobody_imports_the_command_line() -> None:
    others = [path for path in MODULES if path.stem != "__main__"]
    wrong = [where for path in others for where, part in parts_imported(path) if part == "cli"]
    assert wrong == []


def test_what_starts_first_needs_the_standard_library_only() -> None:
    wrong = []
    known = sys.stdlib_module_names | {"d2lbook"}
    for path in [path for pattern in STANDARD_LIBRARY_ONLY for path in sorted((ROOT / "d2lbook").glob(pattern))]:
        names = {(line, name.split(".")[0]) for line, name in imported(path)}
        wrong += [f"{path.name}:{line} imports {top}" for line, top in names if top not in known]
    assert wrong == []


def test_heavy_packages_stay_where_they_belong() -> None:
    wrong = []
    for path in MODULES:
        for line, name in imported(path):
            places = ONLY_IN.get(name.split(".")[0])
            if places is not None and part_of(path) not in places:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert wrong == []


def test_library_and_builder_never_import_each_other() -> None:
    wrong = []
    for path in MODULES:
        other = "d2l" if path.is_relative_to(ROOT / "d2lbook") else "d2lbook"
        wrong += [f"{path}:{line}" for line, name in imported(path) if name.split(".")[0] == other]
    assert wrong == []


def test_only_the_command_line_prints_and_exits() -> None:
    wrong = []
    for path in MODULES:
        if not path.is_relative_to(ROOT / "d2lbook") or path.parts[-2:] in ONLY_THESE_PRINT:
            continue
        if "runner" in path.parts:  # of a bundle: a program of its own, on another machine
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.exit", "exit", "os._exit"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []
