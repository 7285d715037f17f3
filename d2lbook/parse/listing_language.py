"""The language of a fence that is not a cell, as Pygments calls it."""

from __future__ import annotations

from functools import lru_cache

from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

PLAIN = "text"


def fence_word(info: str) -> str:
    """The word that names a fence's language: "bash" of "bash", "python" of "{.python .inactive}"; "" without one."""
    word = (info.split() or [""])[0]
    return word.removeprefix("{.").rstrip("}") if word.startswith("{.") else word


@lru_cache(maxsize=256)
def is_known(word: str) -> bool:
    """Whether Pygments knows a language by this name. No word at all is plain text."""
    try:
        return not word or find_lexer_class_by_name(word) is not None
    except ClassNotFound:
        return False


def language_of_fence(info: str) -> str:
    """What to highlight a fence as; plain text where Pygments does not know its language, as `check` reports."""
    word = fence_word(info)
    return word if word and is_known(word) else PLAIN
