"""What is known of code that did not change: kept between commands, so that an edit of prose reads no code again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from d2lbook.config import Config
from d2lbook.files import is_file
from d2lbook.frameworks import with_free
from d2lbook.library.assemble import Library
from d2lbook.library.saved import has_marks
from d2lbook.library.surroundings import Surroundings, surroundings_of
from d2lbook.library.used import Definitions, definitions_of
from d2lbook.model import Book, Document
from d2lbook.view import make_view


@dataclass(frozen=True, slots=True)
class Digest:
    """A page's code for one framework, as hashes; both are empty where it has none."""

    cells: str
    saved: str
    runs: bool = False  # whether the page is run for it: what needs no framework is run on its own


@dataclass(frozen=True, slots=True)
class Known:
    """What the other parts ask of a library, without its syntax trees."""

    file: str
    names: frozenset[str]
    replaced: frozenset[str]  # the aliases' names
    definitions: Definitions
    surroundings: Surroundings

    @classmethod
    def of(cls, library: Library, config: Config) -> Known:
        replaced = frozenset(library.aliases.replaced_names)
        around = surroundings_of(library, config)
        return cls(library.file, frozenset(library.names), replaced, definitions_of(library), around)


@dataclass(slots=True)
class CodeCache:
    """Digests by page, libraries by framework and keys of results, each with the hash of what it was made from."""

    pages: dict[str, tuple[str, dict[str, Digest]]] = field(default_factory=dict)
    libraries: dict[str, tuple[str, Known]] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def digest(self, document: Document, tab: str, tabs: tuple[str, ...]) -> Digest:
        """The hashes of a page's cells."""
        made_from: str | None = document.memo.get(("code", tabs))
        if made_from is None:  # asked for by each stage, and the text is long
            made_from = document.memo["code", tabs] = hash_of(tabs, document.text)
        kept = self.pages.get(document.result_name)
        if kept is None or kept[0] != made_from:
            kept = self.pages[document.result_name] = (
                made_from,
                {name: _digest(document, name, tabs) for name in with_free(tabs)},
            )
        return kept[1][tab]

    def fingerprint(self, book: Book, config: Config, tab: str) -> str:
        """Hash of all that a library is made from: configuration, head, modules beside it, saved cells in page order.

        "" for a framework without a library.
        """
        if tab not in config.libraries:
            return ""
        known: str | None = book.memo.get(("fingerprint", tab))
        if known is None:
            known = book.memo["fingerprint", tab] = self._fingerprint(book, config, tab)
        return known

    def _fingerprint(self, book: Book, config: Config, tab: str) -> str:
        path = config.path.parent / config.libraries[tab].lib_file
        head = path.read_bytes() if is_file(path) else b""
        generated = {config.path.parent / library.lib_file for library in config.libraries.values()}
        beside = [(other.name, other.read_bytes()) for other in sorted(set(path.parent.glob("*.py")) - generated)]
        saved = [(page.document.path, self.digest(page.document, tab, book.tabs).saved) for page in book.pages]
        return hash_of(config.path.read_bytes(), head, beside, config.strict, saved)

    def library(self, book: Book, config: Config, tab: str) -> Known | None:
        """The library of a tab, if it is kept as it would be made now."""
        kept = self.libraries.get(tab)
        return kept[1] if kept is not None and kept[0] == self.fingerprint(book, config, tab) else None

    def add(self, tab: str, known: Known, book: Book, config: Config, clean: bool) -> None:
        """Keeps a library, unless it has findings: they are to be reported again, each with its place."""
        if clean:
            self.libraries[tab] = self.fingerprint(book, config, tab), known


def code_of(book: Book) -> CodeCache:
    """What is known of a book's code: from an earlier command, or from this one alone."""
    cache: CodeCache = book.memo.setdefault(CodeCache, CodeCache())
    return cache


def _digest(document: Document, tab: str, tabs: tuple[str, ...]) -> Digest:
    view = make_view(document, tab, tabs)
    cells = [cell.runs for cell in view.cells]
    saved = [cell.code for cell in view.cells if has_marks(cell.code)]
    return Digest(hash_of(cells) if cells else "", hash_of(saved) if saved else "", bool(view.own))


def hash_of(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
