"""The library `d2l/<tab>.py`: what the pages' cells mark with `#@save`, and what a page uses of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.library.assemble import BANNER, Library, assemble
from d2lbook.library.code_cache import CodeCache, Known, code_of, hash_of
from d2lbook.library.findings import examine
from d2lbook.library.index import saved_names
from d2lbook.library.surroundings import Surroundings
from d2lbook.library.used import used_by
from d2lbook.library.write import write_all
from d2lbook.model import Book

__all__ = [
    "BANNER",
    "CodeCache",
    "Known",
    "Library",
    "Surroundings",
    "assembled",
    "code_of",
    "hash_of",
    "known_library",
    "library_of",
    "saved_names",
    "surroundings",
    "used_sources",
    "write_libraries",
]


@dataclass(slots=True)
class _Made:
    """A library of a book, with what check, keys and formats have asked of it so far."""

    config: Config
    library: Library
    examined: bool = False
    known: Known | None = None


def library_of(book: Book, config: Config, tab: str) -> Library:
    """The library of a tab that `config` has a section for, with its findings; made once for a book."""
    return _examined(book, config, tab).library


def assembled(book: Book, config: Config, tab: str) -> Library:
    """The library as `library_of` has it, for whoever asks for no findings: they take half of the time."""
    return _assembled(book, config, tab).library


def _assembled(book: Book, config: Config, tab: str) -> _Made:
    made: _Made | None = book.memo.get(("library", tab))
    if made is None or made.config != config:
        made = book.memo["library", tab] = _Made(config, assemble(book, config, tab))
    return made


def _examined(book: Book, config: Config, tab: str) -> _Made:
    made = _assembled(book, config, tab)
    if not made.examined:
        messages = Messages(strict=config.strict)
        examine(made.library, messages)
        made.library.found += list(messages)
        made.examined = True
    return made


def write_libraries(
    book: Book, config: Config, tabs: Iterable[str], messages: Messages, tries: bool = True
) -> list[Path]:
    """Writes the libraries of these tabs; the paths of the files that changed. With `tries`, each is imported before.

    A library with errors, or that cannot be imported where its framework is installed, leaves its old file.
    """
    with_file = [tab for tab in tabs if tab in config.libraries and config.libraries[tab].lib_file]
    libraries = [library_of(book, config, tab) for tab in with_file]
    for library in libraries:
        messages.extend(library.found)
    return write_all(libraries, config, messages, tries)


def known_library(book: Book, config: Config, tab: str, messages: Messages | None = None) -> Known:
    """What the other parts ask of a tab's library; what is wrong with it goes to `messages`."""
    cache = code_of(book)
    known = cache.library(book, config, tab)
    if known is not None:
        return known
    made = _examined(book, config, tab)
    if messages is not None:
        messages.extend(made.library.found)
    if made.known is None:
        made.known = Known.of(made.library, config)
        cache.add(tab, made.known, book, config, clean=not made.library.found)
    return made.known


def surroundings(book: Book, config: Config, tab: str) -> Surroundings:
    """The hand-written modules that a tab's library loads, and the packages that it imports."""
    if tab not in config.libraries:
        return Surroundings()
    return known_library(book, config, tab).surroundings


def used_sources(book: Book, config: Config, tab: str, cells: Iterable[str]) -> tuple[str, ...]:
    """The library's definitions that cells use, directly or through others, each as normalised source, sorted."""
    if tab not in config.libraries:
        return ()
    return used_by(cells, known_library(book, config, tab).definitions)
