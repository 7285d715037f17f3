"""Display math that stands alone: from a line that starts with `$$` to one that ends with `$$`."""

from __future__ import annotations

import re

from d2lbook.model import Equation, Mark
from d2lbook.parse.inline import MARKS
from d2lbook.parse.prose import report_control
from d2lbook.parse.source import Source, unix_lines

_START = re.compile(r"(?P<mark>[\[(](?:\*\*|~~))?\$\$")
_END = re.compile(r"(?<!\\)\$\$(?P<mark>(?:\*\*|~~)[\])])?[ \t]*$")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def find_equation(source: Source, first: int, stop: int) -> int | None:
    """The line behind the equation that starts at line `first`; None when none does."""
    start = _START.match(source.lines[first])
    if start is None:
        return None
    for number in range(first, stop):
        line = source.lines[number]
        if source.blank(number):
            return None
        begin = start.end() if number == first else 0
        end = _END.search(line, begin)
        if end is not None:
            whole = "$$" not in line[begin : end.start()]
            return number + 1 if whole and end["mark"] == MARKS.get(start["mark"] or "") else None
        if "$$" in line[begin:]:
            return None
    return None


def read_equation(source: Source, first: int, stop: int) -> Equation:
    start, end = _START.match(source.lines[first]), _END.search(source.lines[stop - 1])
    if start is None or end is None:
        raise ValueError(f"line {first + 1} starts no equation")
    begin, finish = source.starts[first] + start.end(), source.starts[stop - 1] + end.start()
    raw = source.text[begin:finish]
    for match in _CONTROL.finditer(raw):
        if not (match[0] == "\r" and raw.startswith("\n", match.end())):
            report_control(source, begin + match.start(), match[0])
    tex = unix_lines(raw).strip()
    marks: tuple[Mark, ...] = ()
    if start["mark"]:
        span = source.span(begin - 5, finish + 5)
        marks = (Mark(start["mark"].startswith("["), start["mark"].endswith("~~"), f"$${unix_lines(raw)}$$", span),)
    return Equation(span=source.lines_span(first, stop), tex=tex, marks=marks)
