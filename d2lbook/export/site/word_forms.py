"""Other forms of a text's words under which readers look for them, for languages that the index knows little of.

Pagefind matches the beginnings of words, takes accents off, and knows the endings of some languages, of Turkish too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{2,}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")  # kana, Chinese characters, Hangul
# Letters that are no others with an accent, and what is typed for them on a keyboard that lacks them.
_PLAIN = str.maketrans({"đ": "d", "ı": "i", "ø": "o", "ł": "l"})
# Ends of Korean words that are no first part of a compound.
_PARTICLES = tuple("은는이가을를의에와과도로고며서다")
# What Korean nouns take on, where hardly a noun ends so: what begins with the noun is found by it anyway.
_ENDINGS = (
    "입니다", "합니다", "됩니다", "습니다", "에서는", "에서도", "에서", "으로", "까지", "부터", "마다",
    "를", "을", "는", "은", "에",
)  # fmt: skip
_SHORTEST, _LONGEST = 2, 8  # syllables of a part that is looked for


def other_forms(text: str, lang: str) -> list[str]:
    """Forms with which no word of the text begins, each once, sorted."""
    found = set(_plain(text))
    if lang.split("-")[0] in {"ko", "ja", "zh"}:
        found.update(_parts(text))
        found.update(_compounds(text))
    every = sorted(found.union(word.lower() for word in _WORD.findall(text)))
    return [form for form, after in pairwise([*every, ""]) if form in found and not after.startswith(form)]


def _plain(text: str) -> Iterator[str]:
    lower = text.replace("İ", "i").lower()
    if any(chr(letter) in lower for letter in _PLAIN):
        for word in _WORD.findall(lower):
            if (plain := word.translate(_PLAIN)) != word:
                yield plain


def _parts(text: str) -> Iterator[str]:
    """What begins within a word: the nouns inside a compound, or in a line without spaces."""
    for run in map(_stem, _UNSPACED.findall(text)):
        for start in range(1, len(run) - _SHORTEST + 1):
            yield run[start : start + _LONGEST]


def _compounds(text: str) -> Iterator[str]:
    """Neighbouring Korean words as one: compounds are written either way."""
    words = text.split()
    for first, second in pairwise(words):
        if _HANGUL.fullmatch(first) and not first.endswith(_PARTICLES) and (rest := _HANGUL.match(second)):
            yield first + _stem(rest[0])


def _stem(word: str) -> str:
    """The word without an ending that it may have, if enough of it stays."""
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), "")
    return word.removesuffix(ending) if len(word) - len(ending) >= _SHORTEST else word
