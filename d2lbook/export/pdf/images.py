"""Figures and plots as files that XeLaTeX can include: drawings as PDF, photographs as they are."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from d2lbook.files import remove_others, write_atomic
from d2lbook.rendering.drawings import converted
from d2lbook.rendering.figures import BadPicture, check_size, read_drawing, resolve_colours, safe_svg
from d2lbook.rendering.results import bitmap

_BITMAPS = {".png", ".jpg", ".jpeg"}
_LENGTH = re.compile(r"([\d.]+)\s*(px|pt|cm|mm|in|%)?$")
_POINTS = {"px": 0.75, "pt": 1.0, "cm": 28.35, "mm": 2.835, "in": 72.0}


class Images:
    """Converts, and keeps what it converted by what it was made from."""

    def __init__(self, folder: Path, lang: str = "", translated: Mapping[Path, str] | None = None) -> None:
        self.folder = folder
        self.lang = lang  # of the book
        self.translated = translated  # `Book.drawings`
        self.used: dict[str, Path] = {}  # what the text asks for, from beside the .tex file -> where it is now

    def place(self, path: Path) -> str:
        """What the text calls a file: TeX sees neither the book's path nor any other file of the machine."""
        name = f"images/{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}{path.suffix.lower()}"
        self.used[name] = path
        return name

    def copy_to(self, folder: Path) -> None:
        """Puts the files that the text asks for beside it."""
        for name, path in self.used.items():
            write_atomic(folder / name, path.read_bytes(), durable=False)
        remove_others(folder / "images", {folder / name for name in self.used})

    def file(self, path: Path) -> Path:
        """A figure of the book. Raises BadPicture, BookError or OSError."""
        suffix = path.suffix.lower()
        if suffix == ".svg":
            return self.drawing(read_drawing(path, self.translated))
        if suffix not in _BITMAPS:
            what = f"a PDF cannot show {suffix or 'a file without suffix'}; save it as SVG, PNG or JPEG"
            raise BadPicture(what, "pdf-image")
        check_size(path.stat().st_size)
        return path

    def drawing(self, svg: str) -> Path:
        """An SVG drawing as PDF. Raises BadPicture."""
        return converted(resolve_colours(safe_svg(svg)), self.lang, self.folder, "pdf")

    def png(self, encoded: str) -> Path:
        """A bitmap as notebooks hold it, in base64. Raises BadPicture or ValueError."""
        data = bitmap(encoded)
        check_size(len(data))
        path = self.folder / f"{hashlib.sha256(data).hexdigest()[:24]}.png"
        write_atomic(path, data, durable=False)
        return path


def width_of(written: str) -> str:
    """A width such as "400px" or "60%" as TeX has it; empty when nothing is written."""
    found = _LENGTH.match(written.strip())
    if found is None:
        return ""
    if found[2] == "%":
        return rf"{float(found[1]) / 100:.3f}\linewidth"
    return f"{float(found[1]) * _POINTS[found[2] or 'px']:.1f}bp"
