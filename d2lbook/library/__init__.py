"""The library `d2l/<tab>.py`: what the pages' cells mark with `#@save`, and what a page uses of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.library.assemble import BANNER, Library, assemble
from d2lbook.library.findings import examine
from d2lbook.library.item import OWN_NAME
from d2lbook.library.replace import apply_aliases
from d2lbook.library.used import Definitions, definitions_of, used_by
from d2lbook.library.write import write_all
from d2lbook.messages import Messages
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

__all__ = ["BANNER", "Library", "apply_aliases", "generate", "library_of", "used_sources", "view_of", "write_libraries"]


@dataclass(slots=True)
class _Cached:
    book: Book
    config: Config
    library: Library
    definitions: Definitions | None = None


# A command asks for the same library several times (check, lib, keys). One book at a time is kept.
_cache: dict[str, _Cached] = {}


def library_of(book: Book, config: Config, tab: str) -> Library:
    """The library of a tab that `config` has a section for, with its findings; made once for a book."""
    return _cached(book, config, tab).library


def _cached(book: Book, config: Config, tab: str) -> _Cached:
    cached = _cache.get(tab)
    if cached is None or cached.book is not book or cached.config is not config:
        library = assemble(book, config, tab)
        messages = Messages(strict=config.strict)
        examine(library, messages)
        library.found += list(messages)
        cached = _cache[tab] = _Cached(book, config, library)
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


def used_sources(book: Book, config: Config, tab: str, code: str) -> tuple[str, ...]:
    """The library's definitions that `code` uses, directly or through others, each as normalised source, sorted."""
    if tab not in config.libraries:
        return ()
    cached = _cached(book, config, tab)
    if cached.definitions is None:
        cached.definitions = definitions_of(cached.library)
    return used_by(code, cached.definitions)
