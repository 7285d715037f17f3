"""Puts translations in the places of their units: the page's text in another language, everything else as it was."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from d2lbook.translate.units import Unit, tidied

_WIDTH = 88  # of comments and docstrings, unless the source has wider ones


def splice(text: str, translations: Mapping[Unit, str]) -> str:
    """A page's text with translations in it. A translation that says what the source says changes no byte."""
    parts: list[str] = []
    position = 0
    for unit in sorted(translations, key=lambda unit: unit.start):
        if translations[unit] == unit.msgid:
            continue
        parts += text[position : unit.start], _written(unit, translations[unit], text)
        position = unit.end
    return "".join([*parts, text[position:]])


def _written(unit: Unit, translation: str, text: str) -> str:
    """A translation as it stands in the page."""
    translation = tidied(unit, translation)
    if unit.form == "cell":
        return _escaped(translation)
    one_line = bool(unit.opening) and unit.opening[-3:] not in {'"""', "'''"}  # a literal that may have no other
    if unit.form == "mark" or unit.kind == "string" or one_line or (not unit.prefix and unit.form == "comment"):
        return translation.replace("\n", " ")
    if unit.form == "text" or "\n" in unit.msgid:  # a docstring whose lines mean something
        return translation.replace("\n", "\n" + unit.prefix)
    column = unit.start - (text.rfind("\n", 0, unit.start) + 1)
    longest = max(len(line) for line in text[unit.start - column : unit.end].split("\n"))
    return ("\n" + unit.prefix).join(_wrapped(translation, column, len(unit.prefix), max(_WIDTH, longest)))


def _escaped(text: str) -> str:
    """A table cell's text: a bar would end the cell."""
    return text.replace("\\|", "|").replace("|", "\\|")


def _wrapped(text: str, first: int, others: int, width: int) -> list[str]:
    """Lines of a text, the first from column `first` on, the others from column `others`."""
    lines: list[str] = []
    words: list[str] = []
    used = first
    for word in text.split():
        if words and used + 1 + _columns(word) > width:
            lines.append(" ".join(words))
            words, used = [], others
        used += _columns(word) + bool(words)
        words.append(word)
    return [*lines, " ".join(words)]


def _columns(word: str) -> int:
    """How wide a word is in a fixed-width font: East Asian letters take two columns."""
    if word.isascii():
        return len(word)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in word
    )
