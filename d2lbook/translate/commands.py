"""What `d2lbook translate` does: extract, update, status."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import polib

from d2lbook.config import Config
from d2lbook.config.keys import LANGUAGE
from d2lbook.diagnostics import BookError, Messages
from d2lbook.model import Book, Document
from d2lbook.translate.catalog import (
    INTERFACE,
    LOCALES,
    CatalogEntry,
    catalog_names,
    catalog_path,
    load_catalog,
    new_entry,
    new_po,
    parse_po,
    read_catalog_text,
    write_po,
)
from d2lbook.translate.checks.translation import check_translation
from d2lbook.translate.sources import Source, own_units
from d2lbook.translate.unit_cache import TranslationCache, digest_of
from d2lbook.translate.units import Unit, count_words
from d2lbook.translate.update import update_catalog

_SHOWN = ("done", "fuzzy", "wrong", "missing", "words")
_COUNTED = (*_SHOWN, "words_done")
Say = Callable[[str], None]


def languages_of(config: Config) -> tuple[str, ...]:
    """The languages that the book is translated to: those of config.ini, and those that have catalogs already."""
    base = config.root / LOCALES
    found = sorted(path.name for path in base.iterdir() if path.is_dir()) if base.is_dir() else []
    found = [name for name in found if LANGUAGE.fullmatch(name) and name != config.source_lang]
    return tuple(dict.fromkeys([*config.languages, *found]))


def extract(found: Iterable[Source], config: Config, say: Say) -> None:
    """Writes a template for each source, `_build/locales/<page>.pot`, for editors that start from one."""
    count = 0
    base = config.output_dir / LOCALES
    for source in found:
        po = new_po(config, "", source.name)
        po.header = f"The messages of {source.path}."
        write_po(base / f"{source.name}.pot", po, map(new_entry, source.units))
        count += len(source.units)
    say(f"{count} messages: {base}")


def update(
    found: Iterable[Source],
    config: Config,
    languages: Iterable[str],
    messages: Messages,
    say: Say,
    kept: TranslationCache,
) -> None:
    """Brings catalogs in step with their sources; one that cannot be read is reported and left as it is."""
    changed = 0
    found = list(found)
    gone = _catalogs_of_gone_pages(found, config, languages := tuple(languages))
    for source in found:
        made_from = digest_of(*(part for unit in source.units for part in (*unit.key, new_entry(unit).comment)))
        for lang in languages:
            try:
                known = digest_of(made_from, read_catalog_text(config, lang, source.name) or "")
                if kept.in_step.get((lang, source.name)) == known:
                    continue
                if update_catalog(config, lang, source.name, own_units(source, config, lang), gone[lang]):
                    say(f"updated {catalog_path(lang, source.name)}")
                    changed += 1
                else:
                    kept.in_step[lang, source.name] = known
            except BookError as error:
                messages.extend(error.messages)
    if not changed:
        say("nothing changed")


def _catalogs_of_gone_pages(
    found: list[Source], config: Config, languages: Iterable[str]
) -> dict[str, tuple[polib.POFile, ...]]:
    """Of each language, the catalogs that belong to no source; none where only some sources are looked at."""
    names = {source.name for source in found}
    if INTERFACE not in names:
        return {lang: () for lang in languages}
    return {
        lang: tuple(
            po for name in catalog_names(config, lang) if name not in names and (po := _read(config, lang, name))
        )
        for lang in languages
    }


def _read(config: Config, lang: str, name: str) -> polib.POFile | None:
    """A catalog; None for one that cannot be read, which the check reports."""
    try:
        return parse_po(read_catalog_text(config, lang, name) or "", catalog_path(lang, name))
    except BookError:
        return None


@dataclass(slots=True)
class State:
    """How far the translation of a page is, in messages and in the source's words."""

    done: int = 0
    fuzzy: int = 0
    missing: int = 0
    wrong: int = 0  # translated, but its check says that it cannot be used
    words: int = 0
    words_done: int = 0

    def count(self, unit: Unit, entry: CatalogEntry | None, twice: bool = False) -> None:
        """Counts a message that is translated by an entry, or by none; `twice`: by two of them."""
        text = entry.text if entry is not None else ""
        if unit.optional and not text:
            return
        words = count_words(unit.msgid)
        self.words += words
        if entry is None or not text:
            self.missing += 1
        elif entry.fuzzy:
            self.fuzzy += 1
        elif twice or any(finding.level == "error" for finding in check_translation(unit, text)):
            self.wrong += 1
        else:
            self.done += 1
            self.words_done += words

    def add(self, other: State) -> None:
        """Counts what the other has counted."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def row(self) -> tuple[str, ...]:
        """What it has counted, as `status` says it."""
        percent = 100 * self.words_done // self.words if self.words else 100
        return (*(str(getattr(self, name)) for name in _SHOWN), f"{percent} %")


def state_of(source: Source, config: Config, lang: str, messages: Messages) -> State:
    """How far a source is in a language."""
    catalog = load_catalog(config, lang, source.name, messages)
    state = State()
    for unit in own_units(source, config, lang):
        state.count(unit, catalog.get(unit), unit.key in catalog.twice)
    return state


def status(found: Iterable[Source], config: Config, languages: Iterable[str], messages: Messages, say: Say) -> None:
    """Says, for each language, how far each source is."""
    found = list(found)
    for lang in languages:
        total = State()
        rows: list[tuple[str, ...]] = [(lang, *_SHOWN, "in words")]
        for source in found:
            state = state_of(source, config, lang, messages)
            total.add(state)
            rows.append((source.name, *state.row))
        rows.append(("all", *total.row))
        say("\n".join([*_table(rows), ""]))


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Rows with their columns in line: names to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *figures in rows:
        cells = (cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True))
        yield "  ".join([name.ljust(widths[0]), *cells])


def documents_of(book: Book, names: tuple[str, ...]) -> list[Document]:
    return [page.document for page in book.pages if page.document.name in names]
