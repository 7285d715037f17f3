"""The formulas of a page, to be typeset before the page is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from d2lbook.model import Document, Equation, Figure, Heading, Prose, Table
from d2lbook.parse import markdown

_MATH = {"math_inline": False, "math_inline_double": True, "math_block": True}
_parser = markdown()


@dataclass(frozen=True, slots=True)
class Formula:
    tex: str
    display: bool
    line: int  # 1-based line of the block that holds it


def formulas_of(document: Document) -> Iterator[Formula]:
    for block in document.walk():
        match block:
            case Equation():
                yield Formula(block.tex.strip(), True, block.span.line)
            case Prose():
                yield from _in_text(block.text, block.span.line)
            case Heading():
                yield from _in_text(block.title, block.span.line)
            case Table():
                yield from _in_text(block.text, block.span.line)
                yield from _in_text(block.caption, block.span.line)
            case Figure():
                yield from _in_text(block.caption, block.span.line)


def _in_text(text: str, line: int) -> Iterator[Formula]:
    if "$" in text:
        yield from _in_tokens(_parser.parse(text.replace("\r\n", "\n")), line)


def _in_tokens(tokens: list[Token], line: int) -> Iterator[Formula]:
    for token in tokens:
        if token.type in _MATH:
            yield Formula(token.content.strip(), _MATH[token.type], line + (token.map[0] if token.map else 0))
        elif token.children:
            yield from _in_tokens(token.children, line + (token.map[0] if token.map else 0))
