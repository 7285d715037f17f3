"""The book in another language: pages translated, numbers and anchors as in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from d2lbook.book.citations import citations_in
from d2lbook.book.targets import find_targets
from d2lbook.config import Config
from d2lbook.config.keys import nearest
from d2lbook.diagnostics import BookError, Message, Messages
from d2lbook.model import Book, Document, Page, UiStrings
from d2lbook.translate.apply import has_strings, translate_document
from d2lbook.translate.catalog import (
    INTERFACE,
    LOCALES,
    Catalog,
    catalog_names,
    catalog_of,
    catalog_path,
    header_findings,
    parse_po,
    read_catalog_text,
)
from d2lbook.translate.checks.catalog import Checked, check_catalog, words_of
from d2lbook.translate.checks.glossary import Glossary, load_glossary
from d2lbook.translate.figures import drawing_name, drawing_units, drawings, translate_svg
from d2lbook.translate.plots import CATALOG as PLOTS
from d2lbook.translate.plots import page_of
from d2lbook.translate.sources import read_drawing, word_units
from d2lbook.translate.unit_cache import PlotWords, TranslatedDrawing, TranslatedPage, TranslationCache, digest_of
from d2lbook.translate.units import PLOT, Unit

HasRun = Callable[[Document], bool]  # whether a page with translated strings has fresh results


def translated_book(
    book: Book,
    config: Config,
    lang: str,
    messages: Messages,
    kept: TranslationCache | None = None,
    has_run: HasRun | None = None,
) -> Book:
    """The book in `lang`. What has no translation, or one that cannot be used, is in the source's language.

    Strings of a page's code are translated if `has_run` says that the page has been run with them.
    Findings of catalogs go to `messages` as warnings, even for a strict book: a translation that cannot be used is no
    reason to build nothing. `check_translations` has them as what they are.
    """
    translator = _Translator(book, config, lang, TranslationCache() if kept is None else kept, has_run)
    pages = tuple(replace(page, document=translator.page(page.document)) for page in book.pages)
    words = translator.words()
    translated = replace(
        book,
        pages=pages,
        words=words,
        drawings=translator.drawings(),
        plot_words=translator.plots(),
        numbers=_numbers(book, pages),
        citations=citations_in(words, book.citations),
    )
    for _ in range(2):  # titles hold references to titles
        translated = replace(translated, targets=find_targets(translated, Messages()))
    translator.report_catalogs()
    messages.extend(replace(message, level="warning") for message in translator.found)
    return translated


def check_translations(
    book: Book, config: Config, languages: Iterable[str], messages: Messages, kept: TranslationCache | None = None
) -> None:
    """Reports what is wrong with the catalogs and glossaries of languages."""
    for lang in languages:
        translator = _Translator(book, config, lang, TranslationCache() if kept is None else kept)
        for page in book.pages:
            translator.page(page.document)
        translator.words()
        translator.drawings()
        translator.plots()
        translator.report_catalogs()
        for message in translator.found:
            add = messages.error if message.level == "error" else messages.warning
            add(message.path, message.line, message.column, message.text, message.code)


def _numbers(book: Book, pages: tuple[Page, ...]) -> dict[tuple[str, int], str]:
    """The source's numbers, at the places that their blocks have in the translated pages."""
    numbers: dict[tuple[str, int], str] = {}
    for before, page in zip(book.pages, pages, strict=True):
        for block, translated in zip(before.document.walk(), page.document.walk(), strict=True):
            number = book.numbers.get((before.document.name, block.span.start))
            if number is not None:
                numbers[page.document.name, translated.span.start] = number
    return numbers


def _catalog(text: str, path: str, found: Messages) -> Catalog:
    """The messages of a catalog; none when it cannot be read, which is reported."""
    if not text:
        return Catalog(path)
    try:
        po = parse_po(text, path)
    except BookError as error:
        found.extend(error.messages)
        return Catalog(path)
    found.extend(header_findings(po, text, path))
    return catalog_of(po, path, text)


@dataclass(slots=True)
class _Translator:
    """Translates the parts of a book into one language, from `kept` where neither source nor catalog changed."""

    book: Book
    config: Config
    lang: str
    kept: TranslationCache
    has_run: HasRun | None = None
    found: Messages = field(default_factory=Messages)
    glossary: Glossary = field(init=False)

    def __post_init__(self) -> None:
        self.glossary = load_glossary(self.config, self.lang, self.found)

    def page(self, document: Document) -> Document:
        """A page, with its findings noted."""
        text = self._text(document.name)
        digest = digest_of(self.config.source_lang, document.text, text or "", self.glossary.text)
        pages = self.kept.pages_of(self.lang)
        result = pages.get(document.path)
        if result is None or result.digest != digest:
            result = pages[document.path] = self._translate(document, text or "", digest)
        self.found.extend(result.found)
        other = result.with_strings
        return other if other is not None and self.has_run is not None and self.has_run(other) else result.document

    def _translate(self, document: Document, text: str, digest: str) -> TranslatedPage:
        found = Messages()
        source = self.config.source_lang
        units = self.kept.units_of(document)
        catalog, checked = self._read(text, document.name, units, document.path, found)
        unfit: list[Unit] = []
        translated = translate_document(document, catalog, source, checked.refused, known=units, unfit=unfit)
        if translated is None:
            what = f"with these translations {document.path} is not the same page: its blocks are others"
            found.error(catalog.path, 0, 0, f"{what}; until they are mended none is used", "translation-structure")
            translated = translate_document(document, Catalog(catalog.path), source, known=units) or document
        other = None
        if has_strings(catalog, units, checked.refused):
            other = translate_document(
                document, catalog, source, checked.refused, strings=True, known=units, unfit=unfit
            )
        for unit in dict.fromkeys(unfit):
            if (entry := catalog.get(unit)) is not None:
                what = "with the translations of this cell it is another program; until they are mended none is used"
                found.error(catalog.path, entry.line, 1, what, "translation-string")
        with_strings = replace(other, results=self.lang) if other is not None else None
        return TranslatedPage(digest, translated, tuple(found), with_strings)

    def drawings(self) -> dict[Path, str]:
        """The drawings that have text in the language, by their files."""
        result: dict[Path, str] = {}
        for path in drawings(page.document for page in self.book.pages):
            svg, text = read_drawing(self.config, path), self._text(drawing_name(path))
            if svg is None or not text:
                continue
            digest = digest_of(svg, text, self.glossary.text)
            drawing = self.kept.drawings.get((self.lang, path))
            if drawing is None or drawing.digest != digest:
                found = Messages()
                catalog, checked = self._read(text, drawing_name(path), drawing_units(svg), path, found)
                drawing = TranslatedDrawing(digest, translate_svg(svg, catalog, checked.refused), tuple(found))
                self.kept.drawings[self.lang, path] = drawing
            self.found.extend(drawing.found)
            if drawing.svg != svg:
                result[self.config.root / path] = drawing.svg
        return result

    def words(self) -> UiStrings:
        """The builder's words and those of config.ini."""
        text = self._text(INTERFACE) or ""
        units = word_units(self.config)
        digest = digest_of(text, self.glossary.text, *(unit.msgid for unit in units))
        known = self.kept.words.get(self.lang)
        if known is None or known[0] != digest:
            found = Messages()
            catalog, checked = self._read(text, INTERFACE, units, "the builder", found)
            words = UiStrings(self.lang, words_of(catalog, units, checked.refused))
            known = self.kept.words[self.lang] = digest, words, tuple(found)
        self.found.extend(known[2])
        return known[1]

    def plots(self) -> PlotWords:
        """The words of plots that are translated, by the name of their page."""
        text = self._text(PLOTS) or ""
        digest = digest_of(text, self.glossary.text)
        known = self.kept.plots.get(self.lang)
        if known is None or known[0] != digest:
            known = self.kept.plots[self.lang] = digest, *self._plot_words(text)
        self.found.extend(known[2])
        return known[1]

    def _plot_words(self, text: str) -> tuple[PlotWords, tuple[Message, ...]]:
        """The catalog names its own messages: which of them the results still have, `update` knows."""
        found = Messages()
        catalog = _catalog(text, catalog_path(self.lang, PLOTS), found)
        units = tuple(Unit(0, 0, PLOT, entry.context, entry.msgid, form="drawing") for entry in catalog.entries)
        checked = check_catalog(units, catalog, self.glossary, "a plot")
        found.extend(checked.found)
        words: PlotWords = {}
        for entry in catalog.entries:
            if entry.usable and entry.key not in checked.refused:
                words.setdefault(page_of(entry.context), {}).setdefault(entry.msgid, " ".join(entry.text.split()))
        return words, tuple(found)

    def _text(self, name: str) -> str | None:
        """A catalog's text; None when there is none, or, with a finding, when it cannot be read."""
        try:
            return read_catalog_text(self.config, self.lang, name)
        except BookError as error:
            self.found.extend(error.messages)
            return None

    def _read(
        self, text: str, name: str, units: tuple[Unit, ...], source: str, found: Messages
    ) -> tuple[Catalog, Checked]:
        """A catalog and what its check says; it is empty when it cannot be read."""
        catalog = _catalog(text, catalog_path(self.lang, name), found)
        checked = check_catalog(units, catalog, self.glossary, source)
        found.extend(checked.found)
        return catalog, checked

    def report_catalogs(self) -> None:
        """Notes a language without catalogs, and catalogs of pages that the book does not have."""
        folder = f"{LOCALES}/{self.lang}"
        catalogs = catalog_names(self.config, self.lang)
        if not catalogs:
            what = f"the language '{self.lang}' has no catalogs in {folder}, so all is shown in the source's language"
            line = self.config.line("project", "languages")
            place = self.config.name_in_messages, line, 0
            self.found.error(*place, f"{what}; run: d2lbook translate add {self.lang}", "language-empty")
        documents = [page.document for page in self.book.pages]
        names = {INTERFACE, PLOTS, *(document.name for document in documents), *map(drawing_name, drawings(documents))}
        for name in catalogs:
            if name not in names:
                what = f"the book has no page or figure '{name}'{nearest(name, sorted(names))}"
                self.found.warning(f"{folder}/{name}.po", 0, 0, f"{what}; rename or remove it", "catalog-page")
