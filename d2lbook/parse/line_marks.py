"""Marks on lines of their own: labels, a figure's marks, bibliography, library; begin and end of tabs and solutions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from d2lbook.model import Span
from d2lbook.parse.source import Source, unix_lines

_LINE = re.compile(r"(?:[ \t]*:(?:label|eqlabel|width|height|alt|interactive|bibliography|library):`[^`]*`)+[ \t]*$")
_ONE = re.compile(r":(\w+):`([^`]*)`")
_CONTAINER = re.compile(r":(?P<end>begin|end)_(?P<kind>tab|solution):(?P<rest>.*)$")
_CAPTION = re.compile(r":(?![\w./\\-]+:(?:`|$))[ \t]*(?P<text>\S.*)$")


@dataclass(frozen=True, slots=True)
class Alone:
    """One mark, such as `:label:`x``."""

    kind: str
    text: str
    span: Span


def read_alone(source: Source, number: int) -> list[Alone]:
    """The marks of a line that holds nothing else; none for any other line."""
    line = source.lines[number]
    if not line.startswith(":") or not _LINE.match(line):
        return []
    start = source.starts[number]
    return [
        Alone(match[1], match[2].strip(), source.span(start + match.start(), start + match.end()))
        for match in _ONE.finditer(line)
    ]


@dataclass(frozen=True, slots=True)
class ContainerMark:
    """`:begin_tab:`…``, `:end_tab:`, `:begin_solution:` or `:end_solution:`."""

    kind: str  # "tab" or "solution"
    begins: bool
    rest: str  # what follows on the line
    rest_start: int  # its column, 0-based


def container_mark(line: str) -> ContainerMark | None:
    match = _CONTAINER.match(line) if "_" in line[:10] else None
    if match is None or (match["kind"] == "solution" and match["rest"].strip()):
        return None
    return ContainerMark(match["kind"], match["end"] == "begin", match["rest"].strip(), match.start("rest"))


def find_caption(source: Source, number: int, stop: int) -> tuple[int, int] | None:
    """For the line `: caption` before a table: the line behind the caption, and the table's first line."""
    if not _CAPTION.match(source.lines[number]):
        return None
    end = number + 1
    while end < stop and not source.blank(end) and not source.lines[end].startswith("|"):
        if end - number >= 20:  # a caption is short; a long paragraph that starts with ":" is prose
            return None
        end += 1
    table = end
    while table < stop and source.blank(table):
        table += 1
    if table < stop and source.lines[table].startswith("|"):
        return end, table
    return None


def caption_text(source: Source, first: int, stop: int) -> tuple[str, int, int]:
    """The caption's text and the offsets where it starts and ends."""
    start = source.starts[first] + 1
    raw = source.text[start : source.end(stop - 1)]
    text = raw.strip()
    start += raw.index(text)
    return unix_lines(text), start, start + len(text)
