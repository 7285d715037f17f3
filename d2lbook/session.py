"""One run of a command on one book: what was asked for, what was read, what was found."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.diagnostics import error_at
from d2lbook.frameworks import with_free

if TYPE_CHECKING:
    from d2lbook.build_cache import BuildCache
    from d2lbook.config import Config
    from d2lbook.diagnostics import Messages
    from d2lbook.model import Book, Document
    from d2lbook.rendering.book_context import BookContext


@dataclass(slots=True)
class Session:
    """One run of a command on one book."""

    arguments: argparse.Namespace
    config: Config
    book: Book
    messages: Messages
    kept: BuildCache  # what earlier commands found out
    say: Callable[[str], None]
    step: Callable[[str, int, int], None] = lambda text, number, total: None  # step `number` of `total` begins
    # shows rows of what runs, and how many are done of how many; False where there is no terminal for them
    table: Callable[[Sequence[Sequence[str]], int, int], bool] = lambda rows, done, total: False
    failed: set[str] = field(default_factory=set)  # commands of this run that did not succeed
    _context: BookContext | None = None

    @property
    def tabs(self) -> tuple[str, ...]:
        """The frameworks asked for with --tab, all of the book's without it. Raises BookError for an unknown one."""
        return self._chosen_tabs(self.book.tabs)

    @property
    def runs(self) -> tuple[str, ...]:
        """The same for what runs pages: also what needs no framework."""
        return self._chosen_tabs(with_free(self.book.tabs))

    def _chosen_tabs(self, known: tuple[str, ...]) -> tuple[str, ...]:
        asked = [tab.strip().lower() for tab in (self.arguments.tab or "").split(",") if tab.strip()]
        for tab in asked:
            if tab not in known:
                has = ", ".join(known)
                raise error_at("--tab", 0, 0, f"'{tab}' is not a tab of this book; it has {has}", "tab-unknown")
        return tuple(tab for tab in known if not asked or tab in asked)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages asked for with --lang, all of the book's without it, its own first. Raises BookError."""
        from d2lbook.config.keys import nearest

        known = self.config.all_languages
        asked = [lang.strip() for lang in (self.arguments.lang or "").split(",") if lang.strip()]
        for lang in asked:
            if lang not in known:
                what = f"there is no '{lang}' of this book{nearest(lang, known)}"
                hint = f"add it: d2lbook translate add {lang}"
                raise error_at(self.arguments.lang_named_by, 0, 0, f"{what}; or {hint}", "lang-unknown")
        return tuple(lang for lang in known if not asked or lang in asked)

    @property
    def translations(self) -> tuple[str, ...]:
        """The languages asked for without the book's own."""
        return tuple(lang for lang in self.languages if lang != self.config.source_lang)

    @property
    def context(self) -> BookContext:
        """The book in its own language with all that formats are written from, made once for the command."""
        from d2lbook.rendering.book_context import BookContext

        known = self._context
        if known is None or known.source.book is not self.book or known.source.config is not self.config:
            about = self.book, self.config, self.tabs, self.messages
            known = self._context = BookContext.of(*about, self.kept.translations, known)
        return known.reporting_to(self.messages)

    def forget_results(self) -> None:
        """Have results read again that formats have asked for: pages have been run since."""
        if self._context is not None:
            self._context.source.loaded.clear()

    @property
    def contexts(self) -> list[BookContext]:
        """The book in the languages asked for; findings of their catalogs go to the messages."""
        return [self.context.in_language(lang) for lang in self.languages]

    def each_language(self) -> Iterator[BookContext]:
        """The same, each with messages of its own: what stops one language stops no other."""
        every = self.contexts
        for number, context in enumerate(every, 1):
            if len(every) > 1:
                self.step(context.lang, number, len(every))
            apart = context.apart()
            try:
                yield apart
            finally:
                self.messages.extend(apart.edition.told(apart.messages))

    def to_run(self, lang: str) -> list[Document]:
        """The pages of a language that have results of their own."""
        from d2lbook.editions import pages_to_run

        return pages_to_run(self.book, self.config, lang, self.kept.translations)

    @property
    def pages(self) -> tuple[str, ...]:
        """Names of the pages given on the command line, all pages without any. Raises BookError for an unknown one."""
        names = [page.document.name for page in self.book.pages]
        asked = [self._page_name(Path(argument), names) for argument in self.arguments.pages]
        return tuple(name for name in names if not asked or name in asked)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Names of the pages given on the command line; none when all are meant."""
        return self.pages if self.arguments.pages else ()

    def _page_name(self, path: Path, names: list[str]) -> str:
        spelt = path.as_posix().removesuffix(".md").removeprefix("./")
        if path.is_absolute() and path.is_relative_to(self.config.root):
            spelt = path.relative_to(self.config.root).as_posix().removesuffix(".md")
        if spelt in names:
            return spelt
        ends = [name for name in names if name.endswith("/" + spelt)]
        if len(ends) == 1:
            return ends[0]
        from d2lbook.config.keys import nearest

        hint = nearest(spelt, names)
        raise error_at(str(path), 0, 0, f"no such page in the table of contents{hint}", "page-unknown")
