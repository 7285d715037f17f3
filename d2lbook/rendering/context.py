"""What the prose of a page refers to, whatever the format: places of the book, works, and words beside the text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from d2lbook.book.citations import short_author
from d2lbook.book.cross_references import link_text
from d2lbook.config import Config
from d2lbook.model import Book, Page, UiStrings
from d2lbook.parse.footnotes import Note, notes_of
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.paths import EXTERNAL, beside, file_of


@dataclass(slots=True)
class PageContext(ABC):
    """A page and the book around it. What cannot be shown is reported, with its place, and left out.

    A format says how it writes text and links; the rest is alike in all.
    """

    around: BookContext
    page: Page
    line: int = 1  # of the block at work
    lang: str = ""  # its language, where it is not the book's

    @abstractmethod
    def escape(self, text: str) -> str:
        """Plain text in the format's syntax."""

    @abstractmethod
    def place(self, page: str, anchor: str, shown: str, kind: str = "") -> str:
        """A link to a place of the book, or to a page as a whole. `kind`: of the reference."""

    @abstractmethod
    def cited(self, key: str, shown: str) -> str:
        """A link to a work in the bibliography."""

    @abstractmethod
    def outward(self, target: str, shown: str) -> str:
        """A link out of the book."""

    @property
    def name(self) -> str:
        return self.page.document.name

    @property
    def book(self) -> Book:
        return self.around.book

    @property
    def config(self) -> Config:
        return self.around.config

    @property
    def words(self) -> UiStrings:
        """The builder's, in the language of the block at work."""
        return UiStrings(self.lang) if self.lang else self.book.words

    def note(self, name: str) -> Note | None:
        """A footnote of the page; None when there is none of this name."""
        return notes_of(self.page.document).get(name)

    def warn(self, text: str, code: str) -> None:
        self.around.messages.warning(self.page.document.path, self.line, 1, text, code)

    def error(self, text: str, code: str, line: int = 0) -> None:
        self.around.messages.error(self.page.document.path, line or self.line, 1, text, code)

    def reference(self, kind: str, key: str) -> str:
        target = self.book.targets.get(key)
        shown = self.escape(link_text(kind, key, self.book, self.words))
        return self.place(target.page, target.anchor, shown, kind) if target is not None else shown

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        """(Li et al., 2014; Dean, 2012), as text Li et al. (2014); each leads to its entry."""
        shown, style = [], self.book.citation_style
        for key in keys:
            fields = self.book.citations.get(key)
            if fields is None:
                continue
            if style is not None:
                own = short_author(fields, self.words)
                text = style.narrative(key, own, fields) if kind == "citet" else style.cited[key]
                shown.append(self.cited(key, self.escape(text)))
                continue
            author, year = self.escape(short_author(fields, self.words)), self.escape(fields["short_year"])
            shown.append(self.cited(key, f"{author} ({year})" if kind == "citet" else f"{author}, {year}"))
        if style is not None and kind != "citet":
            return f"{self.escape(style.prefix)}{self.escape(style.delimiter).join(shown)}{self.escape(style.suffix)}"
        return "; ".join(shown) if kind == "citet" else f"({'; '.join(shown)})"

    def link(self, target: str, shown: str) -> str:
        path, _, anchor = target.partition("#")
        if EXTERNAL.match(target):
            return self.outward(target, shown)
        page = beside(self.name, file_of(path)).removesuffix(".md").removesuffix(".html") if path else self.name
        return self.place(page, anchor, shown) if self.book.page(page) is not None else shown
