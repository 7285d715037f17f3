"""The glossary of a language: `locales/<lang>/glossary.csv`, with the columns term, translation, note."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.files import is_file, read_text
from d2lbook.languages import DEFAULT, is_right_to_left, language_of
from d2lbook.translate.catalog import LOCALES
from d2lbook.translate.checks.translation import INVISIBLE, Finding, words_only
from d2lbook.translate.units import Unit

HEADER = ("term", "translation", "note")
_ENDINGS = language_of(DEFAULT).plural_endings  # of the terms, which are in the builder's own language
_WORD = re.compile(r"\w+")
_CODE = "translation-glossary"


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms of the source, and what each may be called in the language.

    A term with capitals is a name, written so. A plural in -s or -es is the term, too.
    """

    lang: str
    path: str
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = field(default="", repr=False)
    pattern: re.Pattern[str] = field(init=False, repr=False, default=re.compile("(?!)"))
    _beginnings: frozenset[str] | None = field(init=False, repr=False, default=frozenset())

    def __post_init__(self) -> None:
        if self.terms:  # longest first, so that "learning rate" is not taken for "rate"
            ordered = sorted(self.terms, key=lambda term: (-len(term), term))
            words = "|".join(f"(?i:{re.escape(term)})" if term.islower() else re.escape(term) for term in ordered)
            object.__setattr__(self, "pattern", re.compile(rf"(?<![\w-])(?:{words})(?:{'|'.join(_ENDINGS)})?(?![\w-])"))
            object.__setattr__(self, "_beginnings", _first_words(ordered))

    def check(self, unit: Unit, text: str) -> Iterator[Finding]:
        """Terms of the source for which the translation has none of their words."""
        if text == unit.msgid or unit.form == "word":  # a name; a button's Copy is not the copy that the pages explain
            return
        source = words_only(unit.msgid, unit.is_code)
        lower = language_of(self.lang).lower
        found = dict.fromkeys(term for found in self._terms_in(source) if (term := self._term(found)))
        translated = lower(unicodedata.normalize("NFC", text))
        for term in found:
            allowed = self.terms[term]
            if not any(lower(word) in translated for word in allowed):
                what = f"'{term}' is {' or '.join(f'“{word}”' for word in allowed)} in {self.path}"
                hint = "use it, add to the glossary, or excuse it with a comment '# glossary: ok, why'"
                yield Finding("warning", f"{what}; {hint}", _CODE)

    def _terms_in(self, source: str) -> Iterator[str]:
        """The terms as they stand in a text: the pattern, which is slow, is tried where a term's first word begins."""
        if self._beginnings is None:
            yield from (match[0] for match in self.pattern.finditer(source))
            return
        end = 0
        for word in _WORD.finditer(source):
            if word.start() >= end and word[0].lower() in self._beginnings:
                found = self.pattern.match(source, word.start())
                if found is not None:
                    end = found.end()
                    yield found[0]

    def _term(self, found: str) -> str:
        """The term that a text has found in it; "" where letters are alike that are not the same, as in "ſize"."""
        forms = (found, *map(found.removesuffix, _ENDINGS))
        return next((form for form in (*forms, *map(str.lower, forms)) if form in self.terms), "")


def _first_words(terms: Iterable[str]) -> frozenset[str] | None:
    """The words that terms may begin with, in lower case; None if a term begins with something else."""
    words: list[str] = []
    for term in terms:
        first = _WORD.match(term)
        if first is None:
            return None
        words.append(first[0].lower())
    return frozenset(word + ending for word in words for ending in ("", *_ENDINGS))


def glossary_path(lang: str) -> str:
    return f"{LOCALES}/{lang}/glossary.csv"


def load_glossary(config: Config, lang: str, messages: Messages) -> Glossary:
    """A language's glossary; lines that cannot be used are reported and left out."""
    shown = glossary_path(lang)
    if not is_file(config.root / shown):
        return Glossary(lang, shown)
    try:
        text = read_text(config.root / shown)
    except BookError as error:
        for found in error.messages:
            messages.error(shown, found.line, found.column, found.text, found.code)
        return Glossary(lang, shown)
    return read_glossary(text, lang, shown, messages)


def read_glossary(text: str, lang: str, shown: str, messages: Messages) -> Glossary:
    """The glossary in a file's text."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    terms: dict[str, tuple[str, ...]] = {}
    line = 1
    try:
        for row in reader:
            if line == 1 and tuple(cell.strip() for cell in row) != HEADER:
                messages.error(shown, 1, 1, f"the first line is not '{','.join(HEADER)}'; write it", "glossary-line")
            elif line > 1 and row:
                _add(row, lang, (shown, line), terms, messages)
            line = reader.line_num + 1
    except csv.Error as error:
        messages.error(shown, line, 1, f"no line of a table: {error}; mend its quotes", "glossary-line")
    return Glossary(lang, shown, terms, text)


def _add(
    row: list[str], lang: str, place: tuple[str, int], terms: dict[str, tuple[str, ...]], messages: Messages
) -> None:
    if not all(unicodedata.is_normalized("NFC", cell) for cell in row[:2]):
        what = "letters and their accents are separate characters; save the file in Unicode's form NFC"
        messages.warning(*place, 1, what, "translation-nfc")
    row = [unicodedata.normalize("NFC", cell) for cell in row]
    term = " ".join(row[0].split())
    words = tuple(filter(None, (" ".join(word.split()) for word in "".join(row[1:2]).split("|"))))
    if not term or not words or len(row) > len(HEADER):
        what = "needs a term, its translation and perhaps a note; put a text with commas in double quotes"
        messages.error(*place, 1, f"the line {what}", "glossary-line")
    elif term in terms:
        messages.warning(*place, 1, f"'{term}' has a line already; put both into one, with ' | '", "glossary-twice")
    elif what := other_direction(lang, " ".join(row[:2])):
        messages.error(*place, 1, f"'{term}' holds {what}", "glossary-direction")
    elif hidden := INVISIBLE.findall(" ".join([term, *words])):
        what = f"an invisible character, U+{ord(hidden[0]):04X}, with which no text would be found; take it out"
        messages.error(*place, 1, f"'{term}' holds {what}", "glossary-line")
    else:
        terms[term] = words


def other_direction(lang: str, text: str) -> str:
    """What is wrong with a text that goes in another direction than its language; empty when nothing is."""
    kinds = {"R", "AL", "RLE", "RLO", "RLI", "AN"}
    found = next((letter for letter in dict.fromkeys(text) if unicodedata.bidirectional(letter) in kinds), "")
    if not found or is_right_to_left(lang):
        return ""
    name = unicodedata.name(found, f"U+{ord(found):04X}").lower()
    return f"a letter that is written from right to left ({name}), which {lang} has not; replace it"
