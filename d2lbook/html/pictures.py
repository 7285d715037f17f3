"""Pictures of pages as files beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from d2lbook.rendering.figures import check_size, plain_svg, read_drawing

PICTURES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
}


@dataclass(slots=True)
class Media:
    """The pictures of a book's pages: path below the output -> content."""

    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, content: bytes, suffix: str) -> str:
        path = f"images/{hashlib.sha256(content).hexdigest()[:20]}{suffix}"
        self.files[path] = content
        return path


def media_type(path: str) -> str:
    return PICTURES[PurePosixPath(path).suffix]


def read_picture(path: Path, translated: Mapping[Path, str] | None = None) -> bytes:
    """A picture's file; a drawing as in `translated`, which is `Book.drawings`, if it is there, colours resolved.

    Raises BadPicture, BookError or OSError.
    """
    if path.suffix.lower() == ".svg":
        return plain_svg(read_drawing(path, translated)).encode()
    check_size(path.stat().st_size)
    return path.read_bytes()
