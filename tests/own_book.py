"""The book itself, copied: what tests build of it is theirs, and `_build` stays as its author has left it."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_OF_THE_BOOK = {"_build", "__pycache__", "benchmarks", "builder", "d2lbook", "tests"}


def copy_own_book(target: Path) -> Path:
    """The sources of the book with its frozen results in the new folder `target`; the path of its configuration."""
    shutil.copytree(ROOT, target, ignore=_others)
    return target / "config.ini"


def _others(folder: str, names: list[str]) -> set[str]:
    """What is neither the book nor its library: hidden, built, environments, the builder and its tests."""
    environments = {name for name in names if (Path(folder) / name / "pyvenv.cfg").exists()}
    return environments | NOT_OF_THE_BOOK.intersection(names) | {name for name in names if name.startswith(".")}
