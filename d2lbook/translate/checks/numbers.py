"""Whether the numbers of a source are in its translation, however its language groups digits and writes round ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError

from d2lbook.languages import DEFAULT, language_of
from d2lbook.translate.checks.translation import words_only

_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:([.,\u00a0\u202f])\d{3})(?:\1\d{3})*")


def numbers_missing(msgid: str, text: str, lang: str) -> list[str]:
    """Numbers of the source, which is in the builder's own language, that its translation to `lang` lacks.

    10,000 may be 10.000 there, 10 bin or 1만. Numbers of one digit may be words in one of the two.
    """
    present = [readings for _, readings in _numbers(words_only(text), lang)]
    missing: list[str] = []
    source = DEFAULT if _scales(lang)[0] else lang  # words that nobody can find there are not asked for
    for number, wanted in _numbers(words_only(msgid), source):
        found = next((readings for readings in present if readings & wanted), None)
        if found is not None:
            present.remove(found)
        elif sum(map(str.isdigit, number)) > 1:
            missing.append(number)
    return missing


def _numbers(words: str, lang: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Each number as it is written, and what it can mean, in plain digits with a decimal point."""
    scales, after = _scales(lang)
    for match in _NUMBER.finditer(words):
        plain = _plain(match[0])
        scale = after.match(words, match.end())
        if scale is None:
            yield match[0], plain
            continue
        factor = scales[scale[1]]
        scaled = frozenset(f"{(Decimal(number) * factor).normalize():f}" for number in plain)
        # Where letters follow, they may be an ending (10 bini) or make another word (16조각, 10 bina).
        longer = words[scale.end() : scale.end() + 1].isalpha()
        yield f"{match[0]}{scale[0]}", scaled | plain if longer else scaled


def _plain(number: str) -> frozenset[str]:
    """1.024 is 1024 to some and 1.024 to others; 3,5 can only be 3.5."""
    digits, marks = re.sub(r"\D", "", number), re.sub(r"\d", "", number)
    readings = {digits} if not marks or _GROUPED.fullmatch(number) else set()
    if marks.endswith((".", ",")):
        decimals = len(number) - number.rindex(marks[-1]) - 1
        readings.add(f"{digits[:-decimals]}.{digits[-decimals:]}")
    return frozenset(readings or {digits})


@lru_cache
def _scales(lang: str) -> tuple[dict[str, int], re.Pattern[str]]:
    """A language's words for a thousand, a million and so on, and what finds one after a number."""
    scales = {**_cldr_scales(lang), **language_of(lang).number_words}
    if not scales:
        return {}, re.compile("(?!)")
    scales |= {word.capitalize(): scale for word, scale in scales.items()}  # in titles
    longest_first = sorted(scales, key=lambda word: (-len(word), word))
    return scales, re.compile(rf"[ \u00a0]?({'|'.join(map(re.escape, longest_first))})")


def _cldr_scales(lang: str) -> dict[str, int]:
    try:
        formats = Locale.parse(lang, sep="-").compact_decimal_formats
    except (UnknownLocaleError, ValueError):
        return {}
    scales: dict[str, int] = {}
    for by_power in formats["long" if "long" in formats else "short"].values():
        for power, pattern in by_power.items():  # 10000: "00 bin"
            if word := pattern.pattern.replace("0", "").strip():
                scales[word] = int(power) // 10 ** (pattern.pattern.count("0") - 1)
    return scales
