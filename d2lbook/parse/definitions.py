"""Links by name, `[text][name]`, whose address `[name]: address` stands anywhere on the page.

Blocks are rendered one by one, and notebooks keep them in different cells, so each such link is written out where the
page is read: `[text](address)`.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from d2lbook.model import Block, Container, Figure, Footnote, Heading, Mark, Prose, Table, markdown_of, walk
from d2lbook.parse.inline import inline_tokens, mark_ends
from d2lbook.parse.markdown import markdown
from d2lbook.parse.source import Source

_NAMED = re.compile(r"\[[^\[\]]*\]")
_TWO = re.compile(r"(?<![\w\]])!?\[(?!\^)[^\[\]]+\]\[(?!\^)(?P<name>[^\[\]]*[^\W\d_][^\[\]]*)\]")
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Address:
    href: str
    title: str

    def written(self, in_table: bool) -> str:
        """As it stands behind a link's text."""
        href = f"<{self.href}>" if not self.href or re.search(r"[\s()]", self.href) else self.href
        title = " ".join(self.title.split()).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
        both = f'{href} "{title}"' if title else href
        return f"({both.replace('|', chr(92) + '|') if in_table else both})"


_Addresses = dict[str, _Address]  # by name, as `normalizeReference` makes it


def with_addresses(source: Source, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks of a page with links by name written out; names that nothing defines are reported."""
    addresses = _addresses(walk(blocks))
    _report_undefined(source, walk(blocks), addresses)
    return _Writer(addresses).blocks(blocks) if addresses else blocks


def _addresses(blocks: Iterable[Block]) -> _Addresses:
    """What a page defines; of two addresses of a name the first one counts."""
    environment: dict[str, Any] = {}
    for block in blocks:
        if isinstance(block, Prose) and block.text.count("]:") > isinstance(block, Footnote):
            markdown().parse(block.text, environment)
    found: dict[str, dict[str, str]] = environment.get("references", {})
    return {name: _Address(entry["href"], entry["title"]) for name, entry in found.items()}


@dataclass(frozen=True, slots=True)
class _Writer:
    addresses: _Addresses

    def blocks(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        return tuple(map(self._block, blocks))

    def _block(self, block: Block) -> Block:
        match block:
            case Container():
                return replace(block, blocks=self.blocks(block.blocks))
            case Prose():
                return replace(block, text=self._text(block.text), marks=self._marks(block.marks))
            case Table():
                text, caption = self._text(block.text), self._line(block.caption)
                return replace(block, text=text, caption=caption, marks=self._marks(block.marks))
            case Heading():
                return replace(block, title=self._line(block.title))
            case Figure():
                return replace(block, caption=self._line(block.caption))
            case _:
                return block

    def _marks(self, marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
        return tuple(replace(mark, text=self._text(mark.text)) for mark in marks)

    def _line(self, text: str) -> str:
        """A title or a caption, which is inline Markdown whatever it begins with."""
        return self._written(text, in_table=False) if "[" in text else text

    def _text(self, text: str) -> str:
        """A block's text. One of definitions alone has nothing to show."""
        if "[" not in text:
            return text
        references = {name: {"href": found.href, "title": found.title} for name, found in self.addresses.items()}
        tokens = markdown().parse(text, {"references": references})
        if not tokens and "]:" in text:
            return ""
        lines = text.split("\n")
        for first, stop, in_table in sorted(_inline_lines(tokens), reverse=True):
            written = self._written("\n".join(lines[first:stop]), in_table)
            lines[first:stop] = written.split("\n")
        return "\n".join(lines)

    def _written(self, text: str, in_table: bool) -> str:
        """Inline Markdown with its links by name written out."""
        parts: list[str] = []
        position = 0
        for link in _Links(text, self.addresses).found():
            shown = text[link.start : link.text_end]
            parts += text[position : link.start], self._nested(shown, in_table), link.address.written(in_table)
            position = link.end
        return "".join([*parts, text[position:]])

    def _nested(self, shown: str, in_table: bool) -> str:
        """A link's text, in which an image may be named."""
        return f"{shown[0]}{self._written(shown[1:-1], in_table)}{shown[-1]}" if "![" in shown[1:] else shown


def _inline_lines(tokens: list[Token]) -> set[tuple[int, int, bool]]:
    """First line, line behind the last, and whether a table's: where a block's inline Markdown with links stands."""
    found: set[tuple[int, int, bool]] = set()
    rows: tuple[int, int] | None = None
    for token in tokens:
        if token.type == "tr_open" and token.map:
            rows = token.map[0], token.map[1]
        elif token.type == "tr_close":
            rows = None
        lines = rows or (token.map and (token.map[0], token.map[1]))
        if token.type == "inline" and lines and _has_address(token):
            found.add((*lines, rows is not None))
    return found


def _has_address(token: Token) -> bool:
    return any(child.type in {"link_open", "image"} for child in token.children or ())


@dataclass(frozen=True, slots=True)
class _Link:
    """`[text][name]`, `[name][]` or `[name]` in a text; an image's begins at its `!`."""

    start: int
    text_end: int  # behind the bracket that closes the text
    end: int
    address: _Address


class _Links:
    """Finds the links by name of inline Markdown, as CommonMark does (section 6.3)."""

    def __init__(self, text: str, addresses: _Addresses) -> None:
        self.text, self.addresses = text, addresses
        self.skipped = [(piece.start, piece.end) for piece in inline_tokens(text) if piece.kind != "mark"]
        self.starts = [start for start, _ in self.skipped]
        self.marks = mark_ends(text)
        self.closed_by = self._pairs()
        closing = ((start, close + 1) for start, close in self.closed_by.items())
        self.targets = [(end, self._behind_inline(start)) for start, end in closing if text.startswith("(", end)]

    def found(self) -> Iterator[_Link]:
        position = 0
        for start in sorted(self.closed_by):
            if start < position or start in self.marks or any(first < start < end for first, end in self.targets):
                continue
            link = self._link(start)
            if link is not None:
                yield link
                position = link.end

    def _pairs(self) -> dict[int, int]:
        """Opening bracket -> the one that closes it."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for bracket in _BRACKET.finditer(self.text):
            place = bracket.start()
            if len(bracket[0]) > 1 or self._is_skipped(place):
                continue
            if bracket[0] == "[":
                opened.append(place)
            elif opened:
                found[opened.pop()] = place
        return found

    def _is_skipped(self, place: int) -> bool:
        """Whether a place lies in code, a formula or a role."""
        before = bisect_right(self.starts, place) - 1
        return before >= 0 and place < self.skipped[before][1]

    def _link(self, start: int) -> _Link | None:
        text, close = self.text, self.closed_by[start]
        name, end = text[start + 1 : close], close + 1
        if text.startswith("(", end) and self._behind_inline(start) > end:
            return None
        is_image = start > 0 and text[start - 1] == "!" and text[max(start - 2, 0)] != "\\"
        if text.startswith("[", end) and end in self.closed_by:
            second = self.closed_by[end]
            name = text[end + 1 : second] or name
            end = second + 1
        address = self.addresses.get(normalizeReference(name)) if name.strip() else None
        if address is None or (not is_image and self._holds_link(start)):
            return None
        return _Link(start, close + 1, end, address)

    def _holds_link(self, start: int) -> bool:
        """Whether there is a link in a link's text: then the inner one counts."""
        position = start + 1
        for place in sorted(place for place in self.closed_by if start < place < self.closed_by[start]):
            if place < position:
                continue
            link = self._link(place)
            if self.text[place - 1] == "!":
                position = link.end if link is not None else place
            elif link is not None or self._behind_inline(place) > self.closed_by[place] + 1:
                return True
        return False

    def _behind_inline(self, start: int) -> int:
        """Behind `[text](address)`; behind the text where no address follows that could be one."""
        close = self.closed_by[start]
        found = _INLINE.match(self.text, close + 1)
        return found.end() if found else close + 1


_INLINE = re.compile(
    r"""\(\s*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)(?:\s+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))?\s*\)"""
)


# ---- names without an address ---------------------------------------------------------------------------------------


def _report_undefined(source: Source, blocks: Iterable[Block], addresses: _Addresses) -> None:
    """Reports `[text][name]` whose name the page does not define: it would be shown as it stands."""
    for block in blocks:
        if not isinstance(block, Prose | Table | Heading | Figure) or "][" not in "".join(markdown_of(block)):
            continue
        start, text = block.span.start, source.text[block.span.start : block.span.end]
        skipped = [(piece.start, piece.end) for piece in inline_tokens(text)]
        for link in _TWO.finditer(text):
            name = link["name"]
            if normalizeReference(name) in addresses or any(first <= link.start() < end for first, end in skipped):
                continue
            close = difflib.get_close_matches(normalizeReference(name), addresses, n=1)
            hint = f"did you mean '{close[0].lower()}'?" if close else f"add a line '[{name}]: address'"
            what = f"the page defines no address '{name}' for this link; {hint}"
            source.warning(source.span(start + link.start(), start + link.end()), what, "link-undefined")
