"""The book in another language: pages translated, numbers and anchors as in the source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from d2lbook.book.targets import find_targets
from d2lbook.config import Config, nearest
from d2lbook.messages import BookError, Messages
from d2lbook.model import Book, Document, Page, Words
from d2lbook.translate.apply import translate_document
from d2lbook.translate.catalog import INTERFACE, LOCALES, Catalog, catalog_of, catalog_path, parse_po, read_catalog_text
from d2lbook.translate.checking import Checked, check_catalog
from d2lbook.translate.figures import drawing_name, drawing_units, drawings, translate_svg
from d2lbook.translate.glossary import Glossary, load_glossary
from d2lbook.translate.kept import KeptTranslations, TranslatedDrawing, TranslatedPage, digest_of
from d2lbook.translate.sources import read_drawing, word_units

_KEPT = KeptTranslations()  # for as long as this process runs


def translated_book(
    book: Book, config: Config, lang: str, messages: Messages, kept: KeptTranslations | None = None
) -> Book:
    """The book in `lang`. What has no translation, or one that cannot be used, is in the source's language.

    Findings of catalogs go to `messages` as warnings, even for a strict book: a translation that cannot be used is no
    reason to build nothing. `check_translations` has them as what they are.
    """
    kept = _KEPT if kept is None else kept
    found = Messages()
    glossary = load_glossary(config, lang, found)
    pages = tuple(_translated(page, config, lang, glossary, found, kept) for page in book.pages)
    words = _words(config, lang, found, kept)
    drawn = translated_drawings(book, config, lang, glossary, found, kept)
    _report_catalogs(book, config, lang, found)
    messages.extend(replace(message, level="warning") for message in found)
    translated = replace(book, pages=pages, words=words, drawings=drawn, numbers=_numbers(book, pages))
    for _ in range(2):  # titles hold references to titles
        translated = replace(translated, targets=find_targets(translated, Messages()))
    return translated


def check_translations(
    book: Book, config: Config, languages: Iterable[str], messages: Messages, kept: KeptTranslations | None = None
) -> None:
    """Reports what is wrong with the catalogs and glossaries of languages."""
    kept = _KEPT if kept is None else kept
    for lang in languages:
        found = Messages(messages.strict)
        glossary = load_glossary(config, lang, found)
        for page in book.pages:
            result = translated_page(page.document, config, lang, glossary, kept)
            for message in result.found:
                add = found.error if message.level == "error" else found.warning
                add(message.path, message.line, message.column, message.text, message.code)
        _words(config, lang, found, kept)
        translated_drawings(book, config, lang, glossary, found, kept)
        _report_catalogs(book, config, lang, found)
        messages.extend(found)


def _report_catalogs(book: Book, config: Config, lang: str, found: Messages) -> None:
    """Reports a language without catalogs, and catalogs of pages that the book does not have."""
    folder = f"{LOCALES}/{lang}"
    paths = [path.relative_to(config.root / folder) for path in sorted((config.root / folder).rglob("*.po"))]
    if not paths:
        what = f"the language '{lang}' has no catalogs in {folder}, so all is shown in the source's language"
        found.warning(
            config.name_in_messages, config.line("project", "languages"), 0,
            f"{what}; run: d2lbook translate add {lang}", "language-empty",
        )  # fmt: skip
    names = {page.document.name for page in book.pages} | {INTERFACE}
    names |= set(map(drawing_name, drawings(page.document for page in book.pages)))
    for path in paths:
        name = path.with_suffix("").as_posix()
        if name not in names:
            what = f"the book has no page or figure '{name}'{nearest(name, sorted(names))}"
            found.warning(f"{folder}/{path.as_posix()}", 0, 0, f"{what}; rename or remove the catalog", "catalog-page")


def _translated(
    page: Page, config: Config, lang: str, glossary: Glossary, found: Messages, kept: KeptTranslations
) -> Page:
    result = translated_page(page.document, config, lang, glossary, kept)
    found.extend(result.found)
    return replace(page, document=result.document)


def translated_page(
    document: Document, config: Config, lang: str, glossary: Glossary, kept: KeptTranslations
) -> TranslatedPage:
    """A page in a language, from `kept` if neither it nor its catalog or glossary changed."""
    found = Messages()
    text = _catalog_text(config, lang, document.name, found)
    digest = digest_of(config.source_lang, document.text, text, glossary.text)
    result = kept.pages.get((lang, document.path))
    if result is None or result.digest != digest:
        unreadable = len(found) > 0  # perhaps for the moment: to be tried again
        result = _translate(document, config, lang, text, glossary, digest, found, kept)
        if not unreadable:
            kept.pages[lang, document.path] = result
    return result


def _translate(
    document: Document,
    config: Config,
    lang: str,
    text: str,
    glossary: Glossary,
    digest: str,
    found: Messages,
    kept: KeptTranslations,
) -> TranslatedPage:
    path = catalog_path(lang, document.name)
    catalog = _read(text, path, found)
    every = kept.units_of(document)
    checked = check_catalog(every, catalog, glossary, document.path) if catalog.entries else Checked()
    found.extend(checked.found)
    translated = translate_document(document, catalog, config.source_lang, checked.refused, known=every)
    if translated is None:
        what = f"the translations change what {document.path} consists of; until they are mended it is not translated"
        found.error(path, 0, 0, what, "translation-structure")
        translated = translate_document(document, Catalog(path), config.source_lang, known=every) or document
    return TranslatedPage(digest, translated, tuple(found))


def translated_drawings(
    book: Book, config: Config, lang: str, glossary: Glossary, found: Messages, kept: KeptTranslations
) -> dict[Path, str]:
    """The drawings of a book that have text in the language, by their files."""
    result: dict[Path, str] = {}
    for path in drawings(page.document for page in book.pages):
        svg = read_drawing(config, path)
        text = _catalog_text(config, lang, drawing_name(path), found)
        if svg is None or not text:
            continue
        digest = digest_of(svg, text, glossary.text)
        drawing = kept.drawings.get((lang, path))
        if drawing is None or drawing.digest != digest:
            drawing = kept.drawings[lang, path] = _translated_drawing(svg, text, path, lang, glossary, digest)
        found.extend(drawing.found)
        if drawing.svg != svg:
            result[config.root / path] = drawing.svg
    return result


def _translated_drawing(
    svg: str, text: str, path: str, lang: str, glossary: Glossary, digest: str
) -> TranslatedDrawing:  # fmt: skip
    found = Messages()
    catalog = _read(text, catalog_path(lang, drawing_name(path)), found)
    checked = check_catalog(drawing_units(svg), catalog, glossary, path)
    found.extend(checked.found)
    return TranslatedDrawing(digest, translate_svg(svg, catalog, checked.refused), tuple(found))


def _catalog_text(config: Config, lang: str, name: str, found: Messages) -> str:
    try:
        return read_catalog_text(config, lang, name) or ""
    except BookError as error:
        found.extend(error.messages)
        return ""


def _read(text: str, path: str, found: Messages) -> Catalog:
    if not text:
        return Catalog(path)
    try:
        return catalog_of(parse_po(text, path), path, text)
    except BookError as error:
        found.extend(error.messages)
        return Catalog(path)


def _words(config: Config, lang: str, found: Messages, kept: KeptTranslations) -> Words:
    """The builder's words and those of config.ini."""
    text = _catalog_text(config, lang, INTERFACE, found)
    known = kept.words.get(lang)
    if known is None or known[0] != text:
        here = Messages()
        catalog = _read(text, catalog_path(lang, INTERFACE), here)
        checked = check_catalog(word_units(config), catalog, Glossary(lang, ""), "the builder") if text else Checked()
        here.extend(checked.found)
        usable = (entry for entry in catalog.entries if entry.usable and entry.key not in checked.refused)
        words = Words(lang, {entry.msgid: entry.text for entry in usable})
        known = kept.words[lang] = text, words, tuple(here)
    found.extend(known[2])
    return known[1]


def _numbers(book: Book, pages: tuple[Page, ...]) -> dict[tuple[str, int], str]:
    """The source's numbers, at the places that their blocks have in the translated pages."""
    numbers: dict[tuple[str, int], str] = {}
    for before, page in zip(book.pages, pages, strict=True):
        for block, translated in zip(before.document.walk(), page.document.walk(), strict=True):
            number = book.numbers.get((before.document.name, block.span.start))
            if number is not None:
                numbers[page.document.name, translated.span.start] = number
    return numbers
