"""The library `d2l/<tab>.py`: what the pages' cells mark with `#@save`, and what a page uses of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.library.assemble import BANNER, Library, assemble
from d2lbook.library.code_cache import KeptCode, Known, hash_of
from d2lbook.library.findings import examine
from d2lbook.library.index import saved_names
from d2lbook.library.item import OWN_NAME
from d2lbook.library.replace import apply_aliases
from d2lbook.library.surroundings import Surroundings
from d2lbook.library.used import used_by
from d2lbook.library.write import write_all
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

__all__ = [
    "BANNER", "KeptCode", "Known", "Library", "Surroundings", "apply_aliases", "assembled", "generate", "hash_of",
    "known_library", "library_of", "saved_names", "surroundings", "used_sources", "view_of", "write_libraries",
]  # fmt: skip


@dataclass(slots=True)
class _Cached:
    book: Book
    config: Config
    library: Library
    examined: bool = False
    known: Known | None = None


# A command asks for the same library several times (check, lib, keys). One book at a time is kept.
_cache: dict[str, _Cached] = {}


def library_of(book: Book, config: Config, tab: str) -> Library:
    """The library of a tab that `config` has a section for, with its findings; made once for a book."""
    return _cached(book, config, tab).library


def assembled(book: Book, config: Config, tab: str) -> Library:
    """The library as `library_of` has it, for whoever asks for no findings: they take half of the time."""
    return _assembled(book, config, tab).library


def _assembled(book: Book, config: Config, tab: str) -> _Cached:
    cached = _cache.get(tab)
    if cached is None or cached.book is not book or cached.config is not config:
        cached = _cache[tab] = _Cached(book, config, assemble(book, config, tab))
    return cached


def _cached(book: Book, config: Config, tab: str) -> _Cached:
    cached = _assembled(book, config, tab)
    if not cached.examined:
        messages = Messages(strict=config.strict)
        examine(cached.library, messages)
        cached.library.found += list(messages)
        cached.examined = True
    return cached


def generate(book: Book, config: Config, tab: str, messages: Messages) -> str:
    """The text of a tab's library; empty when `config` has none for it. What is wrong with it goes to `messages`."""
    if tab not in config.libraries:
        return ""
    library = library_of(book, config, tab)
    messages.extend(library.found)
    return library.text


def write_libraries(book: Book, config: Config, tabs: Iterable[str], messages: Messages) -> list[Path]:
    """Writes the libraries of these tabs; the paths of the files that changed.

    A library with errors, or that cannot be imported where its framework is installed, leaves its old file.
    """
    with_file = [tab for tab in tabs if tab in config.libraries and config.libraries[tab].lib_file]
    libraries = [library_of(book, config, tab) for tab in with_file]
    for library in libraries:
        messages.extend(library.found)
    return write_all(libraries, config, messages)


def view_of(document: Document, tab: str, book: Book, config: Config) -> View:
    """What a framework sees of a document, with aliases written out; pages and notebooks show `make_view`'s instead."""
    view = make_view(document, tab, book.tabs)
    if tab not in config.libraries or not any(f"{OWN_NAME}." in cell.code for cell in view.cells):
        return view
    return apply_aliases(view, _cached(book, config, tab).library.aliases)


def known_library(
    book: Book, config: Config, tab: str, kept: KeptCode, messages: Messages | None = None
) -> Known:  # fmt: skip
    """What the other parts ask of a tab's library; what is wrong with it goes to `messages`."""
    known = kept.library(book, config, tab)
    if known is not None:
        return known
    cached = _cached(book, config, tab)
    if messages is not None:
        messages.extend(cached.library.found)
    if cached.known is None:
        cached.known = Known.of(cached.library, config)
        kept.add(tab, cached.known, book, config, clean=not cached.library.found)
    return cached.known


def surroundings(book: Book, config: Config, tab: str, kept: KeptCode | None = None) -> Surroundings:
    """The hand-written modules that a tab's library loads, and the packages that it imports."""
    if tab not in config.libraries:
        return Surroundings()
    return known_library(book, config, tab, KeptCode() if kept is None else kept).surroundings


def used_sources(
    book: Book, config: Config, tab: str, cells: Iterable[str], kept: KeptCode | None = None
) -> tuple[str, ...]:  # fmt: skip
    """The library's definitions that cells use, directly or through others, each as normalised source, sorted."""
    if tab not in config.libraries:
        return ()
    return used_by(cells, known_library(book, config, tab, KeptCode() if kept is None else kept).definitions)
