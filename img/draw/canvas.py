"""What every drawn figure shares: one device box, one arrow for data, one for gradients, one tensor.

Coordinates are SVG user units. All figures are 360 wide, so that a unit is a pixel on a narrow phone and
text of `TEXT` units stays readable there. Ink is `currentColor`; colours are variables of the site with a
fallback for where there is no site. Arrow heads are drawn, not referenced as markers, so a figure holds no id
and several may stand on one page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

WIDTH = 360
TEXT = 13
SMALL = 12
STROKE = 1.5

INK = "currentColor"
PANEL = "var(--d2l-panel, #f2f2f2)"
MUTED = "var(--d2l-muted, #767676)"
DATA = "var(--d2l-blue, #0072B2)"
GRADIENT = "var(--d2l-red, #D55E00)"

Point = tuple[float, float]

_PIECES = re.compile(r"_([0-9a-z])|\*([^*]+)\*")


def _number(value: float) -> str:
    """A coordinate with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _attributes(values: dict[str, str | float | None]) -> str:
    written = ((name.replace("_", "-"), value) for name, value in values.items() if value is not None)
    return "".join(
        f' {name}="{_number(value) if isinstance(value, int | float) else value}"' for name, value in written
    )


def rich(text: str) -> str:
    """`text` as SVG character data: `*w*` is set in italics, `_0` as a subscript."""
    parts: list[str] = []
    position = 0
    lowered = False
    for match in _PIECES.finditer(text):
        plain = text[position : match.start()]
        if plain:
            parts.append(_span(plain, lowered))
            lowered = False
        subscript, italic = match.groups()
        if subscript:
            parts.append(f'<tspan font-size="{_number(SMALL - 3)}" dy="3">{escape(subscript)}</tspan>')
            lowered = True
        else:
            parts.append(_span(italic, lowered, ' font-style="italic"'))
            lowered = False
        position = match.end()
    if position < len(text):
        parts.append(_span(text[position:], lowered))
    return "".join(parts)


def _span(text: str, lowered: bool, style: str = "") -> str:
    """A run of text; after a subscript it has to be raised back to the line."""
    raised = ' dy="-3"' if lowered else ""
    return f"<tspan{raised}{style}>{escape(text)}</tspan>" if raised or style else escape(text)


class Canvas:
    """One figure in the making: shapes are written in the order of the calls."""

    def __init__(self, height: int) -> None:
        self.height = height
        self._lines: list[str] = []

    def svg(self) -> str:
        """The whole file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" '
            f'width="{WIDTH}" height="{self.height}" fill="none" font-family="sans-serif" '
            f'font-size="{TEXT}" stroke-linecap="round" stroke-linejoin="round">'
        )
        return "\n".join([head, *self._lines, "</svg>", ""])

    def _element(self, name: str, content: str = "", **attributes: str | float | None) -> None:
        end = f">{content}</{name}>" if content else "/>"
        self._lines.append(f"<{name}{_attributes(attributes)}{end}")

    # -- text and plain shapes ------------------------------------------------------------------------------

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: str = "middle",
        size: float = TEXT,
        colour: str = INK,
        bold: bool = False,
    ) -> None:
        """One line of text whose baseline is at `y`."""
        self._element(
            "text",
            rich(text),
            x=x,
            y=y,
            text_anchor=None if anchor == "start" else anchor,
            font_size=None if size == TEXT else size,
            font_weight="bold" if bold else None,
            fill=colour,
        )

    def box(self, x: float, y: float, width: float, height: float, *lines: str, size: float = SMALL) -> None:
        """A step or a layer: a rectangle with centred lines of text."""
        self._element("rect", x=x, y=y, width=width, height=height, rx=3, stroke=INK, stroke_width=STROKE)
        leading = size + 3
        first = y + height / 2 - leading * (len(lines) - 1) / 2 + size * 0.36
        for index, line in enumerate(lines):
            self.text(x + width / 2, first + leading * index, line, size=size)

    def region(self, x: float, y: float, width: float, height: float, label: str) -> None:
        """A part of a device, such as its memory: a dashed outline with its name at the top."""
        self._element(
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            rx=3,
            stroke=MUTED,
            stroke_width=1,
            stroke_dasharray="2 3",
        )
        self.text(x + 7, y + 15, label, anchor="start", size=SMALL)

    def circle(self, x: float, y: float, radius: float) -> None:
        """The outline of an operation on several inputs, such as their sum."""
        self._element("circle", cx=x, cy=y, r=radius, stroke=INK, stroke_width=STROKE)

    def bar(
        self, x: float, y: float, width: float, height: float, colour: str, opacity: float, *, dashes: str | None = None
    ) -> None:
        """A piece of time or of memory: a tinted rectangle, outlined unless `colour` is that of what is empty."""
        outline = None if colour == MUTED else colour
        self._element(
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            fill=colour,
            fill_opacity=opacity,
            stroke=outline,
            stroke_width=outline and STROKE,
            stroke_dasharray=dashes,
        )

    def dot(self, x: float, y: float, radius: float = 4) -> None:
        """A filled mark, such as a measured point."""
        self._element("circle", cx=x, cy=y, r=radius, fill=INK)

    def line(
        self, start: Point, end: Point, *, colour: str = INK, width: float = STROKE, dashes: str | None = None
    ) -> None:
        self._element("path", d=_path([start, end]), stroke=colour, stroke_width=width, stroke_dasharray=dashes)

    # -- the shared language of the book's figures ----------------------------------------------------------

    def device(self, x: float, y: float, width: float, height: float, number: int, name: str = "device") -> None:
        """A device: a filled box, its number in a circle at the top left, its name beside it."""
        self._element("rect", x=x, y=y, width=width, height=height, rx=8, fill=PANEL, stroke=INK, stroke_width=STROKE)
        self._element("circle", cx=x + 17, cy=y + 17, r=9, stroke=INK, stroke_width=STROKE)
        self.text(x + 17, y + 21.5, str(number), bold=True)
        if name:
            self.text(x + 32, y + 21.5, name, anchor="start")

    def tensor(
        self,
        x: float,
        y: float,
        rows: int,
        columns: int,
        cell: float,
        *,
        colour: str = INK,
        filled: bool = False,
    ) -> None:
        """A grid of `rows` by `columns` numbers; `filled` marks the values as present."""
        width, height = columns * cell, rows * cell
        self._element(
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            fill=colour if filled else None,
            fill_opacity=0.25 if filled else None,
            stroke=colour,
            stroke_width=STROKE,
        )
        for row in range(1, rows):
            self.line((x, y + row * cell), (x + width, y + row * cell), colour=colour, width=1)
        for column in range(1, columns):
            self.line((x + column * cell, y), (x + column * cell, y + height), colour=colour, width=1)

    def data(self, *points: Point) -> None:
        """The arrow for data (inputs, activations, copies): solid, with a filled head."""
        self._arrow(points, DATA, dashes=None, filled=True)

    def gradient(self, *points: Point) -> None:
        """The arrow for gradients: dashed, with an open head, so that it differs without colour too."""
        self._arrow(points, GRADIENT, dashes="4 3", filled=False)

    def _arrow(self, points: Sequence[Point], colour: str, dashes: str | None, filled: bool) -> None:
        (x0, y0), (x1, y1) = points[-2], points[-1]
        angle = math.atan2(y1 - y0, x1 - x0)
        left, right = _head(points[-1], angle)
        shaft = list(points[:-1])
        # The shaft of a filled head ends inside it, else its round end would blunt the tip.
        shaft.append((x1 - 4 * math.cos(angle), y1 - 4 * math.sin(angle)) if filled else points[-1])
        self._element("path", d=_path(shaft), stroke=colour, stroke_width=2, stroke_dasharray=dashes)
        if filled:
            self._element("path", d=_path([left, points[-1], right]) + "Z", fill=colour)
        else:
            self._element("path", d=_path([left, points[-1], right]), stroke=colour, stroke_width=2)


def _head(tip: Point, angle: float, length: float = 8, spread: float = 0.45) -> tuple[Point, Point]:
    """The two back corners of an arrow head at `tip`, for a shaft that arrives at `angle` (radians)."""
    corners = (angle + math.pi - spread, angle + math.pi + spread)
    first, second = ((tip[0] + length * math.cos(a), tip[1] + length * math.sin(a)) for a in corners)
    return first, second


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
