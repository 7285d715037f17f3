"""How much room text takes."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Return the columns that text takes: Korean, Chinese and Japanese characters two, signs on another one none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, room: int) -> int:
    """How many characters of text fit into so many columns; at least one."""
    for count, character in enumerate(text):
        room -= _columns(character)
        if room < 0:
            return max(count, 1)
    return len(text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
