"""What is known of pages and catalogs that did not change: kept from one build to the next."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from d2lbook.diagnostics import Message
from d2lbook.model import Document, UiStrings
from d2lbook.translate.units import Unit


@dataclass(frozen=True, slots=True)
class TranslatedPage:
    """A page in a language, and what was found in its catalog."""

    digest: str  # of all that it was made from
    document: Document
    found: tuple[Message, ...]
    with_strings: Document | None = None  # the same with strings of its code translated, where the catalog has any


@dataclass(frozen=True, slots=True)
class TranslatedDrawing:
    """A drawing in a language, and what was found in its catalog."""

    digest: str
    svg: str
    found: tuple[Message, ...]


Pages = dict[str, TranslatedPage]  # by path
PlotWords = dict[str, dict[str, str]]  # by the name of a page


@dataclass(slots=True)
class TranslationCache:
    """Units by path, and pages, drawings, words and those of plots by language, each with what it was made from."""

    units: dict[str, tuple[str, tuple[Unit, ...]]] = field(default_factory=dict)
    pages: dict[str, Pages] = field(default_factory=dict)  # by language: those that were asked for
    load: Callable[[str], Pages] | None = None  # a language's pages of the last command
    drawings: dict[tuple[str, str], TranslatedDrawing] = field(default_factory=dict)
    in_step: dict[tuple[str, str], str] = field(default_factory=dict)  # catalogs that need no update
    words: dict[str, tuple[str, UiStrings, tuple[Message, ...]]] = field(default_factory=dict)
    plots: dict[str, tuple[str, PlotWords, tuple[Message, ...]]] = field(default_factory=dict)

    def pages_of(self, lang: str) -> Pages:
        """The pages of a language: to be looked up, and added to."""
        if lang not in self.pages:
            self.pages[lang] = self.load(lang) if self.load is not None else {}
        return self.pages[lang]

    def units_of(self, document: Document) -> tuple[Unit, ...]:
        """The units of a page, extracted only if its text changed."""
        digest = digest_of(document.text)
        known = self.units.get(document.path)
        if known is None or known[0] != digest:
            from d2lbook.translate.extract import units

            known = self.units[document.path] = digest, units(document)
        return known[1]


def digest_of(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
