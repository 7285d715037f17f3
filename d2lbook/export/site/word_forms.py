"""Other forms of a text's words under which readers look for them, for languages that the index knows little of.

Pagefind matches the beginnings of words, takes accents off, and knows the endings of some languages, of Turkish too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from d2lbook.languages import Language, language_of

_WORD = re.compile(r"[^\W_]+")
# A word of Hangul alone, and what of Hangul the next begins with.
_NEIGHBOURS = re.compile(r"(?<!\S)([\uac00-\ud7a3]{2,})(?=\s+([\uac00-\ud7a3]{2,}))")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")  # kana, Chinese characters, Hangul
# Letters that are no others with an accent, and what is typed for them on a keyboard that lacks them.
_PLAIN = str.maketrans({"đ": "d", "ı": "i", "ø": "o", "ł": "l"})
_TYPED_OTHERWISE = re.compile(f"[{''.join(map(chr, _PLAIN))}]")
_SHORTEST, _LONGEST = 2, 8  # syllables of a part that is looked for


def other_forms(text: str, lang: str) -> list[str]:
    """Forms with which no word of the text begins, each once, sorted."""
    words = set(_WORD.findall(text))
    found = set(_plain(words))
    language = language_of(lang)
    if language.unspaced:
        for word in set(_UNSPACED.findall(text)):
            found |= _parts(word, lang)
        found.update(_compounds(text, language))
    every = sorted(found.union(word.lower() for word in words))
    return [form for form, after in pairwise([*every, ""]) if form in found and not after.startswith(form)]


def _plain(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        lower = word.replace("İ", "i").lower()
        if _TYPED_OTHERWISE.search(lower) is not None:
            yield lower.translate(_PLAIN)


@lru_cache(maxsize=50_000)  # pages and frameworks share most words
def _parts(word: str, lang: str) -> frozenset[str]:
    """What begins within a word: the nouns inside a compound, or in a line without spaces."""
    run = _stem(word, language_of(lang))
    return frozenset(run[start : start + _LONGEST] for start in range(1, len(run) - _SHORTEST + 1))


def _compounds(text: str, language: Language) -> Iterator[str]:
    """Neighbouring Korean words as one: compounds are written either way."""
    for first, second in set(_NEIGHBOURS.findall(text)):
        if not first.endswith(language.not_in_compounds):
            yield first + _stem(second, language)


def _stem(word: str, language: Language) -> str:
    """The word without an ending that it may have, if enough of it stays."""
    if not word.endswith(language.endings):
        return word
    ending = next(ending for ending in language.endings if word.endswith(ending))
    return word.removesuffix(ending) if len(word) - len(ending) >= _SHORTEST else word
