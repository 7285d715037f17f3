"""What `d2lbook translate` does: extract, update, status."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.messages import BookError, Messages
from d2lbook.model import Book, Document
from d2lbook.translate.catalog import LOCALES, catalog_path, load_catalog, new_entry, new_po, write_po
from d2lbook.translate.extract import by_message, units
from d2lbook.translate.units import Unit, count_words
from d2lbook.translate.update import update_catalog

LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
Say = Callable[[str], None]


def languages_of(config: Config) -> tuple[str, ...]:
    """The languages that the book is translated to: those of config.ini, and those that have catalogs already."""
    base = config.root / LOCALES
    found = sorted(path.name for path in base.iterdir() if path.is_dir()) if base.is_dir() else []
    found = [name for name in found if LANGUAGE.fullmatch(name) and name != config.source_lang]
    return tuple(dict.fromkeys([*config.languages, *found]))


def extract(documents: Iterable[Document], config: Config, say: Say) -> None:
    """Writes a template for each page, `_build/locales/<page>.pot`, for editors that start from one."""
    count = 0
    base = config.output_dir / LOCALES
    for document in documents:
        po = new_po(config, "", document.name)
        po.header = f"The messages of {document.name}."
        found = list(by_message(units(document)))
        write_po(base / f"{document.name}.pot", po, map(new_entry, found))
        count += len(found)
    say(f"{count} messages: {base}")


def update(
    documents: Iterable[Document], config: Config, languages: Iterable[str], messages: Messages, say: Say
) -> bool:
    """Brings the catalogs of pages in step with them; one that cannot be read is reported and left as it is."""
    changed = 0
    for document in documents:
        found = tuple(by_message(units(document)))
        for lang in languages:
            try:
                if update_catalog(config, lang, document.name, found):
                    say(f"updated {catalog_path(lang, document.name)}")
                    changed += 1
            except BookError as error:
                messages.extend(error.messages)
    if not changed:
        say("nothing changed")
    return not messages.failed


@dataclass(slots=True)
class State:
    """How far the translation of a page is, in messages and in the source's words."""

    done: int = 0
    fuzzy: int = 0
    missing: int = 0
    words: int = 0
    words_done: int = 0

    def count(self, unit: Unit, text: str, fuzzy: bool) -> None:
        if unit.optional and not text:
            return
        words = count_words(unit.msgid)
        self.words += words
        self.done += bool(text) and not fuzzy
        self.fuzzy += bool(text) and fuzzy
        self.missing += not text
        self.words_done += words if text and not fuzzy else 0

    def add(self, other: State) -> None:
        self.done += other.done
        self.fuzzy += other.fuzzy
        self.missing += other.missing
        self.words += other.words
        self.words_done += other.words_done

    @property
    def row(self) -> tuple[str, ...]:
        percent = 100 * self.words_done // self.words if self.words else 100
        return str(self.done), str(self.fuzzy), str(self.missing), str(self.words), f"{percent} %"


def state_of(document: Document, config: Config, lang: str, messages: Messages) -> State:
    """How far a page is in a language."""
    catalog = load_catalog(config, lang, document.name, messages)
    state = State()
    for unit in by_message(units(document)):
        entry = catalog.get(unit)
        state.count(unit, entry.text if entry else "", entry.fuzzy if entry else False)
    return state


def status(
    documents: Iterable[Document], config: Config, languages: Iterable[str], messages: Messages, say: Say
) -> bool:
    """Prints, for each language, how far each page is."""
    documents = list(documents)
    header = ("", "done", "fuzzy", "missing", "words", "in words")
    for lang in languages:
        total = State()
        rows: list[tuple[str, ...]] = [(lang, *header[1:])]
        for document in documents:
            state = state_of(document, config, lang, messages)
            total.add(state)
            rows.append((document.name, *state.row))
        rows.append(("all", *total.row))
        widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
        for row in rows:
            first, *others = (
                cell.ljust(width) if not column else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            say("  ".join([first, *others]))
        say("")
    return not messages.failed


def documents_of(book: Book, names: tuple[str, ...]) -> list[Document]:
    return [page.document for page in book.pages if page.document.name in names]


def catalogs_of(config: Config, lang: str) -> list[Path]:
    """All catalogs of a language."""
    return sorted((config.root / LOCALES / lang).rglob("*.po"))
