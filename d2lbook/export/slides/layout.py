"""What goes on a slide together: estimated heights, in pixels of a slide of 1280 by 720.

The estimates err on the high side; `deck.css` holds the sizes that they are made from, and the tests measure every
slide of the book in a browser.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from d2lbook.export.slides.code import LINES

HEIGHT = 720 - 36 - 52  # of a slide without its margins
ROOMY = 66  # characters of code in a line of the larger size
FLEXIBLE = 300.0  # the least height at which a plot or figure can be read; it grows into what is free
_TAG = re.compile(r"<[^>]+>")
_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_ANNOTATION = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """Something on a slide that is not divided."""

    html: str
    height: float
    group: int = 0  # pieces of one cell share a number: they stay together when one slide can hold them
    wide: int = 0  # of code: characters in its longest line
    code_lines: int = 0


@dataclass(slots=True)
class Slide:
    """A mark's slide, which may take several pages of the deck."""

    headline: str  # HTML
    section: str = ""  # HTML: the heading it stands under
    pieces: list[Piece | Note] = field(default_factory=list)
    is_title: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Prose of the page that the speaker may read, at its place among a slide's pieces."""

    html: str


@dataclass(slots=True)
class Sheet:
    """One page of a deck."""

    slide: Slide
    part: int  # 1-based, of the slide's sheets
    parts: int = 1
    pieces: list[Piece] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def code_lines(self) -> int:
        return sum(piece.code_lines for piece in self.pieces)

    @property
    def is_roomy(self) -> bool:
        """Whether larger type fits."""
        height = sum(piece.height for piece in self.pieces)
        return height < 0.55 * HEIGHT and all(piece.wide <= ROOMY and piece.height < FLEXIBLE for piece in self.pieces)


def text_of(html: str) -> str:
    """What is read of a piece of HTML; of a formula its symbols."""
    return _TAG.sub("", _ANNOTATION.sub("", html))


def paragraph_height(html: str) -> float:
    """Of body text: 28 px, about 84 characters a line."""
    return 40.0 * max(1, math.ceil(len(text_of(html)) / 80)) + 14 + (24 if "<math" in html else 0)


def headline_height(html: str) -> float:
    return 50.0 * max(1, math.ceil(len(text_of(html)) / 52)) + 16


def lines_height(count: int, line: float) -> float:
    return count * line + 30


def sheets(slide: Slide) -> list[Sheet]:
    """The slide's pieces on as many pages as they need."""
    found = [Sheet(slide, 1)]
    first = HEIGHT - headline_height(slide.headline) - (30 if slide.section else 0)
    left = first
    group = 0
    for position, piece in enumerate(slide.pieces):
        if isinstance(piece, Note):
            found[-1].notes.append(piece.html)
            continue
        wanted = piece.height
        if piece.group and piece.group != group:
            wanted = _group_height(slide, position)
            if wanted > _later_height():
                wanted = piece.height
        group = piece.group
        full = max(wanted, piece.height) > left and bool(found[-1].pieces or slide.is_title)
        if full or found[-1].code_lines + piece.code_lines > LINES:
            found.append(Sheet(slide, len(found) + 1))
            left = _later_height()
        found[-1].pieces.append(piece)
        left -= piece.height
    for sheet in found:
        sheet.parts = len(found)
    return found


def _later_height() -> float:
    return HEIGHT - 60.0  # with a small headline


def _group_height(slide: Slide, position: int) -> float:
    first = slide.pieces[position]
    group = first.group if isinstance(first, Piece) else 0
    rest = (piece for piece in slide.pieces[position:] if isinstance(piece, Piece))
    total = 0.0
    for piece in rest:
        if piece.group != group:
            break
        total += piece.height
    return total
