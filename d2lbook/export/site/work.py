"""One language of the site, built in a working directory that lasts from build to build."""

from __future__ import annotations

import hashlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.editions import Edition
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.figures import read_drawing, resolve_colours
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.fresh import Runs, frozen_runs
from d2lbook.export.site import inputs, search, sphinx_app
from d2lbook.export.site.assets import THEME_STYLES, figure_places, site_files, theme_style
from d2lbook.export.site.context import Site, prefix_of, work_directory
from d2lbook.export.site.frame import NOTEBOOKS
from d2lbook.export.site.languages import languages_of
from d2lbook.export.site.spoken import spoken_script
from d2lbook.export.site.tex import typeset
from d2lbook.files import read_text, write_atomic
from d2lbook.model import Book, Page
from d2lbook.view import make_view

FEW = 4  # pages, which are done before further processes would have started
_OTHER_SEARCH_BOXES = ("pagefind-ui", "pagefind-modular-ui", "pagefind-component-ui", "pagefind-highlight")


Built = tuple[str, dict[str, Path], list[Message]]  # a language, its files by their place in the site, findings


@dataclass(frozen=True, slots=True)
class Shared:
    """What all languages of a site are made with."""

    book: Book  # the source
    tabs: tuple[str, ...]
    runs: Runs
    about_results: Messages
    pending_ok: bool
    processes: int  # that each language may use when much changed


def build_edition(edition: Edition, shared: Shared) -> Built:
    """Builds one language; without files when there are errors."""
    found = Messages(shared.about_results.strict)
    found.extend(shared.about_results)
    files = Work(edition, shared, found).build()
    return edition.lang, files, list(edition.told(found))


class Work:
    """What is kept below `_build/site/LANG`: marks of the pages for Sphinx, its trees and pages, words for search.

    `unfinished` stands there while something is at work; a build that finds it starts from nothing.
    """

    def __init__(self, edition: Edition, shared: Shared, messages: Messages) -> None:
        self.book, self.config, self.messages, self.shared = edition.book, edition.config, messages, shared
        self.tabs, self.pending_ok = shared.tabs, shared.pending_ok
        self.home = work_directory(self.config)
        self.source, self.html, self.doctrees = self.home / "source", self.home / "html", self.home / "doctrees"
        self.words, self.index = self.home / "words", self.home / "search"
        self.notebooks, self.plain = self.home / "notebooks", self.home / "plain"
        self.unfinished = self.home / "unfinished"

    def build(self) -> dict[str, Path]:
        """Path in the site -> file. Empty when there are errors."""
        if self.unfinished.exists():
            shutil.rmtree(self.home)
        runs = self._runs()
        formulas = Formulas(self.config.output_dir / ".cache" / "formulas.sqlite")
        site = Site(self.book, self.config, self.tabs, runs, formulas, self.pending_ok, languages_of(self.config))
        marks = self._marks(site)
        changed = [page for page in self.book.pages if self._mark(page.document.name) != marks[page.document.name]]
        typeset([page.document for page in changed], formulas, self.messages)
        if self.messages.failed:
            return {}
        self.home.mkdir(parents=True, exist_ok=True)
        self.unfinished.touch()
        self._write_marks(marks)
        processes = self.shared.processes if len(changed) > FEW else 1
        reported = sphinx_app.run(site, self.source, self.html, self.doctrees, self.words, self.messages, processes)
        self._forget(reported)
        with ThreadPoolExecutor(1) as pool:  # Pagefind is another program: there is time for notebooks
            searched = pool.submit(self._search)
            self._write_notebooks(changed, runs)  # with errors, too: their marks are written
            searched.result()
        write_atomic(self.home / "spoken.js", spoken_script(self.config, self.messages), durable=False)
        self.unfinished.unlink()
        return {} if self.messages.failed else self._files()

    def _runs(self) -> Runs:
        """The frozen results of the source, those of pages with translated strings in their places."""
        own = [page.document for page in self.book.pages if page.document.results]
        return self.shared.runs | frozen_runs(
            own, self.shared.book, self.config, self.tabs, self.messages, self.pending_ok
        )

    def _marks(self, site: Site) -> dict[str, str]:
        shared = inputs.book_wide(self.book, self.config, self.tabs, self.pending_ok, site.languages)
        numbers = inputs.numbers_by_page(self.book)
        return {
            page.document.name: inputs.page_fingerprint(
                page, self.book, self.config, shared, numbers.get(page.document.name, []), site.cited_on
            )
            for page in self.book.pages
        }

    def _mark_path(self, name: str) -> Path:
        return self.source / f"{name}.md"

    def _mark(self, name: str) -> str:
        path = self._mark_path(name)
        return path.read_text(encoding="ascii") if path.exists() else ""

    def _write_marks(self, marks: dict[str, str]) -> None:
        """What Sphinx reads: a file for each page, whose content changes when the page has to be made anew."""
        wanted = {self._mark_path(name) for name in marks}
        for path in self.source.rglob("*.md"):
            if path not in wanted:
                path.unlink()
        for name, mark in marks.items():
            write_atomic(self._mark_path(name), mark, durable=False)

    def _forget(self, reported: set[str]) -> None:
        """Pages with findings are made anew next time, so that the findings come again while they last."""
        if "" in reported:
            shutil.rmtree(self.source)
            shutil.rmtree(self.doctrees, ignore_errors=True)
        for name in reported - {""}:
            self._mark_path(name).unlink(missing_ok=True)
            (self.doctrees / f"{name}.doctree").unlink(missing_ok=True)

    def _search(self) -> None:
        """Indexes the words of the pages, when they changed and nothing is wrong."""
        if self.messages.failed:
            return
        names = [page.document.name for page in self.book.pages]
        digest = hashlib.sha256()
        for name in names:
            digest.update(name.encode() + (self.words / f"{name}.json").read_bytes())
        mark = self.home / "search-mark"
        if self.index.exists() and mark.exists() and mark.read_text() == digest.hexdigest():
            return
        mark.unlink(missing_ok=True)
        sources = self.home / "search-source"
        search.write_sources(self.words, names, sources, self.config.lang)
        search.index(sources, self.tabs, self.index)
        mark.write_text(digest.hexdigest())

    def _write_notebooks(self, pages: list[Page], runs: Runs) -> None:
        """The notebooks, with outputs, of pages that changed."""
        from d2lbook.export.notebook.build import notebook_text  # takes its time

        for page in pages:
            for tab in self.tabs:
                view = make_view(page.document, tab, self.book.tabs)
                name = page.document.name
                text = notebook_text(
                    page, view, self.book, runs.get((name, tab)), api_of(self.book, self.config), lang=self.config.lang
                )
                write_atomic(self.notebooks / tab / f"{name}.ipynb", text, durable=False)

    def _notebook_files(self) -> dict[str, Path]:
        """Notebooks, and the figures they show, with a copy of each drawing in plain colours."""
        files = {
            f"{NOTEBOOKS}/{tab}/{page.document.name}.ipynb": self.notebooks / tab / f"{page.document.name}.ipynb"
            for page in self.book.pages
            for tab in self.tabs
        }
        for place in figure_places(self.book, self.config):
            source = self.config.root / place
            if source.suffix.lower() == ".svg":
                write_atomic(
                    self.plain / place, resolve_colours(read_drawing(source, self.book.drawings)), durable=False
                )
                source = self.plain / place
            files |= {f"{NOTEBOOKS}/{tab}/{place}": source for tab in self.tabs}
        return files

    def _files(self) -> dict[str, Path]:
        files = {f"{page.document.name}.html": self.html / f"{page.document.name}.html" for page in self.book.pages}
        for path in sorted(self.index.rglob("*")):
            if path.is_file() and not path.name.startswith(_OTHER_SEARCH_BOXES):
                files[f"pagefind/{path.relative_to(self.index).as_posix()}"] = path
        files["_search/spoken.js"] = self.home / "spoken.js"
        files |= self._notebook_files()
        for name in THEME_STYLES:
            write_atomic(_styles(self.config) / name, theme_style(read_text(self.html / name)), durable=False)
        return {f"{prefix_of(self.config)}{name}": path for name, path in files.items()}


def shared_files(book: Book, config: Config) -> dict[str, Path]:
    """The files of the site that all languages share."""
    return {name: _styles(config) / name for name in THEME_STYLES} | site_files(book, config)


def _styles(config: Config) -> Path:
    return config.output_dir / "site" / "styles"
