"""The book in the languages that it is read in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.book.citations import citations_in
from d2lbook.book.faults import marked
from d2lbook.book.targets import find_targets
from d2lbook.cache import CATALOGS
from d2lbook.cache import INTERFACE as INTERFACE_FILE
from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Message, Messages
from d2lbook.execute.frozen import run_path
from d2lbook.files import is_file
from d2lbook.frameworks import with_free
from d2lbook.model import Book, Document, Fault, UiStrings

if TYPE_CHECKING:
    from d2lbook.translate.unit_cache import TranslationCache
    from d2lbook.translate.units import Unit


@dataclass(frozen=True, slots=True)
class Edition:
    """The book in one language: its documents, the configuration (`lang`, `title`) and the builder's words."""

    book: Book
    config: Config
    source: Book | None = None  # what it is translated from

    @property
    def lang(self) -> str:
        return self.config.lang

    @property
    def is_source(self) -> bool:
        return self.lang == self.config.source_lang

    def told(self, found: Iterable[Message]) -> Iterator[Message]:
        """Maps findings about this edition to the lines of the source, and adds the language."""
        for message in found:
            place = self._place(message) if self.source is not None and message.line else None
            if place is None:
                yield message
            else:
                line, column = place
                yield replace(message, line=line, column=column, text=f"[{self.lang}] {message.text}")

    def _place(self, message: Message) -> tuple[int, int] | None:
        """Line and column in the source of the block that a finding is about: blocks are the same in all languages."""
        if self.source is None:
            return None
        for page, before in zip(self.book.pages, self.source.pages, strict=True):
            if page.document.path == message.path:
                here = (block for block in page.document.walk() if not isinstance(block, Fault))
                blocks = zip(here, before.document.walk(), strict=True)
                before_it = [source.span for block, source in blocks if block.span.line <= message.line]
                return (before_it[-1].line, before_it[-1].column) if before_it else None
        return None


def editions(
    book: Book, config: Config, languages: Iterable[str], messages: Messages, kept: TranslationCache | None = None
) -> list[Edition]:
    """One edition for each of the languages, in their order; what is wrong with catalogs goes to `messages`.

    What has no translation, or one that cannot be used, is in the source's language there (`Block.lang`). With `kept`
    from an earlier command, only what changed is translated again. Each is made once for a book, unless its pages have
    been run in between. The source's faults are marked in all of them.
    """
    return [
        _marked(Edition(_in_own_words(book, config), config), book)
        if lang == config.source_lang
        else _marked(_made_once(book, config, lang, messages, kept), book)
        for lang in languages
    ]


def _in_own_words(book: Book, config: Config) -> Book:
    """The book in its own language, with the words of its catalog for that language, if it has one."""
    words = words_in(config, config.source_lang)
    if not words.known or words == book.words:
        return book
    worded = replace(book, words=words, citations=citations_in(words, book.citations))
    for _ in range(2):  # titles hold references to titles
        worded = replace(worded, targets=find_targets(worded, Messages()))
    return worded


def _marked(edition: Edition, source: Book) -> Edition:
    return replace(edition, book=marked(edition.book, source)) if source.faults else edition


def _made_once(book: Book, config: Config, lang: str, messages: Messages, kept: TranslationCache | None) -> Edition:
    made: _Made | None = book.memo.get(("edition", lang))
    results = _results(config, lang)
    if made is None or made.edition_of is not config or made.results != results:
        found = Messages()
        edition = _translated(book, config, lang, found, kept)
        made = book.memo["edition", lang] = _Made(edition, config, results, tuple(found))
    messages.extend(made.found)
    return made.edition


@dataclass(frozen=True, slots=True)
class _Made:
    """An edition, with all that it was made of beside its book, and what was found."""

    edition: Edition
    edition_of: Config
    results: list[tuple[Path, int]]
    found: tuple[Message, ...]


def _results(config: Config, lang: str) -> list[tuple[Path, int]]:
    """The frozen results of a language: pages that have some show translated strings."""
    folder = run_path(config.root, lang, "").parent
    return sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*.json"))


def _translated(book: Book, config: Config, lang: str, messages: Messages, kept: TranslationCache | None) -> Edition:
    from d2lbook.execute.state import page_state
    from d2lbook.library import code_of
    from d2lbook.translate.edition import translated_book

    def has_run(document: Document) -> bool:
        code = code_of(book)
        with_cells = (tab for tab in with_free(book.tabs) if code.digest(document, tab, book.tabs).runs)
        return all(page_state(document, tab, book, config) == "fresh" for tab in with_cells)

    translated = translated_book(book, config, lang, messages, kept, has_run)
    return Edition(translated, config.in_language(lang, translated.words), book)


def pages_to_run(book: Book, config: Config, lang: str, kept: TranslationCache | None = None) -> list[Document]:
    """The pages whose strings are translated into `lang`, and which therefore have results of their own."""
    from d2lbook.translate.edition import translated_book

    translated = translated_book(book, config, lang, Messages(), kept, has_run=lambda _: True)
    return [page.document for page in translated.pages if page.document.results]


def words_in(config: Config, lang: str) -> UiStrings:
    """The builder's words in a language; what is wrong with their catalog is reported with the edition."""
    if not is_file(config.root / CATALOGS / lang / INTERFACE_FILE):  # as that of the book's own language
        return UiStrings(lang)
    from d2lbook.translate.catalog import INTERFACE, read_catalog_text
    from d2lbook.translate.sources import word_units

    try:
        text = read_catalog_text(config, lang, INTERFACE)
    except BookError:
        text = None
    return _words(lang, text, word_units(config)) if text else UiStrings(lang)


@lru_cache(maxsize=16)  # each edition asks for the words of all
def _words(lang: str, text: str, units: tuple[Unit, ...]) -> UiStrings:
    from d2lbook.translate.catalog import catalog_of, parse_po
    from d2lbook.translate.checks.catalog import check_catalog, words_of
    from d2lbook.translate.checks.glossary import Glossary

    try:
        catalog = catalog_of(parse_po(text, ""), "", text)
    except BookError:
        return UiStrings(lang)
    return UiStrings(lang, words_of(catalog, units, check_catalog(units, catalog, Glossary(lang, ""), "").refused))
