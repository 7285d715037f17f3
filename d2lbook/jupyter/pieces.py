"""A page's lines as the cells of a notebook: each code cell, and the prose between, cut at headings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from d2lbook.diagnostics import Messages
from d2lbook.model import Cell, Heading
from d2lbook.parse import parse_document
from d2lbook.parse.fences import find_fence
from d2lbook.parse.source import Source

CODE, MARKDOWN = "code", "markdown"
FENCE = "```{.python .input}"


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """One cell as a person sees it in a notebook."""

    kind: str  # CODE or MARKDOWN
    source: str  # without fences, lines ended by \n
    fence: str = ""  # a code cell's first line in the page


@dataclass(frozen=True, slots=True)
class Place:
    """A piece and where it is: lines `first` to `stop - 1` of the page. Between places there are blank lines only."""

    piece: NotebookCell
    first: int
    stop: int
    closed: bool = True  # whether a code cell has its closing fence


@dataclass(frozen=True, slots=True)
class PageLines:
    """A page cut into pieces."""

    source: Source
    places: tuple[Place, ...]


def read_page(text: str, path: str) -> PageLines:
    """The pieces of a page, one with errors too: what is wrong with it is for `d2lbook check` to say."""
    document = parse_document(text, path, Messages())
    source = Source(path, text, Messages())
    cuts = [block.span.line - 1 for block in document.walk() if isinstance(block, Heading)]
    places: list[Place] = []
    done = 0
    for block in document.walk():
        if isinstance(block, Cell):
            cell = _code(source, block.span.line - 1)
            places += [*_prose(source, done, cell.first, cuts), cell]
            done = cell.stop
    return PageLines(source, (*places, *_prose(source, done, len(source), cuts)))


def _code(source: Source, number: int) -> Place:
    fence = find_fence(source, number, len(source))
    first, stop = fence.body
    piece = NotebookCell(CODE, source.joined(first, stop), source.lines[number])
    return Place(piece, fence.first, fence.stop, fence.closed)


def _prose(source: Source, first: int, stop: int, cuts: list[int]) -> Iterator[Place]:
    inner = [cut for cut in cuts if first < cut < stop]
    for start, end in zip([first, *inner], [*inner, stop], strict=True):
        while start < end and source.blank(start):
            start += 1
        while start < end and source.blank(end - 1):
            end -= 1
        if start < end:
            yield Place(NotebookCell(MARKDOWN, source.joined(start, end)), start, end)
