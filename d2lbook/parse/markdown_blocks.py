"""Splits a stretch of plain Markdown into its top-level blocks, with markdown-it's block rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from d2lbook.parse.markdown import DEEPEST, new_block_markdown

_HTML = re.compile(r"^ {0,3}<", re.MULTILINE)
_BLANK_LINES = re.compile(r"(\n(?:[ \t]*\n)+)")
# Lines that each start with a letter, without "|": neither table, list, heading nor anything else but a paragraph.
_PLAIN = re.compile(r"[^\W\d_][^\n|]*(?:\n[^\W\d_][^\n|]*)*+")


_DEFINES = re.compile(r" {0,3}[:~][ \t]")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """Lines `first` to `stop - 1` of the stretch."""

    kind: str  # "heading", "paragraph", "table", "fence", "footnote", "other"
    first: int
    stop: int
    level: int = 0  # of a heading
    content: str = ""  # of a heading or an indented fence; the name of a footnote
    info: str = ""  # of an indented fence
    too_deep: bool = False  # holds blocks that stand in so many others that no renderer shows them


@lru_cache(maxsize=1)
def _splitter() -> MarkdownIt:
    return new_block_markdown().disable("reference")


def split_markdown(text: str) -> Iterator[MarkdownBlock]:
    """The blocks of a stretch. Plain paragraphs, which are most of a book, are found without markdown-it."""
    if _HTML.search(text):  # may hold blank lines
        yield from _split(text, 0)
        return
    first, rest = 0, list[str]()
    chunks = _BLANK_LINES.split(text)
    for number, chunk in enumerate(chunks):
        lines = chunk.count("\n")
        defined = number + 2 < len(chunks) and _DEFINES.match(chunks[number + 2]) is not None  # the term before it
        if chunk.strip() and not defined and _PLAIN.fullmatch(chunk.rstrip("\n")):
            yield from _split("".join(rest), first - "".join(rest).count("\n"))
            rest = []
            yield MarkdownBlock("paragraph", first, first + chunk.rstrip("\n").count("\n") + 1)
        else:
            rest.append(chunk)
        first += lines
    yield from _split("".join(rest), first - "".join(rest).count("\n"))


def _split(text: str, base: int) -> Iterator[MarkdownBlock]:
    if not text.strip():
        return
    tokens = _splitter().parse(text.replace("\r", " "))
    for position, token in enumerate(tokens):
        if token.level == 0 and token.map is not None and token.nesting >= 0:
            block = _block(token, tokens[position + 1] if token.type == "heading_open" else None, base)
            yield replace(block, too_deep=True) if _is_cut(tokens, position) else block


def _is_cut(tokens: list[Token], position: int) -> bool:
    """Whether markdown-it left out what stands in too many other blocks inside the one that begins here."""
    if tokens[position].nesting == 0:
        return False
    behind = (tokens[number] for number in range(position + 1, len(tokens)))  # a slice would be as long as the page
    inside = takewhile(lambda token: token.level > 0, behind)
    return any(token.nesting == 1 and token.level + 1 >= DEEPEST for token in inside)


def _block(token: Token, title: Token | None, base: int) -> MarkdownBlock:
    first, stop = (base + line for line in token.map or (0, 0))
    if title is not None:
        return MarkdownBlock("heading", first, stop, int(token.tag[1]), title.content)
    if token.type == "fence":
        return MarkdownBlock("fence", first, stop, content=token.content, info=token.info.strip())
    if token.type == "footnote_reference_open":
        return MarkdownBlock("footnote", first, stop, content=token.meta["label"])
    kind = {"paragraph_open": "paragraph", "table_open": "table"}.get(token.type, "other")
    return MarkdownBlock(kind, first, stop)
