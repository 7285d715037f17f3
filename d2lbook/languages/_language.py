"""What a book needs to know of a language, with what holds for one that has no module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


def listed(text: str) -> tuple[str, ...]:
    """Return words that are written with spaces between them."""
    return tuple(text.split())


@dataclass(frozen=True, slots=True)
class Rule:
    """A slip of punctuation: what it looks like, and what a translator is told."""

    pattern: re.Pattern[str]
    message: str  # `{found}` is the group of that name, else all that the pattern finds
    in_code: bool = False  # whether it holds for comments and docstrings, too

    def find(self, text: str) -> str:
        """Return the message about the first slip in a text; empty without one."""
        found = self.pattern.search(text)
        if found is None:
            return ""
        return self.message.format(found=found["found"] if "found" in self.pattern.groupindex else found[0])


# For languages that put quotations between “ and ”.
TYPOGRAPHIC = (
    Rule(re.compile('"'), 'a straight quotation mark "; write “ and ”'),
    Rule(re.compile(r"(?<!\.)\.\.\.(?!\.)"), "three dots; write the one character …"),
)


@dataclass(frozen=True, slots=True)
class Language:
    """One language. Every field has the value that suits most languages, so a module states what is special."""

    code: str  # BCP 47: "ko"; varieties such as ko-KR follow it
    name: str  # in English

    # Text
    plural_forms: str = "nplurals=2; plural=(n != 1);"  # of gettext; the book's messages have none, but editors ask
    dotted_i: bool = False  # i and ı are two letters, so the capital of i is İ
    iso_dates: bool = False  # 2026-11-22 rather than the form that CLDR has
    number_words: Mapping[str, int] = field(default_factory=dict)  # beside those that CLDR has
    plural_endings: tuple[str, ...] = ()  # with which a term of the glossary is still that term
    punctuation: tuple[Rule, ...] = ()

    # Search
    index_knows_forms: bool = False  # Pagefind's own word forms are enough: no others are added to its index
    unspaced: bool = False  # words hold words: what begins within one is looked for
    stop_words: tuple[str, ...] = ()  # words of a question that name nothing
    query_endings: tuple[str, ...] = ()  # taken off a query's word, where four letters stay; longest first
    particles: tuple[str, ...] = ()  # that readers type behind a noun, in any number; longest first
    endings: tuple[str, ...] = ()  # taken off nouns for the index; longest first
    not_in_compounds: tuple[str, ...] = ()  # ends of words that are no first part of a compound
    words_are_syllables: bool = False  # a word of a query ends where it ends, save the one being typed

    # Screens: CSS font families before the generic one, by style ("serif", "sans", "mono"), and habits
    fonts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    line_height: str = ""
    breaks_in_words: bool = True  # lines break where Unicode allows; else between words only
    has_italics: bool = True
    gap_around_code: str = ""  # where particles follow code without a space
    slides_in_sans: bool = False  # where few systems have a serif that matches the Latin one

    # Print
    latex_default: bool = False  # XeLaTeX is set up for it without babel
    hyphenation: str = ""  # TeX's name of its patterns, where a system package has to bring them
    cjk_region: str = ""  # of Noto's CJK fonts: KR, JP, SC, TC or HK; empty for other scripts
    cjk_regions: Mapping[str, str] = field(default_factory=dict)  # of its varieties, by code in lower case
    break_penalty: int = 0  # of a line break inside a word of a CJK language

    def lower(self, text: str) -> str:
        """Return a text in lower case."""
        if self.dotted_i:
            text = text.replace("İ", "i").replace("I", "ı")
        return text.lower()

    def capitalised(self, text: str) -> str:
        """Return a text with its first letter in upper case."""
        first = "İ" if self.dotted_i and text.startswith("i") else text[:1].upper()
        return first + text[1:]
