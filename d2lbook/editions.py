"""The book in the languages that it is read in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from d2lbook.config import Config
from d2lbook.messages import Messages
from d2lbook.model import Book, Words

if TYPE_CHECKING:
    from d2lbook.translate.kept import KeptTranslations


@dataclass(frozen=True, slots=True)
class Edition:
    """The book in one language: its documents, the configuration (`lang`, `title`) and the builder's words."""

    book: Book
    config: Config

    @property
    def lang(self) -> str:
        return self.config.lang

    @property
    def is_source(self) -> bool:
        return self.lang == self.config.source_lang


def editions(
    book: Book, config: Config, languages: Iterable[str], messages: Messages, kept: KeptTranslations | None = None
) -> list[Edition]:
    """One edition for each of the languages, in their order; what is wrong with catalogs goes to `messages`.

    What has no translation, or one that cannot be used, is in the source's language there (`Block.lang`). With `kept`
    from an earlier call, only what changed is translated again.
    """
    return [
        Edition(book, config) if lang == config.source_lang else _translated(book, config, lang, messages, kept)
        for lang in languages
    ]


def _translated(book: Book, config: Config, lang: str, messages: Messages, kept: KeptTranslations | None) -> Edition:
    from d2lbook.translate.edition import translated_book

    translated = translated_book(book, config, lang, messages, kept)
    return Edition(translated, config.in_language(lang, translated.words))


def words_in(config: Config, lang: str) -> Words:
    """The builder's words in a language; what is wrong with their catalog is reported with the edition."""
    if lang == config.source_lang:
        return Words(lang)
    from d2lbook.translate.catalog import INTERFACE, load_catalog

    catalog = load_catalog(config, lang, INTERFACE, Messages())
    entries = catalog.entries if catalog is not None else ()
    return Words(lang, {entry.msgid: entry.text for entry in entries if entry.usable})
