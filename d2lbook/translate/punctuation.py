"""Punctuation as a language has it; where a rule could be wrong, it is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from d2lbook.translate.checks import Finding, words_only
from d2lbook.translate.units import Unit

_CODE = "translation-punctuation"
_SPACE_BEFORE = re.compile(r"[^\W\d_] +[,.;:!?](?=\s|$)")
_FULL_WIDTH = re.compile("[，。！？：；（）、［］｛｝～]")
# Particles that nothing but a noun before them can explain; with a space they would begin a word.
_PARTICLE = re.compile("[`$)\ufffc*]+ +(?:은|는|을|를|와|과|에서|으로)(?=[\\s,.)])")
_STRAIGHT = re.compile('"')
_DOTS = re.compile(r"(?<!\.)\.\.\.(?!\.)")
_TWO_SPACES = re.compile(r"\S {2,}\S")


def check_punctuation(lang: str, unit: Unit, text: str) -> Iterator[Finding]:
    """What a reader of the language would take for a slip."""
    if unit.kind == "string":
        return
    source, words = words_only(unit.msgid, unit.is_code), words_only(text, unit.is_code)
    if not unit.is_code and _TWO_SPACES.search(words) and not _TWO_SPACES.search(source):
        yield Finding("warning", "two spaces in a row; one is enough", _CODE)
    if (found := _SPACE_BEFORE.search(words)) and not _SPACE_BEFORE.search(source):
        yield Finding("warning", f"a space before '{found[0][-1]}'; take it out", _CODE)
    language = lang.split("-")[0]
    if language == "ko":
        yield from _korean(words)
    elif language in {"tr", "vi"} and not unit.is_code:
        yield from _typographic(words)


def _korean(words: str) -> Iterator[Finding]:
    if found := _FULL_WIDTH.search(words):
        yield Finding("warning", f"'{found[0]}' is full-width; Korean is set with , . ( ) and the like", _CODE)
    if found := _PARTICLE.search(words):
        particle = found[0].split()[-1]
        yield Finding("warning", f"a space before the particle '{particle}'; it follows its noun directly", _CODE)


def _typographic(words: str) -> Iterator[Finding]:
    if _STRAIGHT.search(words):
        yield Finding("warning", 'a straight quotation mark "; write “ and ”', _CODE)
    if _DOTS.search(words):
        yield Finding("warning", "three dots; write the one character …", _CODE)
