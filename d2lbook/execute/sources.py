"""The book's files that pages need where they run on another machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from d2lbook.config import Config


def sources(config: Config, tabs: Sequence[str], code: Iterable[str]) -> dict[str, bytes]:
    """The libraries of frameworks and the resources that some cell's code names, by their paths in the book."""
    found = {*_libraries(config, tabs), *_resources(config, "\n".join(code))}
    return {path.relative_to(config.root).as_posix(): path.read_bytes() for path in sorted(found)}


def _libraries(config: Config, tabs: Sequence[str]) -> set[Path]:
    """The package of each framework's library, without the libraries of frameworks that do not run."""
    files = {tab: config.root / library.lib_file for tab, library in config.libraries.items() if library.lib_file}
    others = {path for tab, path in files.items() if tab not in tabs}
    packages = {path.parent for tab, path in files.items() if tab in tabs}
    return {path for package in packages for path in package.rglob("*.py")} - others


def _resources(config: Config, code: str) -> list[Path]:
    named = [config.root / name for name in config.resources if name in code]
    files = [path for place in named for path in (place.rglob("*") if place.is_dir() else [place]) if path.is_file()]
    return [path for path in files if path.resolve().is_relative_to(config.root.resolve())]
