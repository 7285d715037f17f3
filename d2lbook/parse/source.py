"""A page's text as lines, and the way back from lines to exact places in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from d2lbook.diagnostics import Messages
from d2lbook.model import Span

BYTE_ORDER_MARK = "\ufeff"
_LINE_END = re.compile(r"\r?\n")


@dataclass(slots=True)
class Source:
    """Lines without their ends; a byte-order mark belongs to no line. Line numbers in here are 0-based."""

    path: str
    text: str
    messages: Messages
    lines: list[str] = field(init=False, repr=False)
    starts: list[int] = field(init=False, repr=False)  # offset of each line in `text`

    def __post_init__(self) -> None:
        first = len(BYTE_ORDER_MARK) if self.text.startswith(BYTE_ORDER_MARK) else 0
        self.lines, self.starts = [], [first]
        for end in _LINE_END.finditer(self.text, first):
            self.lines.append(self.text[self.starts[-1] : end.start()])
            self.starts.append(end.end())
        self.lines.append(self.text[self.starts[-1] :])

    def __len__(self) -> int:
        return len(self.lines)

    def blank(self, number: int) -> bool:
        return not self.lines[number].strip()

    def end(self, number: int) -> int:
        """Offset behind the last character of a line, before its line end."""
        return self.starts[number] + len(self.lines[number])

    def raw(self, first: int, stop: int) -> str:
        """The text of lines `first` to `stop - 1`, line ends between them as they are."""
        return self.text[self.starts[first] : self.end(stop - 1)] if stop > first else ""

    def joined(self, first: int, stop: int) -> str:
        """The text of lines `first` to `stop - 1`, joined by "\\n"."""
        return "\n".join(self.lines[first:stop])

    def lines_span(self, first: int, stop: int) -> Span:
        """Lines `first` to `stop - 1`, without the last one's line end."""
        return Span(self.starts[first], self.end(stop - 1), first + 1, 1)

    def span(self, start: int, end: int) -> Span:
        """The place of two offsets into the text."""
        line = max(bisect_right(self.starts, start) - 1, 0)
        return Span(start, end, line + 1, start - self.starts[line] + 1)

    def error(self, span: Span, text: str, code: str) -> None:
        self.messages.error(self.path, span.line, span.column, text, code)

    def warning(self, span: Span, text: str, code: str) -> None:
        self.messages.warning(self.path, span.line, span.column, text, code)


def unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n")
