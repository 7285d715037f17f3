"""Footnotes: where a text refers to one, `[^name]`, and what is wrong between references and notes of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from d2lbook.diagnostics import likely
from d2lbook.model import Block, Document, Figure, Footnote, Heading, Prose, Table, walk
from d2lbook.parse.inline import outside
from d2lbook.parse.source import Source

_REFERENCE = re.compile(r"(?<!\\)\[\^(?P<name>[^\s\[\]]+)\]")
_OPENING = re.compile(r"[ \t]*\[\^[^\s\]]+\]:[ \t]*")
_INDENTED = re.compile(r"^(?: {1,4}|\t)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reference:
    """`[^name]` in a text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote that something refers to."""

    number: int  # by the order in which a page refers to its notes
    block: Footnote
    line: int  # of the block that refers to it first; 0 where that does so twice


def references(text: str) -> Iterator[Reference]:
    """The references in a block's Markdown, those in code and formulas aside."""
    for found in outside(_REFERENCE, text) if "[^" in text else ():
        yield Reference(found["name"], *found.span())


def body_of(footnote: Footnote) -> str:
    """The Markdown of a note, without its name and indentation."""
    opening = _OPENING.match(footnote.text)
    return _INDENTED.sub("", footnote.text[opening.end() :] if opening else footnote.text).strip()


def notes_of(document: Document) -> dict[str, Note]:
    """The footnotes of a page that it refers to, by name, in order of their numbers."""
    notes: dict[str, Note] | None = document.memo.get("footnotes")
    if notes is None:
        notes = document.memo["footnotes"] = _numbered(tuple(document.walk()))
    return notes


def _numbered(blocks: tuple[Block, ...]) -> dict[str, Note]:
    defined = {block.name: block for block in reversed(blocks) if isinstance(block, Footnote)}
    found: dict[str, Note] = {}
    # Notes that only notes refer to come behind the others.
    for block in (*(block for block in blocks if not isinstance(block, Footnote)), *defined.values()):
        names = [reference.name for reference in references(_shown(block))]
        for name in names:
            if name in defined and name not in found:
                line = block.span.line if names.count(name) == 1 else 0
                found[name] = Note(len(found) + 1, defined[name], line)
    return found


def names_in(blocks: Iterable[Block]) -> set[str]:
    """The notes that blocks refer to."""
    return {reference.name for block in blocks for reference in references(_shown(block))}


def _shown(block: Block) -> str:
    match block:
        case Heading():
            return block.title
        case Figure():
            return block.caption
        case Table():
            return f"{block.text}\n\n{block.caption}"
        case Footnote():
            return body_of(block)
        case Prose():
            return block.text
    return ""


def check_footnotes(source: Source, blocks: tuple[Block, ...]) -> None:
    """Reports references to notes that the page does not have, and notes that nothing refers to or that stand twice."""
    everything = tuple(walk(blocks))
    defined: dict[str, Footnote] = {}
    for block in everything:
        if isinstance(block, Footnote):
            if other := defined.get(block.name):
                what = f"footnote '{block.name}' stands in line {other.span.line} already; rename one of the two"
                source.warning(block.span, what, "footnote-twice")
            defined.setdefault(block.name, block)
    used: set[str] = set()
    for block in everything:
        used |= _report_undefined(source, block, defined)
    for name, block in defined.items():
        if name not in used:
            what = f"nothing refers to footnote '{name}', so no reader sees it"
            source.warning(block.span, f"{what}; write [^{name}] in the text, or remove it", "footnote-unused")


def _report_undefined(source: Source, block: Block, defined: dict[str, Footnote]) -> set[str]:
    """The notes that a block refers to."""
    if not isinstance(block, Prose | Table | Heading | Figure):
        return set()
    text = source.text[block.span.start : block.span.end]
    opening = _OPENING.match(text) if isinstance(block, Footnote) else None
    found = [one for one in references(text) if opening is None or one.start >= opening.end()]
    for reference in found:
        if reference.name not in defined:
            hint = likely(reference.name, defined, f"add a line '[^{reference.name}]: text'")
            start = block.span.start + reference.start
            what = f"the page has no footnote '{reference.name}'; {hint}"
            source.warning(source.span(start, block.span.start + reference.end), what, "footnote-undefined")
    return {reference.name for reference in found}
