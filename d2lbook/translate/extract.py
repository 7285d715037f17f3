"""What of a page is translated: its units, in the order in which they stand, each with its context."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from d2lbook.model import Block, Cell, Container, Document, Figure, Heading, Listing, Prose, Table, TabProse
from d2lbook.translate.code import CodePiece, code_pieces
from d2lbook.translate.prose import ProseSpan, prose_spans
from d2lbook.translate.units import Unit, has_words, one_line, without_breaks

_MARKUP = re.compile(r"[\[(](?:\*\*|~~)|(?:\*\*|~~)[\])]|:\w+:`[^`]*`|[`*$]")
_ALT = re.compile(r"^[ \t]*:alt:`(?P<text>[^`]*)`|(?<=`):alt:`(?P<more>[^`]*)`", re.MULTILINE)
_QUOTE = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_FENCE_LINE = re.compile(r"[^\n]*\n")
_PYTHON = {"python", "py", "python3", "{.python}"}


def units(document: Document) -> tuple[Unit, ...]:
    """The units of a page, in source order. The same context and text twice are two units of one message."""
    walk = _Walk(document)
    walk.blocks(document.blocks, "")
    return tuple(sorted(walk.found, key=lambda unit: unit.start))


def slug(title: str) -> str:
    """A heading's title as a context names it."""
    return re.sub(r"[^\w]+", "-", _MARKUP.sub("", title).lower()).strip("-")


@dataclass(slots=True)
class _Walk:
    document: Document
    section: str = ""
    found: list[Unit] = field(default_factory=list)
    line_starts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.line_starts = [0, *(match.end() for match in re.finditer(r"\n", self.document.text))]

    def blocks(self, blocks: tuple[Block, ...], place: str) -> None:
        for block in blocks:
            if isinstance(block, Container):
                what = " ".join(block.tabs) if isinstance(block, TabProse) else type(block).__name__.lower()
                self.blocks(block.blocks, f"{place}, {what}")
            else:
                self._block(block, place)

    def _block(self, block: Block, place: str) -> None:
        if isinstance(block, Heading):
            self._heading(block, place)
        elif isinstance(block, Prose) and not self._is_front_matter(block):
            self._markdown(block, place)
        elif isinstance(block, Figure):
            self._figure(block, place)
        elif isinstance(block, Table):
            self._table(block, place)
        elif isinstance(block, Cell) and block.source and not block.interact:
            self._code(block.source, self.line_starts[block.code_line - 1], place)
        elif isinstance(block, Listing) and self._is_python(block):
            self._code(block.text, _listing_start(self.document, block), place)

    def _is_python(self, block: Listing) -> bool:
        """Whether a listing is Python, and its text stands in the page as it is: an indented fence's does not."""
        return block.info.lower().split(" ")[0] in _PYTHON and not self.document.text[block.span.start].isspace()

    def _add(self, start: int, end: int, kind: str, place: str, prefix: str = "", form: str = "text") -> None:
        text = self.document.text[start:end]
        msgid = one_line(_QUOTE.sub("\n", text) if ">" in prefix else text)
        if form == "cell":
            msgid = msgid.replace("\\|", "|")
        if has_words(msgid):
            self.found.append(Unit(start, end, kind, _context(self.section, place, kind), msgid, prefix, form))

    def _is_front_matter(self, block: Block) -> bool:
        return self.document.front is not None and block.span.start == self.document.front.span.start

    def _heading(self, block: Heading, place: str) -> None:
        source = self.document.source(block)
        front = self.document.front
        if front is not None and front.title_span is not None and self._is_front_matter(block):
            start, end = front.title_span.start - block.span.start, front.title_span.end - block.span.start
            piece: ProseSpan | None = ProseSpan(start, end, "title")
        else:
            piece = next(iter(prose_spans(source)), None)
        self.section = block.labels[0].name if block.labels else slug(block.title)
        if piece is None or not has_words(block.title):
            return
        start = block.span.start
        text = one_line(self.document.text[start + piece.start : start + piece.end])
        # A title is its own place: were its section in the context, no changed title would find its message again.
        context = _context(self.section if block.labels else "", place, "title")
        self.found.append(Unit(start + piece.start, start + piece.end, "title", context, text))

    def _markdown(self, block: Prose, place: str) -> None:
        for piece in prose_spans(self.document.source(block)):
            start = block.span.start
            form = "cell" if piece.kind == "table cell" else "text"
            self._add(start + piece.start, start + piece.end, piece.kind, place, piece.prefix, form)

    def _figure(self, block: Figure, place: str) -> None:
        source = self.document.source(block)
        place = _named(place, block.label.name if block.label else "")
        start = source.index("![") + 2
        end = source.rindex("](", start, _target_end(source, block.target))
        text = source[start:end]
        start += len(text) - len(text.lstrip())
        self._add(block.span.start + start, block.span.start + start + len(text.strip()), "caption", place)
        for match in _ALT.finditer(source, end):
            group = "text" if match["text"] is not None else "more"
            inside = match[group].strip()
            start = block.span.start + match.start(group) + match[group].index(inside)
            self._add(start, start + len(inside), "alternative text", place, form="mark")

    def _table(self, block: Table, place: str) -> None:
        source = self.document.source(block)
        place = _named(place, block.label.name if block.label else "")
        body = block.span.start
        if block.caption:
            start = source.index(":") + 1
            end = source.index("\n|", start)
            text = source[start:end]
            start += len(text) - len(text.lstrip())
            self._add(body + start, body + start + len(text.strip()), "caption", place)
            source, body = source[end + 1 :], body + end + 1
        for piece in prose_spans(source):
            self._add(body + piece.start, body + piece.end, piece.kind, place, form="cell")

    # ---- code -------------------------------------------------------------------------------------------------------

    def _code(self, code: str, start: int, place: str) -> None:
        first = bisect_right(self.line_starts, start) - 1
        for piece in code_pieces(code):
            if piece.kind != "string" and not has_words(piece.text):
                continue
            begin, end = (self.line_starts[first + line] + column for line, column in (piece.start, piece.end))
            if piece.start[0] == 0:
                begin += start - self.line_starts[first]
            self.found.append(self._code_unit(piece, begin, end, place))

    def _code_unit(self, piece: CodePiece, start: int, end: int, place: str) -> Unit:
        form = {"code comment": "comment", "alternative text": "comment"}.get(piece.kind, "literal")
        text = without_breaks(piece.text)
        context = _context(self.section, _named(place, piece.owner), piece.kind)
        return Unit(start, end, piece.kind, context, text, piece.prefix, form, opening=piece.opening)


def _context(section: str, place: str, kind: str) -> str:
    where = f"{section}{place}".removeprefix(", ")
    return f"{where}: {kind}" if where else kind


def _named(place: str, name: str) -> str:
    return f"{place}, {name}" if name else place


def _target_end(source: str, target: str) -> int:
    """Behind the image's file name, so that what follows in a figure's marks is not taken for it."""
    return source.index(target, source.index("](")) + len(target)


def _listing_start(document: Document, block: Listing) -> int:
    """Where a listing's text starts: in the line behind its fence."""
    opening = _FENCE_LINE.match(document.text, block.span.start)
    return opening.end() if opening is not None else block.span.start


def by_message(found: tuple[Unit, ...]) -> Iterator[Unit]:
    """The first unit of each message, in source order."""
    seen: set[tuple[str, str]] = set()
    for unit in found:
        if unit.key not in seen:
            seen.add(unit.key)
            yield unit
