"""Which files of a directory are pages of its book, by the patterns of `config.ini`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from d2lbook.config import Config


def page_files(config: Config) -> list[str]:
    """Paths, relative to the book's root, that match `notebooks` and neither `non-notebooks` nor `exclusions`."""
    excluded = _matching(config, (*config.exclusions, *config.non_notebooks))
    return sorted(
        path.relative_to(config.root).as_posix()
        for path in _matching(config, config.notebooks)
        if path.suffix == ".md" and excluded.isdisjoint((path, *path.parents)) and not _generated(config, path)
    )


def _matching(config: Config, patterns: Iterable[str]) -> set[Path]:
    return {path for pattern in patterns for path in config.root.glob(pattern.rstrip("/").removeprefix("./"))}


def _generated(config: Config, path: Path) -> bool:
    hidden = any(part.startswith((".", "_build")) for part in path.relative_to(config.root).parts)
    return hidden or path.is_relative_to(config.output_dir)
