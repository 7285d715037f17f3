"""Writes the libraries: each only when it compiles and, where its framework is installed, imports."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.files import is_file, read_text, write_atomic
from d2lbook.library.assemble import Library
from d2lbook.library.findings import place_of

IMPORT_LIMIT = 300  # seconds; a framework on a busy machine takes a while
# Runs in a process of its own: reads the library from its input, runs it as the module it will be, says what happened.
_TRIAL = """
import json, sys, traceback, types
name, path, package = sys.argv[1:]
sys.path.insert(0, "")
module = types.ModuleType(name)
module.__file__, module.__package__ = path, package
sys.modules[name] = module
source = sys.stdin.buffer.read().decode()
try:
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    result = {}
except BaseException as error:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    result = {"error": f"{type(error).__name__}: {error}", "line": lines[-1] if lines else 0, "missing": missing}
sys.__stdout__.write("\\n" + json.dumps(result))
"""
_VERSION = re.compile(r"^(__version__\s*=\s*)(['\"]).*?\2", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trial:
    """How importing a library went."""

    error: str = ""
    line: int = 0  # of the library, 1-based
    missing: str = ""  # the module that is not installed


def write_library(library: Library, config: Config, messages: Messages, tries: bool = True) -> Path | None:
    """Writes one library; its path if that changed it. What is wrong goes to `messages`, and the old file stays.

    With `tries` it is imported before. Where something that it imports does not work here, it is written all the same.
    """
    path = config.path.parent / library.file
    text = library.text
    if is_file(path) and read_text(path) == text:
        return None
    try:
        compile(library.python, library.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = place_of(library, error.lineno or 0, max((error.offset or 1) - 1, 0))
        messages.error(*place, f"{library.file}: {error.msg}", "lib-syntax")
        return None
    trial = try_import(library, path) if tries else Trial()
    if trial.error and _is_import(library, trial.line):
        place = place_of(library, trial.line)
        what = f"{library.file} cannot be imported on this machine: {' '.join(trial.error.split())}"
        what += "; it is written all the same"
        messages.warning(*place, what, "lib-import-here")
    elif trial.error and not _is_absent(trial.missing, path):
        place = place_of(library, trial.line)
        text = " ".join(trial.error.split())
        messages.error(*place, f"{library.file} cannot be imported: {text}; the old file stays", "lib-import")
        return None
    return path if write_atomic(path, text) else None


def try_import(library: Library, path: Path) -> Trial:
    """Runs a library's text in a new process, as the module that its path makes it."""
    # By its dotted name, also in a folder without __init__.py: as `jax` alone, d2l/jax.py would stand for JAX itself.
    in_folder = PurePosixPath(library.file).parent.name and path.parent.name.isidentifier()
    package = path.parent.name if in_folder else ""
    name = f"{package}.{path.stem}" if package else path.stem
    cwd = path.parent.parent if package else path.parent
    command = [sys.executable, "-c", _TRIAL, name, str(path), package]
    try:
        done = subprocess.run(
            command,
            input=library.python.encode(),
            cwd=cwd if cwd.is_dir() else None,
            capture_output=True,
            timeout=IMPORT_LIMIT,
            check=False,
        )
        result = json.loads(done.stdout.decode(errors="replace").rpartition("\n")[2])
    except subprocess.TimeoutExpired:
        return Trial(f"it took more than {IMPORT_LIMIT} seconds")
    except json.JSONDecodeError:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return Trial(f"Python stopped with status {done.returncode}: {last}")
    return Trial(result.get("error", ""), result.get("line", 0), result.get("missing") or "")


def _is_import(library: Library, line: int) -> bool:
    """Whether a line of the library imports a package: what is wrong there is wrong with what is installed."""
    tree = ast.parse(library.python)
    at = [node for node in tree.body if node.lineno <= line <= (node.end_lineno or node.lineno)]
    return any(isinstance(node, ast.Import | ast.ImportFrom) and not _own(node, library) for node in at)


def _own(node: ast.Import | ast.ImportFrom, library: Library) -> bool:
    """Whether an import is of the package that the library belongs to."""
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    package = PurePosixPath(library.file).parent.name
    relative = isinstance(node, ast.ImportFrom) and bool(node.level)
    return relative or any(name.split(".")[0] == package for name in names)


def _is_absent(module: str, path: Path) -> bool:
    """Whether a module that was not found is a package that is not installed, and not a part of this one."""
    top = module.split(".")[0]
    own = {path.parent.name, path.stem}
    return bool(top) and top not in own and not (path.parent.parent / top).exists()


def write_version(config: Config, messages: Messages) -> Path | None:
    """Sets `__version__` in `[library] version_file` to the book's release."""
    name = config.value("library", "version_file").strip()
    if not name or not config.release:
        return None
    path = config.path.parent / name
    line = config.line("library", "version_file")
    if not is_file(path):
        messages.error(config.name_in_messages, line, 1, f"version_file: there is no file '{name}'", "version-file")
        return None
    text = read_text(path)
    release = config.release
    new, count = _VERSION.subn(lambda found: f"{found[1]}{found[2]}{release}{found[2]}", text, count=1)
    if not count:
        messages.error(
            config.name_in_messages,
            line,
            1,
            f"version_file: '{name}' has no line '__version__ = …'",
            "version-file",
        )
        return None
    return path if write_atomic(path, new) else None


def write_all(libraries: Sequence[Library], config: Config, messages: Messages, tries: bool = True) -> list[Path]:
    """Writes those libraries that have no errors; the paths that changed."""
    written = [write_library(library, config, messages, tries) for library in libraries if not library.failed]
    written.append(write_version(config, messages))
    return [path for path in written if path is not None]
