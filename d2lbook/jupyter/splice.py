"""Puts the cells of a notebook back into their page, so that only the lines of a cell that was changed change.

A notebook knows of no blank lines between cells, line ends or byte-order mark: these are taken from the page on the
disk, whose parts are matched with the notebook's by what they say. What has no match stands between blank lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from d2lbook.jupyter.pieces import CODE, FENCE, NotebookCell, PageLines, Place
from d2lbook.parse.fences import ends_fence, opens_cell
from d2lbook.parse.source import BYTE_ORDER_MARK, Source

_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")


def spliced(page: PageLines, pieces: Sequence[NotebookCell]) -> str:
    """The page's text with these pieces instead of its own. A piece without text is left out, unless it was there."""
    source = page.source
    lines = _Splice(source, _paragraphs_of(page), [part for piece in pieces for part in _parts(piece)]).lines()
    start = BYTE_ORDER_MARK if source.text.startswith(BYTE_ORDER_MARK) else ""
    return start + _with_ends(source, lines or [""])


@dataclass(frozen=True, slots=True)
class _Part:
    """A code cell, or lines of prose without a blank one: what is matched is finer than cells, which may be joined."""

    piece: NotebookCell
    before: list[str] | None = None  # the blank lines before it; None where its cell begins

    @property
    def kind(self) -> str:
        return self.piece.kind


def _parts(piece: NotebookCell) -> Iterator[_Part]:
    if piece.kind == CODE:
        yield _Part(piece)
        return
    lines = piece.source.split("\n")
    done: int | None = None
    for first, stop in _paragraphs(lines):
        yield _Part(NotebookCell(piece.kind, "\n".join(lines[first:stop])), None if done is None else lines[done:first])
        done = stop


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First line and end of each run of lines that are not blank."""
    edges = [number for number in range(len(lines) + 1) if _filled(lines, number) != _filled(lines, number - 1)]
    return zip(edges[::2], edges[1::2], strict=True)


def _filled(lines: Sequence[str], number: int) -> bool:
    return 0 <= number < len(lines) and bool(lines[number].strip())


def _paragraphs_of(page: PageLines) -> list[Place]:
    places: list[Place] = []
    for place in page.places:
        if place.piece.kind == CODE:
            places.append(place)
            continue
        lines = page.source.lines[place.first : place.stop]
        for first, stop in _paragraphs(lines):
            piece = NotebookCell(place.piece.kind, "\n".join(lines[first:stop]))
            places.append(Place(piece, place.first + first, place.first + stop))
    return places


@dataclass(slots=True)
class _Splice:
    source: Source
    old: list[Place]
    new: list[_Part]
    same: dict[int, int] = field(default_factory=dict)  # positions in `new` and `old` of what did not change
    instead: dict[int, int] = field(default_factory=dict)  # the same, and of what stands in another's place

    def __post_init__(self) -> None:
        self._match()
        written = [part for number, part in enumerate(self.new) if part.piece.source.strip() or number in self.same]
        if len(written) < len(self.new):
            self.new = written
            self._match()

    def _match(self) -> None:
        pieces = [place.piece for place in self.old], [part.piece for part in self.new]
        self.same, self.instead = {}, {}
        for operation, first, stop, new_first, new_stop in SequenceMatcher(None, *pieces, autojunk=False).get_opcodes():
            pairs = list(zip(range(new_first, new_stop), range(first, stop), strict=False))
            if operation == "equal":
                self.same.update(pairs)
            if operation in ("equal", "replace"):
                self.instead.update(pairs)

    def lines(self) -> list[str]:
        """The page's new lines, the last one without an end."""
        if not self.old and not self.new:
            return self.source.lines
        lines = self.source.lines[: self.old[0].first] if self.old else []
        for number in range(len(self.new)):
            lines += [*(self._between(number) if number else []), *self._lines(number)]
        return lines + (self.source.lines[self.old[-1].stop :] if self.old else [""])

    def _lines(self, number: int) -> list[str]:
        """The lines of a part, those on the disk where it did not change."""
        piece = self.new[number].piece
        if number in self.same:
            place = self.old[self.same[number]]
            if place.closed or self._stays_before_the_next(number):
                return self.source.lines[place.first : place.stop]
        return _fenced(piece) if piece.kind == CODE else piece.source.split("\n")

    def _stays_before_the_next(self, number: int) -> bool:
        last = self.same[number] + 1 == len(self.old)
        return last if number + 1 == len(self.new) else self._stays_behind_the_last(number + 1)

    def _stays_behind_the_last(self, number: int) -> bool:
        return number in self.same and self.same.get(number - 1) == self.same[number] - 1

    def _between(self, number: int) -> list[str]:
        """The blank lines between a part and the one before it."""
        last, here = self.new[number - 1], self.new[number]
        if here.before is not None:
            return here.before
        blank = self._as_on_the_disk(number)
        if blank or CODE in (last.kind, here.kind) or _HEADING.match(here.piece.source):
            return blank
        return blank if self._stays_behind_the_last(number) else [""]  # else two paragraphs would be one

    def _as_on_the_disk(self, number: int) -> list[str]:
        """The blank lines between two parts like these, else one."""
        last, here = self.instead.get(number - 1), self.instead.get(number)
        if here and (last == here - 1 or self.new[number - 1].kind == self.old[here - 1].piece.kind):
            return self._gap(here)
        after = len(self.old) if last is None else last + 1
        if after < len(self.old) and self.new[number].kind == self.old[after].piece.kind:
            return self._gap(after)
        return [""]

    def _gap(self, old: int) -> list[str]:
        return self.source.lines[self.old[old - 1].stop : self.old[old].first]


def _fenced(piece: NotebookCell) -> list[str]:
    """A code cell's lines; its fence is made long enough for what it holds."""
    opener = opens_cell(piece.fence) or opens_cell(FENCE)
    if opener is None:
        raise ValueError(f"{FENCE} opens no cell")
    body = piece.source.split("\n") if piece.source else []
    fence = opener["fence"]
    while any(ends_fence(line, fence) for line in body):
        fence += fence[0]
    return [fence + opener.string[len(opener["fence"]) :], *body, fence]


def _with_ends(source: Source, lines: list[str]) -> str:
    """Lines with the ends that they have in the page; a new line's is the page's usual one."""
    ends = [source.text[source.end(number) : source.starts[number + 1]] for number in range(len(source) - 1)]
    usual = Counter(ends).most_common(1)[0][0] if ends else "\n"
    chosen = [usual] * (len(lines) - 1)
    if len(set(ends)) > 1:
        for old, new, size in SequenceMatcher(None, source.lines, lines, autojunk=False).get_matching_blocks():
            for step in range(min(size, len(ends) - old, len(chosen) - new)):
                chosen[new + step] = ends[old + step]
    return "".join(line + end for line, end in zip(lines, [*chosen, ""], strict=True))
