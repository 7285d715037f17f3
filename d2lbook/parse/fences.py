"""Fenced blocks: where they end, and which construct their first line names."""

from __future__ import annotations

import re
from dataclasses import dataclass

from d2lbook.model import Block, Listing, RawRst, StoredOutput
from d2lbook.parse.cells import read_cell
from d2lbook.parse.source import Source, unix_lines
from d2lbook.parse.toc import read_toc

_OPENER = re.compile(r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>.*?)[ \t]*$")
_BRACES = re.compile(r"\{(?P<inside>[^}]*)\}")
_OURS = ("toc", "eval_rst")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: the lines `first` to `stop - 1`, its two fences included."""

    first: int
    stop: int
    info: str
    closed: bool

    @property
    def body(self) -> tuple[int, int]:
        return self.first + 1, self.stop - 1 if self.closed else self.stop


def opens_fence(line: str) -> bool:
    return line[:3] in ("```", "~~~") and _OPENER.match(line) is not None


def find_fence(source: Source, first: int, stop: int) -> Fence:
    """The fenced block that line `first` opens, within the lines before `stop`."""
    match = _OPENER.match(source.lines[first])
    if match is None:
        raise ValueError(f"line {first + 1} opens no fence")
    fence, info = match["fence"], match["info"]
    for number in range(first + 1, stop):
        line = source.lines[number]
        if ends_fence(line, fence):
            closed = _closes(line, fence)
            return Fence(first, number + 1, info, True) if closed else _unclosed(source, first, number, info)
    while stop > first + 1 and source.blank(stop - 1):
        stop -= 1
    return _unclosed(source, first, stop, info)


def ends_fence(line: str, fence: str) -> bool:
    """Whether a block that `fence` opened ends at this line: it is closed, or another block of ours begins."""
    line = line.strip(" \t")
    return line.startswith(fence) and (_closes(line, fence) or _is_ours(line))


def _closes(line: str, fence: str) -> bool:
    return not line.strip(" \t").strip(fence[0])


def opens_cell(line: str) -> re.Match[str] | None:
    """The first line of a code cell: its `fence` and `info`."""
    match = _OPENER.match(line)
    classes = _classes(match["info"]) if match is not None else None
    return match if classes is not None and ".input" in classes else None


def _is_ours(line: str) -> bool:
    """Whether a line opens a fence that means something here: no listing holds one behind a fence as short as this."""
    match = _OPENER.match(line)
    return match is not None and (_classes(match["info"]) is not None or match["info"] in _OURS)


def _unclosed(source: Source, first: int, stop: int, info: str) -> Fence:
    rest = any(not source.blank(number) for number in range(stop, len(source)))
    until = f"the one in line {stop + 1}" if rest else "the end of the page"
    what = "this fence is not closed before" if info else "this fence opens a block that is not closed before"
    why = "" if info else "; a fence too many?"
    source.error(
        source.lines_span(first, first + 1),
        f"{what} {until}{why or '; add a line ``` behind the block'}",
        "fence-unclosed" if info else "fence-stray",
    )
    return Fence(first, stop, info, False)


def read_fence(source: Source, fence: Fence) -> Block:
    span = source.lines_span(fence.first, fence.stop)
    first, stop = fence.body
    classes = _classes(fence.info)
    if classes is not None and ".input" in classes:
        attributes = " ".join(word for word in classes if word not in {".python", ".input"})
        return read_cell(source, span, attributes, first, stop)
    if classes is not None:
        source.warning(span, "a stored output; remove it: outputs are frozen apart from the pages", "output-stored")
        return StoredOutput(span=span)
    if _is_off(fence.info):
        source.warning(
            source.lines_span(fence.first, fence.first + 1),
            "this cell is switched off, so nothing that is built has it; run: d2lbook activate all PAGE",
            "cell-inactive",
        )
    if fence.info == "toc":
        return read_toc(source, span, first, stop)
    text = unix_lines(source.raw(first, stop))
    if fence.info == "eval_rst":
        return RawRst(span=span, text=text)
    return Listing(span=span, info=fence.info, text=text)


def _classes(info: str) -> list[str] | None:
    """The words in the braces of a cell's or a stored output's first line; None for any other fence."""
    braces = _BRACES.match(info)
    words = braces["inside"].split() if braces else []
    is_cell = ".python" in words and ".input" in words
    return words if is_cell or ".output" in words else None


def _is_off(info: str) -> bool:
    """Whether `activate` switched a cell off."""
    braces = _BRACES.match(info)
    return braces is not None and {".python", ".inactive"} <= set(braces["inside"].split())
