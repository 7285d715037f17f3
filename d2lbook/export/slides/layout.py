"""What goes on a slide together: estimated heights, in pixels of a slide of 1280 by 720.

The estimates err on the high side; `deck.css` holds the sizes that they are made from, and the tests measure every
slide of the book in a browser.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from d2lbook.export.slides.code import LINES
from d2lbook.rendering.width import width

HEIGHT = 720 - 28 - 44  # of a slide without its margins
CORNERS = 36  # what stands in its corners takes, where something does
AGAIN = 60  # the small headline of a slide that goes on
ROOMY = 66  # characters of code in a line of the larger size
FLEXIBLE = 300.0  # the least height at which a plot or figure can be read; it grows into what is free
TALL = 520.0  # the same for a figure that is hardly wider than high
_COLUMN = 0.44  # of a slide's width is beside such a figure
_DENSE = 1.15  # how much more text a slide holds in the smaller size, rather than a line or two on another slide
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
    is_text: bool = False
    is_tall: bool = False  # a figure that is hardly wider than high: text stands beside it


@dataclass(slots=True)
class Slide:
    """A mark's slide, which may take several pages of the deck."""

    headline: str  # HTML
    section: str = ""  # HTML: the heading it stands under
    lang: str = ""  # of the headline, where it is not the book's
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

    @property
    def kind(self) -> str:
        """The class of a layout of its own: a sentence alone, a tall figure beside text, another size; else empty."""
        if not self.pieces:
            return "statement"
        if self.has_room_beside():
            return "beside"
        if self.parts == 1 and is_dense(self.pieces, _room(self.slide)):
            return "dense"
        return "roomy" if self.is_roomy else ""

    def has_room_beside(self, piece: Piece | None = None, height: float = HEIGHT) -> bool:
        """Whether the pieces, with `piece`, are one tall figure and no more text than a column beside it can hold."""
        pieces = self.pieces if piece is None else [*self.pieces, piece]
        texts = [one.html for one in pieces if one.is_text]
        first = self.part == 1
        if sum(one.is_tall for one in pieces) != 1 or len(texts) != len(pieces) - 1 or (first and self.slide.is_title):
            return False
        head = headline_height(self.slide.headline, _COLUMN) if first else AGAIN
        head += 30 if first and self.slide.section else 0
        return head + sum(paragraph_height(text, _COLUMN) for text in texts) <= height


def text_of(html: str) -> str:
    """What is read of a piece of HTML; of a formula its symbols."""
    return _TAG.sub("", _ANNOTATION.sub("", html))


def paragraph_height(html: str, share: float = 1.0) -> float:
    """Of body text: 28 px, about 90 characters a line; in a column of that share of the slide's width."""
    return 40.0 * max(1, math.ceil(width(text_of(html)) / (84 * share))) + 14 + (16 if "<mfrac" in html else 0)


def headline_height(html: str, share: float = 1.0) -> float:
    return 50.0 * max(1, math.ceil(width(text_of(html)) / (62 * share))) + 16


def code_height(count: int) -> float:
    """Of lines of code with what surrounds them."""
    return 30.0 * count + 30


def printed_height(count: int) -> float:
    return 25.0 * count + 20


def is_dense(pieces: Sequence[Piece], room: float) -> bool:
    """Whether these are text that fits into `room` in the smaller size only."""
    return all(piece.is_text for piece in pieces) and room < sum(piece.height for piece in pieces) <= _DENSE * room


def _room(slide: Slide, height: float = HEIGHT) -> float:
    """What the headline leaves of a slide's height."""
    return height - headline_height(slide.headline) - (30 if slide.section else 0)


def sheets(slide: Slide, height: float = HEIGHT) -> list[Sheet]:
    """The slide's pieces on as many pages as they need."""
    found = [Sheet(slide, 1)]
    later = height - AGAIN
    left = _room(slide, height)
    if is_dense([piece for piece in slide.pieces if isinstance(piece, Piece)], left):
        left *= _DENSE
    group = 0
    pieces = _with_next(slide.pieces)
    for position, piece in enumerate(pieces):
        if isinstance(piece, Note):
            found[-1].notes.append(piece.html)
            continue
        together = _group_height(pieces[position:], piece.group) if piece.group and piece.group != group else 0.0
        group = piece.group
        wanted = together if together <= later else sum(one.height for one in _led(pieces[position:]))
        fits = max(wanted, piece.height) <= left or (not piece.group and found[-1].has_room_beside(piece, height))
        full = not fits and bool(found[-1].pieces or slide.is_title)
        if full or found[-1].code_lines + sum(one.code_lines for one in _led(pieces[position:])) > LINES:
            found.append(Sheet(slide, len(found) + 1))
            left = later
        found[-1].pieces.append(piece)
        left -= piece.height
    for before, sheet in zip([found[0], *found], found, strict=False):
        sheet.parts = len(found)
        sheet.notes = sheet.notes or before.notes  # the speaker is still at it
    return found


def _with_next(pieces: Sequence[Piece | Note]) -> list[Piece | Note]:
    """Text goes with the cell that it leads to."""
    found: list[Piece | Note] = []
    group = 0
    for piece in reversed(pieces):
        if isinstance(piece, Piece):
            if not piece.group and group and piece.is_text:
                piece = replace(piece, group=group)
            group = piece.group
        found.append(piece)
    return found[::-1]


def _led(pieces: Sequence[Piece | Note]) -> list[Piece]:
    """The first piece; of a text that leads to a cell, with the first piece of that cell."""
    real = [piece for piece in pieces if isinstance(piece, Piece)]
    return real[: 2 if real[0].is_text and real[0].group else 1]


def _group_height(pieces: Sequence[Piece | Note], group: int) -> float:
    """Of the pieces at the beginning that belong to a group."""
    total = 0.0
    for piece in pieces:
        if isinstance(piece, Piece):
            if piece.group != group:
                break
            total += piece.height
    return total
