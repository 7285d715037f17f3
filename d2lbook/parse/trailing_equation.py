"""Display math at the end of a paragraph, such as `it follows that $$a = b$$`, as a block of its own."""

from __future__ import annotations

from dataclasses import replace

from d2lbook.model import Block, Equation, Mark, Prose
from d2lbook.parse.inline import InlineToken, inline_tokens
from d2lbook.parse.source import Source, unix_lines


def split_off_equation(source: Source, prose: Prose) -> list[Block]:
    """The paragraph without the equation that ends it, if anything is left, and the equation; else the paragraph.

    A slide mark around both goes to each of them.
    """
    base = prose.span.start
    text = source.text[base : prose.span.end].rstrip()
    mark = next((mark for mark in prose.marks if mark.span.end == base + len(text)), None)
    display = _last_display(text, len(text) - 3 if mark is not None else len(text))
    if display is None:
        return [prose]
    tex = unix_lines(text[display.start + 2 : display.end - 2]).strip()
    head = text[: display.start].rstrip()
    if mark is not None and mark.span.start - base + 3 >= len(head):  # the mark holds the equation alone
        head = text[: mark.span.start - base].rstrip()
        return [*_head(prose, head, None), Equation(span=mark.span, tex=tex, marks=(mark,))]
    span = source.span(base + display.start, base + len(text))
    marks = (replace(mark, text=unix_lines(text[display.start : display.end]), span=span),) if mark is not None else ()
    return [*_head(prose, head, mark), Equation(span=span, tex=tex, marks=marks)]


def _last_display(text: str, end: int) -> InlineToken | None:
    return next((piece for piece in inline_tokens(text) if piece.kind == "display" and piece.end == end), None)


def _head(prose: Prose, head: str, mark: Mark | None) -> list[Block]:
    """The paragraph's beginning; of the mark that began in it, its part."""
    if not head.strip():
        return []
    end = prose.span.start + len(head)
    marks = tuple(other for other in prose.marks if other.span.end <= end)
    text = head
    if mark is not None:
        opener = mark.span.start - prose.span.start
        text = head[:opener] + head[opener + 3 :]
        marks += (replace(mark, text=unix_lines(head[opener + 3 :]), span=replace(mark.span, end=end)),)
    roles = tuple(role for role in prose.roles if role.span.end <= end)
    return [replace(prose, text=unix_lines(text), span=replace(prose.span, end=end), roles=roles, marks=marks)]
