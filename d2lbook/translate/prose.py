"""Units of Markdown: where in a block's source its paragraphs, list items, quotations and table cells stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from d2lbook.parse.markdown import block_markdown

_CELL_END = re.compile(r"(?<!\\)\|")
_TABLE_RULE = re.compile(r"[\s|:-]*")
_KINDS = {
    "list_item": "list item",
    "blockquote": "quotation",
    "alert": "callout",
    "footnote_reference": "footnote",
    "dt": "term",
    "dd": "definition",
    "table": "table",
}
_PLAIN = re.compile(r"[^\W\d_][^\n|]*(?:\n[^\W\d_][^\n|]*)*")


@dataclass(frozen=True, slots=True)
class ProseSpan:
    """A stretch of a block's source that holds inline Markdown."""

    start: int
    end: int
    kind: str
    prefix: str = ""


def prose_spans(source: str) -> Iterator[ProseSpan]:
    """The paragraphs, headings, list items and table cells of a block's source."""
    if _PLAIN.fullmatch(source):
        yield ProseSpan(0, len(source), "paragraph")
        return
    lines, starts = _lines(source)
    kinds: list[str] = []
    tokens = block_markdown().parse("\n".join(lines).replace("\r", " "))
    for number, token in enumerate(tokens):
        _track(token, kinds)
        if token.type == "table_open":
            yield from table_cells(lines, starts, *(token.map or (0, 0)))
        elif token.type == "inline" and token.map is not None and "table" not in kinds:
            kind = "title" if tokens[number - 1].type == "heading_open" else (kinds[-1] if kinds else "paragraph")
            yield _piece(lines, starts, token, kind)


def _lines(source: str) -> tuple[list[str], list[int]]:
    lines, starts, position = [], [], 0
    for line in source.split("\n"):
        lines.append(line.removesuffix("\r"))
        starts.append(position)
        position += len(line) + 1
    return lines, starts


def _track(token: Token, kinds: list[str]) -> None:
    kind = _KINDS.get(token.type.rpartition("_")[0])
    if kind is not None and token.nesting == 1:
        kinds.append(kind)
    elif kind is not None and token.nesting == -1:
        kinds.pop()


def _piece(lines: list[str], starts: list[int], token: Token, kind: str) -> ProseSpan:
    """The place of an inline token: markdown-it knows its lines, and its text is what ends each of them."""
    first, stop = token.map or (0, 0)
    words = token.content.split("\n")
    column = lines[first].rfind(words[0])
    last = first + len(words) - 1
    end = lines[last].rfind(words[-1].strip()) + len(words[-1].strip())
    before = lines[first][:column]
    prefix = re.sub(r"[^>\s]", " ", before) if stop > first else ""
    return ProseSpan(starts[first] + column, starts[last] + end, kind, prefix)


def table_cells(lines: list[str], starts: list[int], first: int, stop: int) -> Iterator[ProseSpan]:
    """The cells of a pipe table's lines, without those that hold nothing."""
    for number in range(first, stop):
        line = lines[number]
        if number == first + 1 and _TABLE_RULE.fullmatch(line):
            continue
        position = 0
        for end in (*(found.start() for found in _CELL_END.finditer(line)), len(line)):
            text = line[position:end].strip()
            if text:
                start = starts[number] + line.index(text, position)
                yield ProseSpan(start, start + len(text), "table cell")
            position = end + 1
