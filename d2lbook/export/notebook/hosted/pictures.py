"""Figures inside a notebook: as PNG in a data address, which Colab and JupyterLab both show.

Colab shows neither SVG in Markdown (googlecolab/colabtools#2092) nor a cell's attachments (#3836), nor files beside
the notebook.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.rendering.drawings import converted
from d2lbook.rendering.figures import BadPicture, check_size, plain_svg, read_drawing
from d2lbook.rendering.width import width

_DENSITY = 2  # pixels of the bitmap for one of the page, for sharp screens
_KINDS = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif"}


@dataclass(frozen=True, slots=True)
class Pictures:
    """Turns drawings into bitmaps, and keeps what it turned by what it was made from."""

    folder: Path
    lang: str = ""  # of the book
    translated: Mapping[Path, str] = field(default_factory=dict)  # `Book.drawings`

    def address(self, path: Path) -> str:
        """A figure of the book as a data address. Raises BadPicture, BookError or OSError."""
        suffix = path.suffix.lower()
        if suffix == ".svg":
            return self.encoded(read_drawing(path, self.translated))
        if suffix not in _KINDS:
            what = f"notebooks cannot show {suffix or 'a file without suffix'}; save it as SVG, PNG or JPEG"
            raise BadPicture(what, "figure-hosted")
        check_size(path.stat().st_size)
        return _data(_KINDS[suffix], path.read_bytes())

    def encoded(self, svg: str) -> str:
        """An SVG drawing as a data address. Raises BadPicture."""
        return _data("image/png", self.drawing(svg))

    def drawing(self, svg: str) -> bytes:
        """An SVG drawing as PNG, on white, since a notebook's page may be dark. Raises BadPicture."""
        zoom, white = f"--zoom={_DENSITY}", "--background-color=white"
        return converted(plain_svg(svg), self.lang, self.folder, "png", zoom, white).read_bytes()


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def width_in_pixels(png: bytes) -> int:
    """How wide a drawing's bitmap is to be shown."""
    return int.from_bytes(png[16:20], "big") // _DENSITY  # PNG specification, 11.2.1: IHDR


def image_tag(address: str, alt: str, width: str) -> str:
    sized = f' width="{html.escape(width)}"' if width else ""
    return f'<img src="{address}" alt="{html.escape(alt)}"{sized}>'


def badge(words: str, name: str) -> str:
    """A small sign with two fields, as SVG."""
    left, right = (round(width(text) * 6.6 + 16) for text in (words, name))
    fonts = "DejaVu Sans, Noto Sans, Noto Sans CJK KR, sans-serif"
    style = f'y="14" font-family="{fonts}" font-size="11" fill="#fff" text-anchor="middle"'
    shown, named = html.escape(words), html.escape(name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20">'
        f'<rect width="{left + right}" height="20" rx="3" fill="#0072B2"/>'
        f'<path d="M{left} 0H3a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3h{left - 3}z" fill="#444"/>'
        f'<text {style} x="{left / 2:g}">{shown}</text><text {style} x="{left + right / 2:g}">{named}</text></svg>'
    )
