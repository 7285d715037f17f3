"""One language of the site, built in a working directory that lasts from build to build."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from d2lbook.cache import PageValues, builder_digest, hashes_in
from d2lbook.diagnostics import Message
from d2lbook.export.site import inputs, search
from d2lbook.export.site.assets import STYLE, figure_places, site_files, style_sheet
from d2lbook.export.site.context import Site, prefix_of, work_directory
from d2lbook.export.site.frame import NOTEBOOKS, Frame
from d2lbook.export.site.nav import Navigation
from d2lbook.export.site.page import SitePage
from d2lbook.export.site.spoken import spoken_script
from d2lbook.files import is_file, write_atomic
from d2lbook.model import Page
from d2lbook.process_pool import FEW, run_all
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import BadPicture, read_drawing, resolve_colours
from d2lbook.rendering.results import NO_RESULTS
from d2lbook.rendering.typesetting import typeset

_OTHER_SEARCH_BOXES = ("pagefind-ui", "pagefind-modular-ui", "pagefind-component-ui", "pagefind-highlight")


Built = tuple[str, dict[str, Path], list[Message]]  # a language, its files by their place in the site, findings


@dataclass(frozen=True, slots=True)
class Settings:
    """How each language of a site is to be built."""

    pending_ok: bool = False  # cells that have not been run are shown as such
    search: bool = True  # its index is brought up to date
    processes: int = 1  # that a language may use when much changed


def build_language(context: BookContext, settings: Settings) -> Built:
    """Builds one language; without files when there are errors."""
    files = Work(context, settings).build()
    return context.lang, files, list(context.edition.told(context.messages))


class Work:
    """What is kept below `_build/site/LANG`: pages, their notebooks, words for search, digests of all their inputs.

    `unfinished` stands there while something is at work; a build that finds it starts from nothing.
    """

    def __init__(self, context: BookContext, settings: Settings) -> None:
        self.context, self.settings = context, settings
        self.book, self.config, self.tabs, self.messages = context.book, context.config, context.tabs, context.messages
        self.home = work_directory(self.config)
        self.html, self.words, self.index = self.home / "html", self.home / "words", self.home / "search"
        self.notebooks, self.plain = self.home / "notebooks", self.home / "plain"
        self.unfinished, self.digests = self.home / "unfinished", self.home / "digests.json"
        self.plain_digests = self.home / "plain.json"

    def build(self) -> dict[str, Path]:
        """Path in the site -> file. Empty when there are errors, unless the build goes on."""
        if self.unfinished.exists():
            shutil.rmtree(self.home)
        site = Site(self.context, self.context.results(self.book.pages, stale_ok=self.settings.pending_ok))
        wanted, known = self._wanted(site), self._known()
        changed = [page for page in self.book.pages if known.get(page.document.name) != wanted[page.document.name]]
        typeset(changed, self.context.formulas, self.messages)
        if self._stops:
            return {}
        self.home.mkdir(parents=True, exist_ok=True)
        self.unfinished.touch()
        with_findings = self._write_pages(changed, site)
        self.context.formulas.close()
        wanted = {name: digest for name, digest in wanted.items() if name not in with_findings}
        write_atomic(self.digests, json.dumps(wanted), durable=False)
        write_atomic(self.home / "spoken.js", spoken_script(self.config, self.messages), durable=False)
        self.unfinished.unlink()  # the index has a mark of its own
        if self._stops:
            return {}
        with self._searchable() if self.settings.search else nullcontext():
            beside_pages = self._notebook_files()
        hashes_in(self.config.output_dir).store()
        return self._files(beside_pages)

    @property
    def _stops(self) -> bool:
        """Whether what was found keeps the edition from being published."""
        return self.messages.failed and not self.config.goes_on

    def _write_pages(self, pages: Sequence[Page], site: Site) -> set[str]:
        """Writes pages, and returns those with findings: they are made anew next time, so that the findings last."""
        count = self.settings.processes if len(pages) > FEW else 1
        if count > 1:
            _ = self.context.api.members, self.context.api.aliases  # made once, not in each process
        frame = Frame(site, Navigation(self.book))
        parts = (partial(self._write_some, pages[start::count], site, frame) for start in range(count))
        found = [finding for part in run_all(parts, count) for finding in part]
        self.messages.extend(found)
        return {finding.path.removesuffix(".md") for finding in found}

    def _write_some(self, pages: Sequence[Page], site: Site, frame: Frame) -> list[Message]:
        """Writes some of the pages, what search knows of them, and their notebooks."""
        from d2lbook.export.notebook.build import page_notebook
        from d2lbook.export.notebook.markdown import Texts

        found, cache = self.messages.apart(), self.context.cache
        for page in pages:
            name = page.document.name
            writer = SitePage(site, page, frame.navigation, found)
            kept = f"pages/{self.config.lang}/{name}"
            # Most code and drawings of a page are those of the book's own language, which is written first.
            known = cache.load(kept) or cache.load(f"pages/{self.config.source_lang}/{name}")
            values = writer.context.values = PageValues(known)
            article = writer.body()
            if values.changed:
                cache.store(kept, values.used)
            text = frame.page(name, writer.context.whole(article), writer.outline)
            write_atomic(self.html / f"{name}.html", text, durable=False)
            words = search.records(writer.context.searched(article), self.tabs, self.config.lang)
            search.store(self.words, name, words)
            texts: Texts = {}
            for tab in self.tabs:
                results = site.runs.get((name, tab), NO_RESULTS)
                notebook = page_notebook(self.context, page, tab, results, texts=texts)
                write_atomic(self.notebooks / tab / f"{name}.ipynb", notebook, durable=False)
        return list(found)

    def _wanted(self, site: Site) -> dict[str, str]:
        shared = inputs.book_wide(self.context, self.settings.pending_ok, site.languages)
        numbers = inputs.numbers_by_page(self.book)
        return {
            page.document.name: inputs.page_fingerprint(
                page, self.context, shared, numbers.get(page.document.name, []), site.cited_on
            )
            for page in self.book.pages
        }

    def _known(self) -> dict[str, str]:
        """What each page that lies there is made of."""
        known = _read_strings(self.digests)
        return {name: digest for name, digest in known.items() if (self.html / f"{name}.html").exists()}

    @contextmanager
    def _searchable(self) -> Iterator[None]:
        """Indexes the words of the pages, when they changed, beside other work."""
        names = [page.document.name for page in self.book.pages]
        digest = sha256()
        for name in names:
            digest.update(name.encode() + (self.words / f"{name}.json").read_bytes())
        mark = self.home / "search-mark"
        if self.index.exists() and mark.exists() and mark.read_text() == digest.hexdigest():
            yield
            return
        mark.unlink(missing_ok=True)
        sources = self.home / "search-source"
        search.write_sources(self.words, names, sources, self.config.lang)
        with search.indexing(sources, self.tabs, self.index, 2 * self.settings.processes):
            yield
        mark.write_text(digest.hexdigest())

    def _notebook_files(self) -> dict[str, Path]:
        """Notebooks, and the figures they show, with a copy of each drawing in plain colours."""
        files = {
            f"{NOTEBOOKS}/{tab}/{page.document.name}.ipynb": self.notebooks / tab / f"{page.document.name}.ipynb"
            for page in self.book.pages
            for tab in self.tabs
        }
        known, made = _read_strings(self.plain_digests), dict[str, str]()
        for place in figure_places(self.context):
            source = self.config.root / place
            if source.suffix.lower() == ".svg":
                plain = self._plain_drawing(source, place, known, made)
                if plain is None:
                    continue  # its page says so
                source = plain
            files |= {f"{NOTEBOOKS}/{tab}/{place}": source for tab in self.tabs}
        write_atomic(self.plain_digests, json.dumps(made), durable=False)
        return files

    def _plain_drawing(self, source: Path, place: str, known: Mapping[str, str], made: dict[str, str]) -> Path | None:
        """A copy of a drawing in plain colours, made when what it shows changed; None for a file that is no drawing."""
        plain, output = self.plain / place, self.config.output_dir
        own = hashes_in(output).of(source) if is_file(source) else ""
        made_of = sha256(f"{builder_digest(output)} {own} {self.book.drawings.get(source, '')}".encode()).hexdigest()
        if known.get(place) != made_of or not plain.exists():
            try:
                svg = read_drawing(source, self.book.drawings)
            except BadPicture:
                return None
            write_atomic(plain, resolve_colours(svg), durable=False)
        made[place] = made_of
        return plain

    def _files(self, beside_pages: dict[str, Path]) -> dict[str, Path]:
        files = {f"{page.document.name}.html": self.html / f"{page.document.name}.html" for page in self.book.pages}
        for path in sorted(self.index.rglob("*")):
            if path.is_file() and not path.name.startswith(_OTHER_SEARCH_BOXES):
                files[f"pagefind/{path.relative_to(self.index).as_posix()}"] = path
        files["_search/spoken.js"] = self.home / "spoken.js"
        files |= beside_pages
        return {f"{prefix_of(self.config)}{name}": path for name, path in files.items()}


def _read_strings(path: Path) -> dict[str, str]:
    """What was written to a file of digests; nothing of one that is missing or damaged."""
    try:
        known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return known


def shared_files(context: BookContext) -> dict[str, Path]:
    """The files of the site that all languages share."""
    style = context.config.output_dir / "site" / "site.css"
    sheet: str | None = context.cache.load("style")
    if sheet is None:
        context.cache.store("style", sheet := style_sheet())
    write_atomic(style, sheet, durable=False)
    return {STYLE: style} | site_files(context)
