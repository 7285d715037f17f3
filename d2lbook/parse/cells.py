"""Code cells: their marks, and the cell that chooses a tab in live Jupyter."""

from __future__ import annotations

import re

from d2lbook.model import Cell, Span
from d2lbook.parse.source import Source, unix_lines

TAB_MARK = re.compile(r"[ \t]*(?:#[ \t]*@tab|%%tab)\b[ \t]*(?P<names>[\w\-, \t]*)", re.IGNORECASE)
_INTERACT = re.compile(r"^[ \t]*%load_ext[ \t]+d2lbook\.tab\b", re.MULTILINE)
_SELECT = re.compile(r"interact_select\(([^)]*)\)")
_REQUIRED = re.compile(r"#[ \t]*@?required_libs\(([^)]*)\)")
_QUOTED = re.compile(r"""["']([^"']+)["']""")


def read_cell(source: Source, span: Span, attributes: str, first: int, stop: int) -> Cell:
    """The cell whose code is the lines `first` to `stop - 1`."""
    code = unix_lines(source.raw(first, stop))
    if "\r" in code:
        _report_returns(source, first, stop)
        code = code.replace("\r", " ")
    tabs, tab_span = _tab_mark(source, first, stop)
    interact = _INTERACT.search(code) is not None
    return Cell(
        span=span,
        attributes=attributes,
        source=code,
        code_line=first + 1,
        tabs=tabs,
        tab_span=tab_span,
        interact=interact,
        interact_tabs=_names(_SELECT, code) if interact else (),
        required_libs=_names(_REQUIRED, code) if interact else (),
    )


def _report_returns(source: Source, first: int, stop: int) -> None:
    """Reports carriage returns inside lines: to Python they end a line, which no editor and no message counts."""
    for number in range(first, stop):
        for match in re.finditer("\r", source.lines[number]):
            start = source.starts[number] + match.start()
            what = "control character U+000D ends a line for Python alone; make it a line end, or write '\\r'"
            source.error(source.span(start, start + 1), what, "control-character")


def _names(pattern: re.Pattern[str], code: str) -> tuple[str, ...]:
    return tuple(name for call in pattern.finditer(code) for name in _QUOTED.findall(call[1]))


def _tab_mark(source: Source, first: int, stop: int) -> tuple[tuple[str, ...] | None, Span | None]:
    marks = [
        (number, match)
        for number in range(first, stop)
        if "tab" in source.lines[number].lower() and (match := TAB_MARK.match(source.lines[number]))
    ]
    if not marks:
        return None, None
    number, match = marks[0]
    start = source.starts[number]
    names = split_tabs(match["names"])
    span = source.span(start + match.start("names"), start + match.start("names") + len(match["names"].rstrip()))
    if not names:
        source.error(source.span(start, source.end(number)), "the tab mark names no framework; add them", "tab-empty")
        return None, None
    if any(not source.blank(line) for line in range(first, number)):
        source.warning(span, "the tab mark is not the cell's first line; move it up", "tab-late")
    for other, _ in marks[1:]:
        source.warning(source.lines_span(other, other + 1), "a second tab mark; the first one counts", "tab-twice")
    return names, span


def split_tabs(names: str) -> tuple[str, ...]:
    """Names as written in a mark, lower case, each once."""
    return tuple(dict.fromkeys(name.strip().lower() for name in names.split(",") if name.strip()))
