"""Who may import whom: architecture.md's "Direction of imports", for every module of d2lbook and d2l."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted(path for package in ("d2lbook", "d2l") for path in (ROOT / package).rglob("*.py"))
# A part of the builder may import itself and what stands here; what is not a key is reported.
ALLOWED = {
    "__init__": set(),
    "messages": set(),
    "words": {"frameworks"},
    "model": {"messages"},
    "files": {"messages"},
    "frameworks": set(),
    "config": {"files", "frameworks", "messages", "model"},
    "editions": {"config", "execute", "messages", "model", "translate", "view"},
    "pycode": {"messages", "model"},
    "watch": {"config"},
    "selected": {"messages", "model", "pycode"},
    "activate": {"config", "files", "messages", "model", "parse"},
    "tab": {"frameworks", "parse"},
    "jupyter": {"files", "messages", "model", "parse"},
    "system_packages": {"frameworks"},
    "apt": set(),
    "tasks": {"apt", "frameworks", "system_packages"},
    "parse": {"files", "messages", "model"},
    "references": {"messages", "model", "parse"},
    "view": {"config", "messages", "model", "parse", "pycode", "references", "selected"},
    "book": {"config", "files", "messages", "model", "parse", "references", "view"},
    "translate": {
        "book", "config", "files", "frameworks", "messages", "model", "parse", "pycode", "references", "view", "words",
    },
    "library": {"config", "files", "frameworks", "messages", "model", "pycode", "view"},
    "check": {"book", "config", "library", "messages", "model", "parse", "pycode", "references", "view"},
    "kept": {"book", "check", "config", "files", "library", "translate"},
    "execute": {"book", "config", "files", "frameworks", "library", "messages", "model", "pycode", "view"},
    "export": {
        "book", "config", "editions", "execute", "files", "frameworks", "library", "messages", "model", "parse",
        "pycode", "references", "system_packages", "translate", "view", "words",
    },
}  # fmt: skip
ABOVE_ALL = {"cli", "stages", "serve", "__main__"}
STANDARD_LIBRARY_ONLY = {
    "messages", "model", "files", "frameworks", "config", "tasks", "apt", "system_packages", "cli", "stages",
    "__init__", "__main__",
}  # fmt: skip
ONLY_IN = {
    "nbclient": {"execute"},
    "jupyter_client": {"execute"},
    "jupyter_server": {"jupyter"},
    "sphinx": {"export"},
    "docutils": {"export"},
    "myst_parser": {"export"},
    "sphinx_design": {"export"},
}


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


def test_the_walk_sees_imports() -> None:
    names = {part_of(path) for path in MODULES if path.is_relative_to(ROOT / "d2lbook")}
    assert {"cli", "model", "library", "parse"} <= names
    assert "messages" in {part for _, part in parts_imported(ROOT / "d2lbook" / "check.py")}


def test_every_part_has_its_place() -> None:
    parts = {part_of(path) for path in MODULES if path.is_relative_to(ROOT / "d2lbook")}
    assert parts - ALLOWED.keys() - ABOVE_ALL == set()


def test_parts_import_only_what_stands_below_them() -> None:
    wrong = []
    for path in MODULES:
        part = part_of(path)
        if not path.is_relative_to(ROOT / "d2lbook") or part in ABOVE_ALL or path.name == "__init__.py" == part:
            continue
        allowed = ALLOWED.get(part, set()) | {part, "__version__"}
        wrong += [f"{where} imports {other}" for where, other in parts_imported(path) if other not in allowed]
    assert wrong == []


def test_the_order_has_no_circle() -> None:
    done: set[str] = set()
    while ready := {part for part, below in ALLOWED.items() if part not in done and below <= done}:
        done |= ready
    assert done == ALLOWED.keys()


def test_nobody_imports_the_command_line() -> None:
    others = [path for path in MODULES if path.stem != "__main__"]
    wrong = [where for path in others for where, part in parts_imported(path) if part == "cli"]
    assert wrong == []


def test_what_starts_first_needs_the_standard_library_only() -> None:
    wrong = []
    for path in (ROOT / "d2lbook").glob("*.py"):
        if path.stem in STANDARD_LIBRARY_ONLY:
            names = {(line, name.split(".")[0]) for line, name in imported(path)}
            wrong += [
                f"{path.name}:{line} imports {top}"
                for line, top in names
                if top not in sys.stdlib_module_names | {"d2lbook"}
            ]
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
        if not path.is_relative_to(ROOT / "d2lbook") or path.stem in ("cli", "__main__", "tasks"):
            continue  # `tasks` is what `make` runs
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.exit", "exit", "os._exit"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []
