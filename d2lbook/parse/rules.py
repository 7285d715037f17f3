"""Inline rules for markdown-it: roles, slide marks, and emphasis before Korean particles."""

from __future__ import annotations

import unicodedata

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline.state_inline import Delimiter, StateInline

from d2lbook.parse.inline import MARKS, ROLE, mark_ends

_CJK_SCRIPTS = ("HANGUL", "CJK", "HIRAGANA", "KATAKANA", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH")


def role_rule(state: StateInline, silent: bool) -> bool:
    """`:kind:`text`` becomes a token `d2l_role`."""
    if state.src[state.pos] != ":":
        return False
    match = ROLE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        token = state.push("d2l_role", "", 0)
        token.content = match[2].strip()
        token.meta = {"kind": match[1]}
    state.pos = match.end()
    return True


def mark_rule(state: StateInline, silent: bool) -> bool:
    """`[**x**]` and its like become `d2l_mark_open`, the tokens of x, `d2l_mark_close`."""
    opener = state.src[state.pos : state.pos + 3]
    if opener not in MARKS:
        return False
    stop = state.posMax
    end = mark_ends(state.src).get(state.pos)
    if end is None or end > stop:
        return False
    if not silent:
        meta = {"new_slide": opener[0] == "[", "only_slides": opener[1] == "~"}
        state.push("d2l_mark_open", "", 1).meta = meta
        state.pos, state.posMax = state.pos + 3, end - 3
        state.md.inline.tokenize(state)
        state.push("d2l_mark_close", "", -1).meta = meta
    state.pos, state.posMax = end, stop
    return True


def emphasis(state: StateInline, silent: bool) -> bool:
    """As markdown-it's rule, but punctuation beside a CJK letter is no obstacle: `*컨텍스트(context)*라고`."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    scanned = state.scanDelims(state.pos, marker == "*")
    can_open, can_close = scanned.can_open, scanned.can_close
    if marker == "*":
        before = state.src[state.pos - 1] if state.pos > 0 else " "
        after_position = state.pos + scanned.length
        after = state.src[after_position] if after_position < state.posMax else " "
        can_open = can_open or (is_punctuation(after) and is_cjk(before))
        can_close = can_close or (is_punctuation(before) and is_cjk(after))
    for _ in range(scanned.length):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(
                marker=ord(marker),
                length=scanned.length,
                token=len(state.tokens) - 1,
                end=-1,
                open=can_open,
                close=can_close,
            )
        )
    state.pos += scanned.length
    return True


def is_punctuation(character: str) -> bool:
    return not isWhiteSpace(ord(character)) and (isMdAsciiPunct(ord(character)) or isPunctChar(character))


def is_cjk(character: str) -> bool:
    """Whether a letter is Korean, Chinese or Japanese."""
    return character > "\u1100" and unicodedata.name(character, "").startswith(_CJK_SCRIPTS)
