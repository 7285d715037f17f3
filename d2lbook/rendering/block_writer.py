"""The blocks of a page in some format: every kind of block has its method."""

from __future__ import annotations

from typing import ClassVar

from d2lbook.model import (
    ApiListing,
    Bibliography,
    Block,
    Cell,
    Equation,
    Fault,
    Figure,
    Footnote,
    Heading,
    Listing,
    Prose,
    RawRst,
    Solution,
    StoredOutput,
    Table,
    Toc,
)
from d2lbook.rendering.context import PageContext

METHODS: dict[type[Block], str] = {
    Heading: "heading",
    Prose: "markdown",
    Footnote: "nothing",  # stands at the end of the page, or where a text refers to it
    Fault: "fault",
    Listing: "listing",
    Figure: "figure",
    Table: "table",
    Equation: "equation",
    Cell: "cell",
    StoredOutput: "nothing",  # `check` warns of it, `outputcheck` refuses it
    Toc: "toc",
    RawRst: "raw_rst",
    Bibliography: "bibliography",
    ApiListing: "libraries",
    Solution: "solution",
}


class BlockWriter:
    """Writes the blocks of one page."""

    unknown: ClassVar[tuple[str, str]]  # the message on a block without a method, of its {kind}, and the message's code

    def __init__(self, context: PageContext) -> None:
        self.context, self.book = context, context.book

    def block(self, block: Block) -> str:
        self.at(block)
        method = METHODS.get(type(block))
        if method is None:
            text, code = self.unknown
            self.context.warn(text.format(kind=type(block).__name__), code)
            return ""
        return str(getattr(self, method)(block))

    def at(self, block: Block) -> None:
        """Makes the block the one at work: messages and words are about it."""
        self.context.line, self.context.lang = block.span.line, block.lang

    def nothing(self, block: Block) -> str:
        return ""

    def toc(self, block: Toc) -> str:
        return ""  # what holds the pages together has one

    def bibliography(self, block: Bibliography) -> str:
        return ""  # stands at the end of the book

    def number(self, block: Block) -> str:
        return self.book.number_of(self.context.name, block)
