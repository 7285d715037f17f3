"""One language of the site, built in a working directory that lasts from build to build."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.editions import Edition
from d2lbook.execute.key import cell_hash
from d2lbook.export.shared.code import language_of, with_named_references
from d2lbook.export.shared.figures import read_drawing, resolve_colours
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.fresh import Runs, frozen_runs
from d2lbook.export.shared.typesetting import typeset
from d2lbook.export.site import inputs, search
from d2lbook.export.site.assets import STYLE, figure_places, site_files, style_sheet
from d2lbook.export.site.context import Site, prefix_of, work_directory
from d2lbook.export.site.forked import run_all
from d2lbook.export.site.frame import NOTEBOOKS, Frame
from d2lbook.export.site.languages import languages_of
from d2lbook.export.site.nav import Navigation
from d2lbook.export.site.page import SitePage
from d2lbook.export.site.spoken import spoken_script
from d2lbook.export.xhtml.markup import highlighted
from d2lbook.files import write_atomic
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


def colour_code(book: Book, config: Config, tabs: tuple[str, ...]) -> None:
    """Colours all cells and hashes them, once for all languages: most code is the same in each.

    Not where a site lies already, of which a language seldom writes more than a page.
    """
    if (config.output_dir / "site").exists():
        return
    for page in book.pages:
        for tab in tabs:
            for cell in make_view(page.document, tab, book.tabs).cells:
                cell_hash(cell.runs)
                if not cell.hide_code:
                    highlighted(with_named_references(cell.code, book), language_of(cell.code))


class Work:
    """What is kept below `_build/site/LANG`: pages, their notebooks, words for search, digests of all their inputs.

    `unfinished` stands there while something is at work; a build that finds it starts from nothing.
    """

    def __init__(self, edition: Edition, shared: Shared, messages: Messages) -> None:
        self.book, self.config, self.messages, self.shared = edition.book, edition.config, messages, shared
        self.tabs, self.pending_ok = shared.tabs, shared.pending_ok
        self.home = work_directory(self.config)
        self.html, self.words, self.index = self.home / "html", self.home / "words", self.home / "search"
        self.notebooks, self.plain = self.home / "notebooks", self.home / "plain"
        self.unfinished, self.digests = self.home / "unfinished", self.home / "digests.json"

    def build(self) -> dict[str, Path]:
        """Path in the site -> file. Empty when there are errors."""
        if self.unfinished.exists():
            shutil.rmtree(self.home)
        runs = self._runs()
        formulas = Formulas(self.config.output_dir / ".cache" / "formulas.sqlite")
        site = Site(self.book, self.config, self.tabs, runs, formulas, self.pending_ok, languages_of(self.config))
        wanted, known = self._wanted(site), self._known()
        changed = [page for page in self.book.pages if known.get(page.document.name) != wanted[page.document.name]]
        typeset([page.document for page in changed], formulas, self.messages)
        if self.messages.failed:
            return {}
        self.home.mkdir(parents=True, exist_ok=True)
        self.unfinished.touch()
        with_findings = self._write_pages(changed, site)
        formulas.close()
        wanted = {name: digest for name, digest in wanted.items() if name not in with_findings}
        write_atomic(self.digests, json.dumps(wanted), durable=False)
        write_atomic(self.home / "spoken.js", spoken_script(self.config, self.messages), durable=False)
        if not self.messages.failed:
            self._search()
        self.unfinished.unlink()
        return {} if self.messages.failed else self._files()

    def _write_pages(self, pages: Sequence[Page], site: Site) -> set[str]:
        """Writes pages, and returns those with findings: they are made anew next time, so that the findings last."""
        count = self.shared.processes if len(pages) > FEW else 1
        if count > 1:
            _ = site.api.members, site.api.aliases  # made once, not in each process
        frame = Frame(site, Navigation(self.book), self.config.output_dir / ".cache" / "templates")
        parts = (partial(self._write_some, pages[start::count], site, frame) for start in range(count))
        found = [finding for part in run_all(parts, count) for finding in part]
        self.messages.extend(found)
        return {finding.path.removesuffix(".md") for finding in found}

    def _write_some(self, pages: Sequence[Page], site: Site, frame: Frame) -> list[Message]:
        """Writes some of the pages, what search knows of them, and their notebooks."""
        from d2lbook.export.notebook.build import notebook_text  # takes its time

        found = Messages(self.messages.strict)
        for page in pages:
            name = page.document.name
            writer = SitePage(site, page, frame.navigation, found)
            article = writer.body()
            text = frame.page(name, writer.context.whole(article), writer.outline)
            write_atomic(self.html / f"{name}.html", text, durable=False)
            words = search.records(writer.context.searched(article), self.tabs, self.config.lang)
            search.store(self.words, name, words)
            for tab in self.tabs:
                view, run = make_view(page.document, tab, self.book.tabs), site.runs.get((name, tab))
                notebook = notebook_text(page, view, self.book, run, site.api, lang=self.config.lang)
                write_atomic(self.notebooks / tab / f"{name}.ipynb", notebook, durable=False)
        return list(found)

    def _runs(self) -> Runs:
        """The frozen results of the source, those of pages with translated strings in their places."""
        own = [page.document for page in self.book.pages if page.document.results]
        return self.shared.runs | frozen_runs(
            own, self.shared.book, self.config, self.tabs, self.messages, self.pending_ok
        )

    def _wanted(self, site: Site) -> dict[str, str]:
        shared = inputs.book_wide(self.book, self.config, self.tabs, self.pending_ok, site.languages)
        numbers = inputs.numbers_by_page(self.book)
        return {
            page.document.name: inputs.page_fingerprint(
                page, self.book, self.config, shared, numbers.get(page.document.name, []), site.cited_on
            )
            for page in self.book.pages
        }

    def _known(self) -> dict[str, str]:
        """What each page that lies there is made of."""
        try:
            known: dict[str, str] = json.loads(self.digests.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return {name: digest for name, digest in known.items() if (self.html / f"{name}.html").exists()}

    def _search(self) -> None:
        """Indexes the words of the pages, when they changed."""
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
        return {f"{prefix_of(self.config)}{name}": path for name, path in files.items()}


def shared_files(book: Book, config: Config) -> dict[str, Path]:
    """The files of the site that all languages share."""
    style = config.output_dir / "site" / "site.css"
    write_atomic(style, style_sheet(), durable=False)
    return {STYLE: style} | site_files(book, config)
