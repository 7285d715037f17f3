"""Figures of the book: which can be shown; drawings inside a page follow its colours and share no ids with others."""

from __future__ import annotations

import html
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from d2lbook.diagnostics import BookError
from d2lbook.files import read_text
from d2lbook.languages import cjk_region
from d2lbook.security.svg import clean_svg

CONVERTER_LIMIT = 60  # seconds that rsvg-convert may take for a drawing
LARGEST = 10_000_000  # bytes of a bitmap in a file that holds its figures: a PDF, an ePub, a notebook

_PROLOGUE = re.compile(r"^\s*(?:<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|\s)*(?=<svg\b)", re.DOTALL)
_ROOT = re.compile(r"<svg\b[^>]*>", re.DOTALL)
_DECLARATIONS = re.compile(r"<!DOCTYPE[^>]*\[")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_METADATA = re.compile(r"<metadata\b.*?</metadata>", re.DOTALL)
_SCRIPT = re.compile(r"<script\b.*?</script>|<script\b[^>]*/>", re.DOTALL | re.IGNORECASE)
# Each begins with plain letters, which `re` finds in a quarter of the time that a condition before them takes.
_ID = re.compile(r"""id=(?<![\w:-]id=)(["'])(.*?)\1""")
_URL = re.compile(r"""url\((["']?)#(?P<name>.*?)\1\)""")
_HREF = re.compile(r"""href=(["'])#(?P<name>[^"']*)""")
_ATTRIBUTE = re.compile(r"""\s(?:width|height|role|aria-label|aria-hidden|aria-labelledby|focusable)=(["']).*?\1""")
_SIZE = re.compile(r"""\s(width|height)=["']\s*([\d.]+)\s*(pt|px)?\s*["']""")
_POINT = 4 / 3  # CSS pixels in a point
# Matplotlib's ink and grid as the book's style sheet sets them, and what they are on the page.
_INK = (
    (re.compile(r"#222222\b", re.IGNORECASE), "currentColor"),
    (re.compile(r"#cccccc\b", re.IGNORECASE), "var(--d2l-grid)"),
)
_VARIABLE = re.compile(r"var\(\s*--[\w-]+\s*,\s*([^()]+?)\s*\)")


_SANS = re.compile(r"""(font-family\s*[=:]\s*["']?(?:[^;"<>]*,\s*)?)sans-serif\b""")
_CJK = re.compile("[\u1100-\u11ff\u3040-\u9fff\uac00-\ud7ff]")


class BadPicture(Exception):
    """A figure that cannot be shown; the text says why and what to do, `code` which kind of finding it is."""

    def __init__(self, text: str, code: str = "figure-unreadable") -> None:
        super().__init__(text)
        self.code = code


def read_drawing(path: Path, translated: Mapping[Path, str] | None = None) -> str:
    """The SVG of a figure, as it is in `translated`, which is `Book.drawings`, if it is there.

    Raises BadPicture when it is none, BookError when it cannot be read.
    """
    svg = (translated or {}).get(path) or read_text(path)
    if "<!ENTITY" in svg or _DECLARATIONS.search(svg):
        raise BadPicture("this drawing defines entities, which no page keeps; save it as plain SVG")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise BadPicture(f"this drawing is not well-formed SVG: {error}; open it in a browser and mend it") from None
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        raise BadPicture('this file holds no drawing: its root is not <svg xmlns="http://www.w3.org/2000/svg">')
    return safe_svg(svg)


def run_converter(
    command: Sequence[str], svg: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Runs rsvg-convert on a drawing. Raises BadPicture when it does not come to an end."""
    try:
        return subprocess.run(
            command, input=svg.encode(), capture_output=True, env=environment, check=False, timeout=CONVERTER_LIMIT
        )
    except subprocess.TimeoutExpired:
        what = f"rsvg-convert was stopped after {CONVERTER_LIMIT} s; simplify this drawing"
        raise BadPicture(what) from None


def check_size(count: int) -> None:
    """Raises BadPicture for a bitmap of more bytes than a reader should have to load."""
    if count > LARGEST:
        size, most = count / 1e6, LARGEST / 1e6
        raise BadPicture(f"a bitmap of {size:.0f} MB; reduce it to less than {most:.0f} MB", "figure-large")


def finding(place: str, error: BadPicture | BookError | OSError | ValueError) -> tuple[str, str]:
    """Text and code of the message on a figure: the same whichever format cannot show it. `place`: in the book."""
    if isinstance(error, BookError):
        return f"figure '{place}': {error.messages[0].text}", error.messages[0].code
    reason = error.strerror if isinstance(error, OSError) else error
    return f"figure '{place}': {reason}", getattr(error, "code", "figure-unreadable")


def inline_svg(svg: str, prefix: str) -> str:
    """The drawing to put into a page, apart from what is said of it. `prefix` makes its ids unique there."""
    body = _without_extras(svg)
    root = _ROOT.search(body)
    if root is None:
        raise ValueError("holds no <svg> element")
    width = _width(root[0])
    body = _ATTRIBUTE.sub("", root[0]) + body[root.end() :]
    names = {match[2] for match in _ID.finditer(body)}
    body = _ID.sub(rf"id=\1{prefix}-\2\1", body)
    for reference in (_URL, _HREF):
        body = reference.sub(lambda match: _renamed(match, prefix, names), body)
    return body.replace("<svg", f'<svg style="width:{width:g}px"', 1) if width else body


def labelled(drawing: str, alt: str) -> str:
    """A drawing in a page with what it shows, in the words of the page's language."""
    label = f'role="img" aria-label="{html.escape(alt)}"' if alt else 'aria-hidden="true"'
    return drawing.replace("<svg", f"<svg {label}", 1)


def inline_plot(svg: str, prefix: str) -> str:
    """The same of a drawing by matplotlib, whose ink becomes the page's."""
    drawing = inline_svg(svg, prefix)
    for ink, colour in _INK:
        drawing = ink.sub(colour, drawing)
    return drawing


def safe_svg(svg: str) -> str:
    """A drawing without anything that runs or loads. Raises ValueError for what is no drawing."""
    try:
        return clean_svg(svg)[0]
    except ElementTree.ParseError as error:
        raise ValueError(f"is not well-formed: {error}") from None


def _without_extras(svg: str) -> str:
    svg = safe_svg(svg)
    for pattern in (_PROLOGUE, _COMMENT, _METADATA, _SCRIPT):
        svg = pattern.sub("", svg)
    return svg.strip()


def _width(root: str) -> float:
    """The drawing's natural width in CSS pixels; 0 when it does not say."""
    for name, value, unit in _SIZE.findall(root):
        if name == "width":
            return round(float(value) * (_POINT if unit == "pt" else 1), 1)
    return 0.0


def _renamed(match: re.Match[str], prefix: str, names: set[str]) -> str:
    return match[0].replace("#", f"#{prefix}-", 1) if match["name"] in names else match[0]


def plain_svg(svg: str) -> str:
    """A drawing as a file of its own for any reader: colours resolved, no document type, metadata or script."""
    return resolve_colours(_without_extras(svg)) + "\n"


def resolve_colours(svg: str, ink: str = "#222222") -> str:
    """A copy that needs no page around it: variables take their defaults, `currentColor` is `ink`."""
    return _VARIABLE.sub(r"\1", svg).replace("currentColor", ink)


def with_fonts(svg: str, lang: str) -> str:
    """A drawing that says in which fonts its Korean, Chinese or Japanese is: what a machine takes for it may be any."""
    if not _CJK.search(svg):
        return svg
    region = cjk_region(lang)
    return _SANS.sub(rf"\1Noto Sans, Noto Sans CJK {region}, sans-serif", svg)
