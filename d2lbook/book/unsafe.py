"""What pages and figures hold that no format shows, since it would run, load from elsewhere or cover the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token

from d2lbook.book.assets import EXTERNAL, IMAGE, assets_of
from d2lbook.diagnostics import BookError, Messages
from d2lbook.files import read_text
from d2lbook.model import Block, Book, Document, Figure, Heading, Prose, Table
from d2lbook.parse import raw_markdown
from d2lbook.security.inside import book_file
from d2lbook.security.markup import clean_tags
from d2lbook.security.svg import clean_svg

_MARKUP = re.compile(r"<[A-Za-z/!?]")
WIDTH = re.compile(r"\s*\d+(?:\.\d*)?\s*(?:px|pt|pc|cm|mm|in|em|rem|ex|%)?\s*")


def check_safety(book: Book, messages: Messages) -> None:
    """Reports it, each at its place."""
    for page in book.pages:
        for block in page.document.walk():
            _check_markup(page.document, block, messages)
            _check_drawings(book, page.document, block, messages)
            if isinstance(block, Figure):
                _check_sizes(page.document, block, messages)


def _check_markup(document: Document, block: Block, messages: Messages) -> None:
    for text in _texts(block):
        if not _MARKUP.search(text):
            continue
        for token in _tokens(text):
            for what in clean_tags(token)[1]:
                first = token.strip().split("\n")[0]
                start = document.text.find(first, block.span.start, block.span.end)
                before = document.text[: max(start, block.span.start)]
                line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
                text = f"{what} is not shown in a book that others may change; write it in Markdown, or leave it out"
                messages.error(document.path, line, column, text, "html-unsafe")


def _check_drawings(book: Book, document: Document, block: Block, messages: Messages) -> None:
    for asset in assets_of((block,)):
        if asset.kind != IMAGE or EXTERNAL.match(asset.target) or not asset.target.lower().endswith(".svg"):
            continue
        path = book_file(book.root, document.path, asset.target)
        for what in _left_out(path) if path is not None else ():
            text = f"the drawing '{asset.target}' holds {what}, which is left out; save it without"
            messages.error(document.path, block.span.line, block.span.column, text, "figure-unsafe")


def _left_out(path: Path) -> tuple[str, ...]:
    try:
        return clean_svg(read_text(path))[1]
    except (BookError, ValueError, ElementTree.ParseError):
        return ()  # a format that shows it says why it cannot


def _check_sizes(document: Document, figure: Figure, messages: Messages) -> None:
    for name, written in (("width", figure.width), ("height", figure.height)):
        if written and not WIDTH.fullmatch(written):
            text = f"'{written}' is no {name}; write a number with a unit, such as 400px or 60%"
            messages.error(document.path, figure.span.line, figure.span.column, text, "figure-size")


def _texts(block: Block) -> tuple[str, ...]:
    match block:
        case Prose():
            return (block.text,)
        case Table():
            return (block.text, block.caption)
        case Heading():
            return (block.title,)
        case Figure():
            return (block.caption,)
    return ()


def _tokens(text: str) -> Iterator[str]:
    for token in _all(_parser().parse(text)):
        if token.type in {"html_inline", "html_block"}:
            yield token.content


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or [])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return raw_markdown()
