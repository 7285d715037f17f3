"""What the pages of the site are made from, and addresses between them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.book.cross_references import bibliography_page
from d2lbook.config import Config
from d2lbook.execute.frozen import Run
from d2lbook.export.shared.api import Api, api_of
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.site.languages import Language
from d2lbook.model import Block, Book

IMAGES = "_images"  # the site's directory of figures that are not inlined
FILES = "_files"  # of other files that pages link to
SCRIPTS = "_scripts"  # and of what makes figures interactive
SHARED = ("_static/", f"{IMAGES}/", f"{FILES}/", f"{SCRIPTS}/")  # what all languages have together


@dataclass(slots=True)
class Site:
    """Everything a page needs beside its own text."""

    book: Book
    config: Config
    tabs: tuple[str, ...]
    runs: dict[tuple[str, str], Run]  # by page and framework, where there is a result
    formulas: Formulas
    pending_ok: bool = False
    languages: tuple[Language, ...] = ()  # that the book can be read in
    api: Api = field(init=False)
    bibliography: str = field(init=False)  # name of the page that has it; empty when none does
    pages: frozenset[str] = field(init=False)
    cited_on: dict[str, list[str]] = field(init=False)  # key -> pages that cite it, in order

    def __post_init__(self) -> None:
        self.api = api_of(self.book, self.config)
        self.bibliography = bibliography_page(self.book)
        self.pages = frozenset(page.document.name for page in self.book.pages)
        self.cited_on = {}
        for page in self.book.pages:
            for key in cited_keys(page.document.walk()):
                self.cited_on.setdefault(key, []).append(page.document.name)

    def shared(self, source: str, path: str) -> str:
        """The address of a file that all languages share, `path` from the site's root, on page `source`."""
        return relative(prefix_of(self.config) + source, path)

    @property
    def up(self) -> str:
        """The way from the pages of this language to what all languages share."""
        return "" if self.config.lang == self.config.source_lang else "../"


def base_url_of(config: Config) -> str:
    """The address of the language's pages on the network, with a slash; empty when the book does not say its own."""
    return f"{config.base_url.rstrip('/')}/{prefix_of(config)}" if config.base_url else ""


def cited_keys(blocks: Iterable[Block]) -> list[str]:
    """The keys that roles in some blocks cite, each once, in order."""
    found: dict[str, None] = {}
    for block in blocks:
        for role in getattr(block, "roles", ()):
            if role.kind.startswith("cite"):
                found.update(dict.fromkeys(role.keys))
    return list(found)


def work_directory(config: Config) -> Path:
    """Where the pages of a language are made."""
    return config.output_dir / "site" / config.lang


def prefix_of(config: Config) -> str:
    """What paths of a language begin with, from the site's root: nothing for the book's own."""
    return "" if config.lang == config.source_lang else f"{config.lang}/"


def address(source: str, page: str, anchor: str = "") -> str:
    """The address of a place in the book as a link on page `source` names it."""
    end = f"#{anchor}" if anchor else ""
    if page == source and end:
        return end
    return relative(source, f"{page}.html") + end


def relative(source: str, path: str) -> str:
    """The address of a file of the site, `path` from its root, on page `source`."""
    return posixpath.relpath(path, posixpath.dirname(source) or ".")
