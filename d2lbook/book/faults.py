"""Faults on the pages where they are: a build that goes on shows what is wrong instead of stopping.

The mark of a fault is a block of its own behind the block at whose line the fault was found. Cells and tabs' prose of
several frameworks, which formats show as one group, are not divided: the mark stands behind them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from typing import TypeVar

from d2lbook.diagnostics import Message, Messages
from d2lbook.model import Block, Book, Cell, Container, Document, Fault, Heading, Span, TabProse

FIRST = -1  # the place of a mark before all blocks
_GROUPED = (Cell, TabProse)
_SAME = dict.fromkeys(("file-unreadable", "figure-unreadable"), "figure-missing")  # a file that nothing can read
_OF_EDITION = re.compile(r"\[[\w-]+\] ")  # how `Edition.told` begins a finding


Result = TypeVar("Result")


def build_showing(book: Book, messages: Messages, build: Callable[[Book], Result]) -> tuple[Result, Book]:
    """What `build` makes of a book with marks at the errors among the messages; and that book.

    When building finds other errors on pages, it is done again with marks at those, too. What only repeats another
    finding is taken out of the messages.
    """
    known = set(messages)
    shown = with_faults(book, known)
    result = build(shown)
    messages.found = {*known, *_without_repetitions(book, known, messages)}
    found = with_faults(book, messages)
    if found.faults != shown.faults:
        result = build(found)
        messages.found = {*known, *_without_repetitions(book, known, messages)}
    return result, found


def faults_of(book: Book, messages: Iterable[Message]) -> tuple[Message, ...]:
    """The errors among some messages that are about a page of the book, in order."""
    paths = {page.document.path for page in book.pages}
    return tuple(sorted(found for found in messages if found.level == "error" and found.path in paths))


def _without_repetitions(book: Book, known: Collection[Message], found: Iterable[Message]) -> list[Message]:
    """What was found beside what is `known`, without what only says again that a block has a fault of a kind.

    A writer knows the block at which it fails, and the check before it, or whoever reads its formulas, the very place.
    """
    groups: dict[tuple[str, int, str], list[tuple[tuple[bool, bool, bool], Message]]] = {}
    documents = {page.document.path: page.document for page in book.pages}
    pages: dict[str, _Places] = {}
    kept = []
    for message in {*known, *found}:
        if message.path not in documents:
            kept.append(message)
            continue
        if message.path not in pages:
            pages[message.path] = _places(documents[message.path])
        places = pages[message.path]
        number = places.number(message)
        block = places.blocks[number] if number != FIRST else None
        at_start = block is not None and (message.line, message.column) == (block.span.line, block.span.column)
        rank = message not in known, at_start, _OF_EDITION.match(message.text) is not None
        groups.setdefault((message.path, number, _SAME.get(message.code, message.code)), []).append((rank, message))
    for group in groups.values():
        best = min(rank for rank, _ in group)
        kept += [message for rank, message in group if rank == best]
    return [message for message in kept if message not in known]


def with_faults(book: Book, messages: Iterable[Message]) -> Book:
    """The book, with the errors that are to be shown; `marked` puts them on the pages of an edition."""
    faults = faults_of(book, messages)
    if faults == book.faults:
        return book
    known = replace(book, faults=faults)
    known.memo.update((name, value) for name, value in book.memo.items() if not isinstance(name, tuple))
    return known


def marked(edition: Book, source: Book) -> Book:
    """An edition with the marks of the source's faults: its blocks are the same ones in the same order."""
    if not source.faults:
        return edition
    pages = []
    for page, before in zip(edition.pages, source.pages, strict=True):
        here = [fault for fault in source.faults if fault.path == before.document.path]
        pages.append(replace(page, document=_with_marks(page.document, before.document, here)) if here else page)
    known = replace(edition, pages=tuple(pages), faults=source.faults)
    known.memo.update((name, value) for name, value in edition.memo.items() if not isinstance(name, tuple))
    return known


def _with_marks(document: Document, source: Document, faults: Sequence[Message]) -> Document:
    known, places = _places(source), dict[int, list[Message]]()
    for fault in faults:
        places.setdefault(known.number(fault), []).append(fault)
    first = [_mark(fault, Span(0, 0, 1, 1)) for fault in places.get(FIRST, ())]
    return replace(document, blocks=(*first, *_inserted(document.blocks, count(), places)))


@dataclass(frozen=True, slots=True)
class _Places:
    """A page's blocks, containers before what they hold. A fault is shown behind one of them."""

    blocks: tuple[Block, ...]
    lines: list[int]  # for each block, the first line at which it or one behind it begins

    def number(self, fault: Message) -> int:
        """The place among the blocks of the last one that begins at or before a fault's line."""
        if fault.line:
            return bisect_right(self.lines, fault.line) - 1
        headings = (number for number, block in enumerate(self.blocks) if isinstance(block, Heading))
        return next(headings, FIRST)  # about the page as a whole


def _places(document: Document) -> _Places:
    blocks = tuple(document.walk())
    lines = accumulate((block.span.line for block in reversed(blocks)), min)
    return _Places(blocks, list(lines)[::-1])


def _inserted(
    blocks: tuple[Block, ...], numbers: Iterator[int], places: Mapping[int, Sequence[Message]]
) -> tuple[Block, ...]:
    """The blocks, each behind its number, with marks."""
    made: list[Block] = []
    waiting: list[Fault] = []
    for position, block in enumerate(blocks):
        here = places.get(next(numbers), ())
        if isinstance(block, Container):
            made.append(replace(block, blocks=_inserted(block.blocks, numbers, places)))
        else:
            made.append(block)
        waiting += [_mark(fault, block.span) for fault in here]
        following = blocks[position + 1] if position + 1 < len(blocks) else None
        if not (isinstance(block, _GROUPED) and isinstance(following, _GROUPED)):
            made += waiting
            waiting = []
    return tuple(made)


def _mark(fault: Message, near: Span) -> Fault:
    span = replace(near, start=near.end)
    return Fault(span=span, place=fault.place, text=fault.one_line, code=fault.code)
