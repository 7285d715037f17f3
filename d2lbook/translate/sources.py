"""All that is translated of a book: its pages, its drawings, its plots, the builder's words and those of config.ini."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.files import read_text
from d2lbook.languages import interface_words
from d2lbook.model import Document
from d2lbook.security.inside import book_file
from d2lbook.translate.catalog import INTERFACE, load_catalog
from d2lbook.translate.extract import by_message
from d2lbook.translate.figures import drawing_name, drawing_units, drawings
from d2lbook.translate.plots import CATALOG as PLOTS
from d2lbook.translate.plots import PlotTexts, plot_units
from d2lbook.translate.unit_cache import TranslationCache
from d2lbook.translate.units import Unit
from d2lbook.ui_strings import WORDS

_CONFIG = {
    "title": "The book's title.",
    "author": "Who the book is by, as its title page says it.",
    "copyright": "Below each page.",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Something with a catalog of its own."""

    name: str  # of the catalog
    path: str  # what the messages stand in, from the book's root
    units: tuple[Unit, ...]  # one for each message, in order


def sources(
    documents: Iterable[Document], config: Config, kept: TranslationCache, plots: PlotTexts | None = None
) -> Iterator[Source]:
    """The pages and the drawings that they show; of the whole book also the words beside them.

    `plots`: what the whole book's cells draw; None for some of its pages.
    """
    documents = list(documents)
    for document in documents:
        yield Source(document.name, document.path, tuple(by_message(kept.units_of(document))))
    for path in drawings(documents):
        svg = read_drawing(config, path)
        if svg is not None and (found := tuple(by_message(drawing_units(svg)))):
            yield Source(drawing_name(path), path, found)
    if plots is not None:
        if words := plot_units(plots):
            yield Source(PLOTS, "the frozen results", words)
        yield Source(INTERFACE, "the builder", word_units(config))


def own_units(source: Source, config: Config, lang: str) -> tuple[Unit, ...]:
    """The units of a source that the book's catalog has to have in a language.

    Of the builder's words those that the builder does not have in it, and those that the book says otherwise.
    """
    known = interface_words(lang)
    if source.name != INTERFACE or not known:
        return source.units
    said = {entry.msgid: entry.text for entry in load_catalog(config, lang, INTERFACE, Messages()).entries}

    def is_known(unit: Unit) -> bool:
        word = unit.msgid
        return unit.kind == INTERFACE and word in known and said.get(word, "") in ("", known[word])

    return tuple(unit for unit in source.units if not is_known(unit))


def read_drawing(config: Config, path: str) -> str | None:
    """The text of a drawing; None when there is none that can be read, which the check of the book reports."""
    file = book_file(config.root, "", path)
    try:
        return read_text(file) if file is not None else None
    except BookError:
        return None


def word_units(config: Config) -> tuple[Unit, ...]:
    """The builder's words, and those of config.ini that readers see."""
    values = {"title": config.title, "author": config.author, "copyright": config.copyright}
    own = [
        Unit(0, 0, "config.ini", f"config.ini: {key}", value, form="word", note=_CONFIG[key])
        for key, value in values.items()
        if value
    ]
    return (*own, *(Unit(0, 0, "interface", "interface", word, form="word", note=note) for word, note in WORDS.items()))
