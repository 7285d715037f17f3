"""The book in one language, with all that its formats are written from: made once for a command, and handed down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from d2lbook.cache import Cache
from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Message, Messages
from d2lbook.editions import Edition, editions
from d2lbook.execute.frozen import CPU
from d2lbook.execute.plots import redrawn
from d2lbook.execute.state import DeviceRun, State, other_results, page_result
from d2lbook.fences import Fences, drawn, versions
from d2lbook.frameworks import FREE_TAB
from d2lbook.library import code_of
from d2lbook.model import Book, Document, Page, View
from d2lbook.rendering.api import Api, api_of
from d2lbook.rendering.formulas import Formulas
from d2lbook.rendering.results import NO_RESULTS, Results
from d2lbook.security.output_directory import is_marked
from d2lbook.translate.unit_cache import TranslationCache
from d2lbook.view import make_view

Runs = dict[tuple[str, str], Results]  # by page and framework


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The frozen results of a page in a framework, with the state of the CPU's, or what is wrong with their files."""

    state: State
    results: Results = NO_RESULTS
    found: tuple[Message, ...] = ()


@dataclass
class Source:
    """The book in its own language, and what is loaded of it once for all languages and formats of a command."""

    book: Book
    config: Config
    loaded: dict[tuple[str, str], _Loaded | None] = field(default_factory=dict)  # results by page and framework
    fences: Fences | None = None
    formulas: Formulas = field(init=False)

    def __post_init__(self) -> None:
        self.formulas = Formulas(self.config.output_dir / ".cache" / "formulas.sqlite")

    @cached_property
    def _documents(self) -> dict[str, Document]:
        return {page.document.name: page.document for page in self.book.pages}

    def drawn(self, edition: Edition, messages: Messages) -> Edition:
        """An edition with what the book's handlers draw of its fences."""
        made_of = versions(self.config)
        if not made_of:
            return edition
        cache = Cache(self.config.output_dir)
        if self.fences is None:
            self.fences = Fences(self.config, cache.load("fences", made_of) or {})
        book = drawn(edition.book, self.book, self.fences, messages)
        if self.fences.good.keys() != self.fences.known.keys() and is_marked(self.config.output_dir):
            self.fences.known = self.fences.good
            cache.store("fences", self.fences.known, made_of)
        return replace(edition, book=book)

    def results_of(self, document: Document, tab: str) -> _Loaded | None:
        """The results of a page in any language; None where it has no cells. Pages share them until one has its own."""
        place = document.result_name, tab
        if place not in self.loaded:
            own = document if document.results else self._documents.get(document.name, document)
            has_cells = code_of(self.book).digest(own, tab, self.book.tabs).runs
            self.loaded[place] = self._load(own, tab) if has_cells else None
        return self.loaded[place]

    def _load(self, document: Document, tab: str) -> _Loaded:
        try:
            state, run = page_result(document, tab, self.book, self.config)
            others = tuple(other_results(document, tab, self.book, self.config))
        except BookError as error:
            return _Loaded("missing", found=tuple(error.messages))
        own = (DeviceRun(CPU, state, run),) if run is not None else ()
        return _Loaded(state, Results(own + others))


@dataclass(frozen=True, slots=True)
class BookContext:
    """The book in one language, for the frameworks asked for, and where to report what is wrong with it.

    Its views, libraries, formulas and results are made once, whichever formats ask for them.
    """

    edition: Edition
    tabs: tuple[str, ...]
    messages: Messages
    source: Source
    translations: TranslationCache | None = None  # what earlier commands found out

    @classmethod
    def of(
        cls,
        book: Book,
        config: Config,
        tabs: Sequence[str],
        messages: Messages,
        translations: TranslationCache | None = None,
        known: BookContext | None = None,
    ) -> BookContext:
        """The context of a book in its own language; what is loaded is that of `known`, the book without its faults."""
        source = Source(book, config)
        if known is not None:
            source.loaded, source.fences = known.source.loaded, known.source.fences
            source.formulas = known.source.formulas
        return cls(Edition(book, config), tuple(tabs), messages, source, translations)

    @property
    def book(self) -> Book:
        return self.edition.book

    @property
    def config(self) -> Config:
        return self.edition.config

    @property
    def lang(self) -> str:
        return self.edition.lang

    @property
    def cache(self) -> Cache:
        return Cache(self.config.output_dir)

    @property
    def formulas(self) -> Formulas:
        return self.source.formulas

    @property
    def api(self) -> Api:
        """The reference of the libraries."""
        source = None if self.edition.is_source else api_of(self.source.book, self.source.config)
        return api_of(self.book, self.config, source)

    def in_language(self, lang: str) -> BookContext:
        """The book in another of its languages; what is wrong with the catalogs is reported."""
        source = self.source
        (edition,) = editions(source.book, source.config, [lang], self.messages, self.translations)
        return replace(self, edition=source.drawn(edition, self.messages))

    def reporting_to(self, messages: Messages) -> BookContext:
        return replace(self, messages=messages)

    def apart(self) -> BookContext:
        """The same with messages of its own, for a part that may fail without the others."""
        return self.reporting_to(self.messages.apart())

    def pages(self, names: Collection[str] = ()) -> list[Page]:
        """The pages of these names, all without any, in the order of the book."""
        return [page for page in self.book.pages if not names or page.document.name in names]

    def view(self, page: Page, tab: str, slides: bool = False) -> View:
        """What a framework sees of a page."""
        return make_view(page.document, tab, self.book.tabs, slides=slides)

    def results(self, pages: Collection[Page], tabs: Sequence[str] = (), stale_ok: bool = False) -> Runs:
        """The frozen results of pages in some frameworks, in all that were asked for without any.

        One that is missing or stale is an error, in a draft a warning, and left out. With `stale_ok` it is none, and a
        stale one counts. Other devices' may be stale, which readers are told.
        """
        runs: Runs = {}
        for tab in (tabs or self.tabs) if self.config.eval_notebook else ():
            for page in pages:
                own = self._loaded(page.document, tab, stale_ok)
                free = self._loaded(page.document, FREE_TAB, stale_ok) if tab != FREE_TAB else NO_RESULTS
                if own != NO_RESULTS or free != NO_RESULTS:
                    complete = own.complete and free.complete
                    runs[page.document.name, tab] = Results(own.runs, free.runs, complete)
        return runs

    def _loaded(self, document: Document, tab: str, stale_ok: bool) -> Results:
        """The results of a page's run for a framework, or of what needs none; none where there is no such run."""
        loaded = self.source.results_of(document, tab)
        if loaded is None:
            return NO_RESULTS
        if loaded.found:
            self.messages.extend(loaded.found)
        elif stale_ok or loaded.state == "fresh":
            return self._in_words(loaded.results, document, tab)
        else:
            how = f"run: d2lbook eval {document.path} --tab {tab}"
            text = f"the result for {tab} is {loaded.state}; {how}"
            self.messages.unfinished(document.path, 0, 0, text, f"result-{loaded.state}")
        return Results(complete=False)

    def _in_words(self, results: Results, document: Document, tab: str) -> Results:
        """Results with the words that the language has for those of the page's plots; made once for all formats."""
        if not (words := self.book.plot_words.get(document.name)):
            return results
        from d2lbook.translate.plots import translate_plot  # the book in its own language needs nothing of it

        place = "in words", document.name, tab
        known: tuple[Results, Results] | None = self.book.memo.get(place)
        if known is None or known[0] is not results:
            draw = partial(translate_plot, words=words)
            runs = (replace(one, run=redrawn(one.run, draw)) for one in results.runs)
            known = self.book.memo[place] = results, replace(results, runs=tuple(runs))
        return known[1]
