"""Slide marks that begin in one paragraph and end in a later one: each block between gets its part of the mark."""

from __future__ import annotations

from dataclasses import replace

from d2lbook.model import Block, Equation, Mark, Prose
from d2lbook.parse.inline import MARKS
from d2lbook.parse.prose import LoneEnd, report_lone_mark
from d2lbook.parse.source import Source


def join_marks(source: Source, blocks: list[Block], lone: list[tuple[int, LoneEnd]]) -> None:
    """Pairs the ends of marks in different blocks, and takes them out of the texts; reports ends without a partner."""
    opener: tuple[int, LoneEnd] | None = None
    for position, end in lone:
        if end.token in MARKS:
            if opener is not None:
                report_lone_mark(source, opener[1])
            opener = position, end
        elif opener is not None and MARKS[opener[1].token] == end.token and _markable(blocks[opener[0] : position + 1]):
            _join(source, blocks, opener, (position, end))
            opener = None
        else:
            report_lone_mark(source, end)
    if opener is not None:
        report_lone_mark(source, opener[1])


def _markable(blocks: list[Block]) -> bool:
    return len(blocks) > 1 and all(isinstance(block, Prose | Equation) for block in blocks)


def _join(source: Source, blocks: list[Block], first: tuple[int, LoneEnd], last: tuple[int, LoneEnd]) -> None:
    (first_position, opener), (last_position, closer) = first, last
    for position in range(first_position, last_position + 1):
        block = blocks[position]
        start = opener.start if position == first_position else block.span.start
        end = closer.end if position == last_position else block.span.end
        if not isinstance(block, Prose | Equation):
            continue
        text = _prose_text(block, position == first_position, position == last_position, opener, closer)
        inner = source.text[start:end].removeprefix(opener.token).removesuffix(closer.token)
        mark = Mark(
            opener.token[0] == "[", opener.token[1] == "~", inner.replace("\r\n", "\n"), source.span(start, end)
        )
        marked = replace(block, marks=(*block.marks, mark))
        blocks[position] = replace(marked, text=text) if isinstance(marked, Prose) else marked


def _prose_text(block: Prose | Equation, is_first: bool, is_last: bool, opener: LoneEnd, closer: LoneEnd) -> str:
    """The block's text without the end of the mark that it holds."""
    if not isinstance(block, Prose):
        return ""
    text = block.text
    if opener.token[1] == "~":
        before = text[: text.rfind(opener.token)] if is_first else ""
        after = text[text.find(closer.token) + len(closer.token) :] if is_last else ""
        return (before + after).strip()
    if is_first:
        head, _, tail = text.rpartition(opener.token)
        text = head + tail
    return text.replace(closer.token, "", 1) if is_last else text
