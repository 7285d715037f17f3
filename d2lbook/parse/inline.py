"""What stands inside a line of prose: roles, slide marks, code, math. One pass, linear in the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# The closer of each slide mark's opener.
MARKS = {"[**": "**]", "(**": "**)", "[~~": "~~]", "(~~": "~~)"}
ROLE = re.compile(r":([A-Za-z][\w./\\-]*):`([^`]*)`")
# As Pandoc reads it: no space inside the dollars, no digit behind them.
INLINE_MATH = re.compile(r"\$(?![\s$])(?:[^$\\]|\\.)*+(?<!\s)\$(?!\d)", re.DOTALL)
DISPLAY_MATH = re.compile(r"\$\$(?:[^$\\]|\\.|\$(?!\$))++\$\$", re.DOTALL)
_BACKTICKS = re.compile("`+")
_TOKEN = re.compile(
    r"(?P<escape>\\[\s\S])|(?P<role>:[A-Za-z][\w./\\-]*:`[^`]*`)|(?P<code>`+)"
    r"|(?P<mark>[\[(](?:\*\*|~~)|(?:\*\*|~~)[\])])|(?P<math>\$\$?)"
)


@dataclass(frozen=True, slots=True)
class InlineToken:
    """A stretch of prose with a meaning of its own."""

    kind: str  # "role", "code", "math", "display", "mark" (an opener or a closer), "unclosed" (a lone "$$")
    start: int
    end: int


@lru_cache(maxsize=20_000)  # whoever checks a text asks several times
def inline_tokens(text: str) -> tuple[InlineToken, ...]:
    """The roles, code spans, math and marks' ends of a block's text, in order, not overlapping."""
    return tuple(_tokens(text)) if _TOKEN.search(text) is not None else ()


def _tokens(text: str) -> Iterator[InlineToken]:
    runs = _backtick_runs(text)
    position = 0
    while found := _TOKEN.search(text, position):
        kind = found.lastgroup or ""
        start, position = found.span()
        if kind == "code":
            end = _code_end(runs, start, position)
            if end is not None:
                yield InlineToken("code", start, end)
                position = end
        elif kind == "math":
            math = (DISPLAY_MATH if found[0] == "$$" else INLINE_MATH).match(text, start)
            if math is not None:
                yield InlineToken("display" if found[0] == "$$" else "math", start, math.end())
                position = math.end()
            elif found[0] == "$$":
                yield InlineToken("unclosed", start, position)
        elif kind != "escape":
            yield InlineToken(kind, start, position)


def outside(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Where a pattern is found outside code, formulas and roles."""
    if pattern.search(text) is None:
        return
    taken = [(piece.start, piece.end) for piece in inline_tokens(text) if piece.kind != "mark"]
    starts = [start for start, _ in taken]
    for found in pattern.finditer(text):
        before = bisect_right(starts, found.start()) - 1
        if before < 0 or found.start() >= taken[before][1]:
            yield found


@lru_cache(maxsize=20_000)
def without_tokens(text: str, instead: str, marks: bool = False) -> str:
    """A text with something else in place of its code, formulas and roles; with `marks` also of slide marks' ends."""
    parts: list[str] = []
    position = 0
    for piece in inline_tokens(text):
        if marks or piece.kind != "mark":
            parts.append(text[position : piece.start])
            position = piece.end
    return instead.join([*parts, text[position:]])


def _backtick_runs(text: str) -> dict[int, list[int]]:
    """Where runs of backquotes start, by their length."""
    runs: dict[int, list[int]] = {}
    for run in _BACKTICKS.finditer(text):
        runs.setdefault(len(run[0]), []).append(run.start())
    return runs


def _code_end(runs: dict[int, list[int]], start: int, end: int) -> int | None:
    """Behind the run of backquotes that closes the code opened by the one at `start`."""
    length = end - start
    same = runs.get(length, [])
    following = bisect_right(same, start)
    return same[following] + length if following < len(same) else None


@dataclass(frozen=True, slots=True)
class MarkRange:
    """A slide mark in a text: its opener, and where it and its inner text lie."""

    opener: str
    start: int
    end: int

    @property
    def inner(self) -> tuple[int, int]:
        return self.start + 3, self.end - 3


def pair_marks(text: str, ends: list[InlineToken]) -> tuple[list[MarkRange], list[InlineToken]]:
    """Marks from their openers and closers, and those of them that have no partner. Marks do not nest."""
    marks: list[MarkRange] = []
    lone: list[InlineToken] = []
    opener: InlineToken | None = None
    for piece in ends:
        token = text[piece.start : piece.end]
        if token in MARKS:
            if opener is not None:
                lone.append(opener)
            opener = piece
        elif opener is not None and MARKS[text[opener.start : opener.end]] == token:
            # `[**bold**](address)` is a link, `(**bold** …) … (… **bold**)` two pairs of parentheses.
            is_link = token.endswith("]") and text.startswith("(", piece.end)
            if not is_link and not _leaves_brackets(text[opener.start : piece.end]):
                marks.append(MarkRange(text[opener.start : opener.end], opener.start, piece.end))
            opener = None
        else:
            lone.append(piece)
    if opener is not None:
        lone.append(opener)
    return marks, [piece for piece in lone if not _belongs_to_bold(text, piece)]


def _leaves_brackets(mark: str) -> bool:
    """Whether what looks like a mark holds bold text, and its first bracket is closed before its end."""
    if mark[1:3] not in mark[3:-3]:
        return False
    depth = 0
    for character in mark[:-1]:
        depth += (character == mark[0]) - (character == mark[-1])
        if depth == 0:
            return True
    return False


def _belongs_to_bold(text: str, end: InlineToken) -> bool:
    """Whether the asterisks (or tildes) of a lone end are plain Markdown's: `(**bold** text)`, `(text **bold**)`."""
    token = text[end.start : end.end]
    if token not in MARKS:
        return text.count(token[:2], 0, end.start) % 2 == 1
    other = text.find(token[1:], end.end)
    return other >= 0 and text[other + 2 : other + 3] not in {"]", ")"}


@lru_cache(maxsize=4)
def mark_ends(text: str) -> dict[int, int]:
    """Where each slide mark of a text starts and ends."""
    marks, _ = pair_marks(text, [piece for piece in inline_tokens(text) if piece.kind == "mark"])
    return {mark.start: mark.end for mark in marks}
