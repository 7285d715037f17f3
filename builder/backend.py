"""Builds the distribution `d2lbook`, whose package stands beside this folder, with setuptools.

An archive must hold all of its code, and setuptools takes none from outside a project. So archive and wheel are built
from a copy that has the package, the licence and this folder's files in one place; an unpacked archive is such a copy.
An editable installation stays with the sources.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

# The hooks that pip and build may call. Those from setuptools need no copy of the sources.
__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

HERE = Path(__file__).resolve().parent
_BESIDE, _WITHIN = 'where = [".."]', 'where = ["."]'


def build_sdist(directory: str, settings: dict[str, Any] | None = None) -> str:
    """Write the source archive into a directory; its name."""
    target = Path(directory).absolute()  # the copy is another working directory
    return _in_one_place(lambda: build_meta.build_sdist(os.fspath(target), settings), target)


def build_wheel(directory: str, settings: dict[str, Any] | None = None, metadata: str | None = None) -> str:
    """Write the wheel into a directory; its name."""
    target = Path(directory).absolute()
    return _in_one_place(lambda: build_meta.build_wheel(os.fspath(target), settings), target)


def _in_one_place(build: Callable[[], str], target: Path) -> str:
    target.mkdir(parents=True, exist_ok=True)
    if (HERE / "d2lbook").is_dir():  # an unpacked archive
        return build()
    with _copy():
        return build()


@contextmanager
def _copy() -> Iterator[None]:
    """A copy of the whole project as the current directory."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "d2lbook-project"
        project.mkdir()
        for file in ("backend.py", "MANIFEST.in", "README.md"):
            shutil.copy(HERE / file, project)
        shutil.copy(HERE.parent / "LICENSE", project)
        shutil.copytree(HERE.parent / "d2lbook", project / "d2lbook", ignore=shutil.ignore_patterns("__pycache__"))
        text = (HERE / "pyproject.toml").read_text(encoding="utf-8")
        (project / "pyproject.toml").write_text(text.replace(_BESIDE, _WITHIN), encoding="utf-8")
        os.chdir(project)
        try:
            yield
        finally:
            os.chdir(before)
