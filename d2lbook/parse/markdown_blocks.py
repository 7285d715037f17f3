"""Splits a stretch of plain Markdown into its top-level blocks, with markdown-it's block rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """Lines `first` to `stop - 1` of the stretch."""

    kind: str  # "heading", "paragraph", "table", "fence", "other"
    first: int
    stop: int
    level: int = 0  # of a heading
    content: str = ""  # of a heading or an indented fence
    info: str = ""  # of an indented fence


@lru_cache(maxsize=1)
def _splitter() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table")
    parser.disable(["inline", "text_join", "reference"], True)
    return parser


def split_markdown(text: str) -> Iterator[MarkdownBlock]:
    tokens = _splitter().parse(text.replace("\r", " "))
    for position, token in enumerate(tokens):
        if token.level == 0 and token.map is not None and token.nesting >= 0:
            yield _block(token, tokens[position + 1] if token.type == "heading_open" else None)


def _block(token: Token, title: Token | None) -> MarkdownBlock:
    first, stop = token.map or (0, 0)
    if title is not None:
        return MarkdownBlock("heading", first, stop, int(token.tag[1]), title.content)
    if token.type == "fence":
        return MarkdownBlock("fence", first, stop, content=token.content, info=token.info.strip())
    kind = {"paragraph_open": "paragraph", "table_open": "table"}.get(token.type, "other")
    return MarkdownBlock(kind, first, stop)
