"""What pages and figures hold that no format shows, since it would run, load from elsewhere or cover the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

from markdown_it.token import Token

from d2lbook.book.assets import EXTERNAL, IMAGE, assets_of
from d2lbook.diagnostics import BookError, Message, Messages
from d2lbook.files import read_text
from d2lbook.model import Block, Book, Document, Figure, markdown_of
from d2lbook.parse import raw_markdown
from d2lbook.security.inside import book_file
from d2lbook.security.markup import clean_tags
from d2lbook.security.svg import clean_svg

_MARKUP = re.compile(r"<[A-Za-z/!?]")
_PICTURE = re.compile(r"""<img\b[^>]*?\ssrc\s*=\s*(["']?)(?P<target>[^"'>\s]+)\1""", re.IGNORECASE)
WIDTH = re.compile(r"\s*\d+(?:\.\d*)?\s*(?:px|pt|pc|cm|mm|in|em|rem|ex|%)?\s*")


# By the path of a page: a hash of it and its drawings, and what is wrong.
Findings = dict[str, tuple[str, tuple[Message, ...]]]


def check_safety(book: Book, messages: Messages, known: Findings) -> None:
    """Reports it, each at its place; `known` from an earlier command has it for pages that did not change."""
    for page in book.pages:
        messages.extend(_of_page(book, page.document, messages.strict, known))


def _of_page(book: Book, document: Document, strict: bool, known: Findings) -> tuple[Message, ...]:
    drawings = {path for block in document.walk() for _, path in _drawings(book, document, block)}
    digest = sha256(document.text.encode("utf-8", "surrogatepass"))
    for path in sorted(drawings):
        digest.update(b"\0" + path.read_bytes())
    if known.get(document.path, ("",))[0] != digest.hexdigest():
        found = Messages(strict)
        for block in document.walk():
            _check_markup(document, block, found)
            for target, path in _drawings(book, document, block):
                for what in _left_out(path):
                    text = f"the drawing '{target}' holds {what}, which is left out; save it without"
                    found.error(document.path, block.span.line, block.span.column, text, "figure-unsafe")
            if isinstance(block, Figure):
                _check_sizes(document, block, found)
        known[document.path] = digest.hexdigest(), tuple(found)
    return known[document.path][1]


def _check_markup(document: Document, block: Block, messages: Messages) -> None:
    position = block.span.start
    for text in markdown_of(block):
        for token in html_in(text) if _MARKUP.search(text) else ():
            start, position = _found(document, block, token, position)
            for what in clean_tags(token)[1]:
                what = f"{what} is not shown in a book that others may change; write it in Markdown, or leave it out"
                messages.error(document.path, *_place(document, start), what, "html-unsafe")
            for picture in _PICTURE.finditer(token):
                start, position = _found(document, block, picture[0], start)
                if not EXTERNAL.match(target := picture["target"]):
                    what = f"the file '{target}' of an <img> is not copied, and only the site has a form for HTML"
                    what = f"{what}; write it in Markdown: ![what it shows]({target})"
                    messages.warning(document.path, *_place(document, start), what, "html-image")
                start = position


def _found(document: Document, block: Block, markup: str, position: int) -> tuple[int, int]:
    """Where the first line of some HTML of a block begins and ends, from a position on."""
    first = markup.strip().split("\n")[0]
    start = document.text.find(first, position, block.span.end)
    return (start, start + len(first)) if start >= 0 else (position, position)


def _place(document: Document, offset: int) -> tuple[int, int]:
    """Line and column."""
    before = document.text[:offset]
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _drawings(book: Book, document: Document, block: Block) -> Iterator[tuple[str, Path]]:
    """How a block names the drawings that it shows, and where they are."""
    for asset in assets_of((block,)):
        if asset.kind == IMAGE and asset.target.lower().endswith(".svg") and not EXTERNAL.match(asset.target):
            path = book_file(book.root, document.path, asset.target)
            if path is not None:
                yield asset.target, path


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


def html_in(text: str) -> Iterator[str]:
    for token in _all(raw_markdown().parse(text)):
        if token.type in {"html_inline", "html_block"}:
            yield token.content


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or [])
