"""Other forms of a text's words under which readers look for them, for languages that the index knows little of.

Pagefind matches the beginnings of words, takes accents off, and knows the endings of some languages, of Turkish too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from d2lbook.languages import Language, language_of

_WORD = re.compile(r"[^\W_]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{2,}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")  # kana, Chinese characters, Hangul
# Letters that are no others with an accent, and what is typed for them on a keyboard that lacks them.
_PLAIN = str.maketrans({"đ": "d", "ı": "i", "ø": "o", "ł": "l"})
_SHORTEST, _LONGEST = 2, 8  # syllables of a part that is looked for


def other_forms(text: str, lang: str) -> list[str]:
    """Forms with which no word of the text begins, each once, sorted."""
    found = set(_plain(text))
    language = language_of(lang)
    if language.unspaced:
        found.update(_parts(text, language))
        found.update(_compounds(text, language))
    every = sorted(found.union(word.lower() for word in _WORD.findall(text)))
    return [form for form, after in pairwise([*every, ""]) if form in found and not after.startswith(form)]


def _plain(text: str) -> Iterator[str]:
    lower = text.replace("İ", "i").lower()
    if any(chr(letter) in lower for letter in _PLAIN):
        for word in _WORD.findall(lower):
            if (plain := word.translate(_PLAIN)) != word:
                yield plain


def _parts(text: str, language: Language) -> Iterator[str]:
    """What begins within a word: the nouns inside a compound, or in a line without spaces."""
    for word in _UNSPACED.findall(text):
        run = _stem(word, language)
        for start in range(1, len(run) - _SHORTEST + 1):
            yield run[start : start + _LONGEST]


def _compounds(text: str, language: Language) -> Iterator[str]:
    """Neighbouring Korean words as one: compounds are written either way."""
    words = text.split()
    for first, second in pairwise(words):
        if not _HANGUL.fullmatch(first) or first.endswith(language.not_in_compounds):
            continue
        if rest := _HANGUL.match(second):
            yield first + _stem(rest[0], language)


def _stem(word: str, language: Language) -> str:
    """The word without an ending that it may have, if enough of it stays."""
    ending = next((ending for ending in language.endings if word.endswith(ending)), "")
    return word.removesuffix(ending) if len(word) - len(ending) >= _SHORTEST else word
