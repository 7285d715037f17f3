"""Roles and slide marks of a stretch of prose, and what is wrong with it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from d2lbook.diagnostics import likely
from d2lbook.model import Mark, Role
from d2lbook.parse.inline import MARKS, ROLE, InlineToken, inline_tokens, pair_marks
from d2lbook.parse.source import Source, unix_lines

REFERENCES = ("numref", "ref", "eqref")
CITATIONS = ("cite", "citet", "citep")
API = ("class", "func", "mod")
ROLES = (*REFERENCES, *CITATIONS, *API)
# Marks that stand on a line of their own, and where.
ALONE = {
    "label": "below a heading, figure or table",
    "eqlabel": "below an equation",
    "width": "below a figure",
    "height": "below a figure",
    "alt": "below a figure",
    "interactive": "below a figure",
    "bibliography": "",
    "library": "",
    "begin_tab": "",
    "end_tab": "",
    "begin_solution": "",
    "end_solution": "",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]|\t")
_NEVER_IN_PROSE = {chr(code) for code in (*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0))}
# The escape whose backslash was lost, by the character that it left behind.
_ESCAPES = {"\t": r"\t", "\x07": r"\a", "\x08": r"\b", "\x0b": r"\v", "\x0c": r"\f", "\r": r"\r"}


@dataclass(frozen=True, slots=True)
class Inline:
    roles: tuple[Role, ...]
    marks: tuple[Mark, ...]
    lone: tuple[LoneEnd, ...] = ()


@dataclass(frozen=True, slots=True)
class LoneEnd:
    """A slide mark's opener or closer without its partner in the same block."""

    token: str
    start: int  # offset in the page's text

    @property
    def end(self) -> int:
        return self.start + len(self.token)


def read_inline(source: Source, start: int, end: int) -> Inline:
    """The roles and marks between two offsets of a page; reports what is wrong there."""
    text = source.text[start:end]
    found = list(inline_tokens(text))
    roles = tuple(
        role for piece in found if piece.kind == "role" and (role := _role(source, start, text, piece)) is not None
    )
    marks, lone = pair_marks(text, [piece for piece in found if piece.kind == "mark"])
    for piece in found:
        if piece.kind == "unclosed":
            what = "'$$' has no second '$$' in this paragraph; close the equation, without blank lines in it"
            source.warning(source.span(start + piece.start, start + piece.end), what, "math-unclosed")
    report_controls(source, start, text, found)
    return Inline(
        roles,
        tuple(
            Mark(
                mark.opener.startswith("["),
                mark.opener.endswith("~~"),
                unix_lines(text[slice(*mark.inner)]),
                source.span(start + mark.start, start + mark.end),
            )
            for mark in marks
        ),
        tuple(LoneEnd(text[piece.start : piece.end], start + piece.start) for piece in lone),
    )


def _role(source: Source, base: int, text: str, piece: InlineToken) -> Role | None:
    match = ROLE.match(text, piece.start)
    if match is None:
        return None
    role = Role(match[1], unix_lines(match[2]).strip(), source.span(base + piece.start, base + piece.end))
    if role.kind in ALONE:
        place = f" {ALONE[role.kind]}" if ALONE[role.kind] else ""
        what = f":{role.kind}: stands inside a text; put it on a line of its own{place}"
        source.error(role.span, what, "mark-inline")
        return None
    if not role.text:
        source.warning(role.span, f":{role.kind}: is empty; name what it refers to, or remove it", "role-empty")
        return None
    if role.kind not in ROLES:
        hint = likely(role.kind, [*ROLES, *ALONE], f"there are {', '.join(ROLES)}", "':{}:'")
        source.error(role.span, f"unknown role ':{role.kind}:'; {hint}", "role-unknown")
    return role


def report_lone_mark(source: Source, end: LoneEnd) -> None:
    token = end.token
    partner = MARKS.get(token) or next(opener for opener, closer in MARKS.items() if closer == token)
    what = f"slide mark '{token}' has no '{partner}'; add it, or put a backslash before the mark"
    source.warning(source.span(end.start, end.end), what, "mark-unpaired")


def report_controls(source: Source, base: int, text: str, found: list[InlineToken]) -> None:
    """Reports control characters, and tabs inside math, which are escapes that lost their backslash."""
    if _CONTROL.search(text) is None:
        return
    math = [piece for piece in found if piece.kind in {"math", "display"}]
    starts = [piece.start for piece in math]
    for match in _CONTROL.finditer(text):
        character, position = match[0], match.start()
        if character == "\r" and text.startswith("\n", position + 1):
            continue
        before = bisect_right(starts, position) - 1
        if character in _NEVER_IN_PROSE or (before >= 0 and position < math[before].end):
            report_control(source, base + position, character)


def report_control(source: Source, offset: int, character: str) -> None:
    span = source.span(offset, offset + 1)
    name = "a tab character in math" if character == "\t" else f"control character U+{ord(character):04X}"
    escape = _ESCAPES.get(character)
    why = f"; perhaps '{escape}' whose backslash was lost; write it anew" if escape else "; remove it"
    if character == "\t" and not source.text[offset - span.column + 1 : offset].strip():
        why = "; indent with spaces"
    source.warning(span, f"{name}{why}", "control-character")
