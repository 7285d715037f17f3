"""Which files of a directory are pages of its book, by the patterns of `config.ini`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.security.inside import is_inside


def page_files(config: Config) -> list[str]:
    """Paths, relative to the book's root, that match `notebooks` and neither `non-notebooks` nor `exclusions`."""
    excluded = _matching(config, "exclusions", config.exclusions)
    excluded |= _matching(config, "non-notebooks", config.non_notebooks)
    return sorted(
        path.relative_to(config.root).as_posix()
        for path in _matching(config, "notebooks", config.notebooks)
        if path.suffix == ".md" and excluded.isdisjoint((path, *path.parents)) and _is_own(config, path)
    )


def _matching(config: Config, key: str, patterns: Iterable[str]) -> set[Path]:
    """Files and directories that match a key's patterns. Raises BookError for what is no pattern."""
    found: set[Path] = set()
    for pattern in patterns:
        try:
            found.update(config.root.glob(pattern.rstrip("/").removeprefix("./")))
        except (ValueError, NotImplementedError, OSError) as error:  # OSError: a name longer than a file's can be
            line = config.line("build", key)
            why = error.strerror if isinstance(error, OSError) else error
            what = f"{key}: '{pattern}' is no pattern of paths below the book's directory: {why}"
            raise error_at(config.name_in_messages, line, 1, what, "config-value") from error
    return found


def _is_own(config: Config, path: Path) -> bool:
    """Whether a file is a source of the book: in it, not hidden and not built."""
    if not path.is_relative_to(config.root) or path.is_relative_to(config.output_dir):
        return False
    parts = path.relative_to(config.root).parts
    return not any(part.startswith((".", "_build")) for part in parts) and is_inside(config.root, path)
