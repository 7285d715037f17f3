"""Builds the decks: one per page with slide marks and framework, written only when something in it changed."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import Run
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.fresh import fresh_runs
from d2lbook.export.shared.typesetting import formulas_of
from d2lbook.export.slides.corners import corners
from d2lbook.export.slides.layout import CORNERS, HEIGHT, sheets
from d2lbook.export.slides.pdf import print_decks
from d2lbook.export.slides.render import Deck, Entry, index_html
from d2lbook.export.slides.script import Script
from d2lbook.export.slides.writer import DeckMedia, SlideWriter
from d2lbook.export.xhtml.context import ViewContext
from d2lbook.files import write_atomic
from d2lbook.frameworks import label_of
from d2lbook.model import Book, Equation, Heading, Page, Prose, Table
from d2lbook.parse.inline import MARKS
from d2lbook.view import make_view

STATIC = Path(__file__).resolve().parents[2] / "static"
_OWN = ("deck.css", "deck.js", "still.css", "index.css")
_REVEAL = ("reset.css", "reveal.css", "reveal.js", "plugin/notes.js")


def slides_directory(config: Config) -> Path:
    return config.output_dir / "slides" / config.lang


def build(
    book: Book, config: Config, tabs: Sequence[str], messages: Messages, pages: Collection[str] = ()
) -> list[Path]:
    """Writes `_build/slides/LANG/TAB/PAGE.html`, what they share, and the list of them; the decks' paths.

    `pages`: only these; all without any. A page with errors keeps its last good deck.
    """
    directory = slides_directory(config)
    formulas = Formulas(config.output_dir / ".cache" / "formulas.sqlite")
    asked = [page for page in book.pages if has_marks(page) and (not pages or page.document.name in pages)]
    formulas.load(formula for page in asked for _, formula in formulas_of(page.document))  # all at once
    paths: list[Path] = []
    for tab in tabs:
        maker = _Maker(book, config, tab, formulas, messages)
        for deck in maker.decks(asked):
            path = directory / tab / f"{deck.page}.html"
            write_atomic(path, deck.html(), durable=False)
            paths.append(path)
        for place, content in maker.media.files.items():
            write_atomic(directory / "assets" / place, content, durable=False)
    formulas.close()
    if paths:
        _write_assets(directory)
    _remove_old(book, directory)
    _write_index(book, config, directory)
    return paths


def print_pdfs(book: Book, config: Config, decks: Sequence[Path], messages: Messages) -> list[Path]:
    """Writes a PDF beside each deck, and lists them; their paths."""
    directory = slides_directory(config)
    paths = print_decks(decks, config, directory / "assets", messages)
    _write_index(book, config, directory)
    return paths


def has_marks(page: Page) -> bool:
    """Whether a page has a slide mark in any framework."""
    for block in page.document.walk():
        if isinstance(block, Prose | Table | Equation) and block.marks:
            return True
        if isinstance(block, Heading) and any(mark in block.title for mark in MARKS):
            return True
    return False


@dataclass(slots=True)
class _Maker:
    """Makes the decks of a framework."""

    book: Book
    config: Config
    tab: str
    formulas: Formulas
    messages: Messages
    media: DeckMedia = field(default_factory=DeckMedia)

    def decks(self, pages: Sequence[Page]) -> Iterator[Deck]:
        names = {page.document.name for page in pages}
        found = Messages(self.messages.strict)
        runs = fresh_runs(self.book, self.config, self.tab, found, names)
        for page in pages:
            without = any(message.path == page.document.path for message in found)
            made = Messages(self.messages.strict)
            deck = self._deck(page, runs, made) if not without else None
            found.extend(made)
            if deck is not None and not made.failed:
                yield deck
        self.messages.extend(found)

    def _deck(self, page: Page, runs: dict[str, Run], messages: Messages) -> Deck | None:
        name = page.document.name
        assets = posixpath.relpath("assets", posixpath.join(self.tab, posixpath.dirname(name))) + "/"
        self.media.prefix = assets
        view = make_view(page.document, self.tab, self.book.tabs, slides=True)
        context = ViewContext(
            page,
            self.book,
            self.config,
            messages,
            formulas=self.formulas,
            tab=self.tab,
            media=self.media,
            address=lambda target, anchor: "",  # a deck stands alone
        )
        writer = SlideWriter(context, view, runs.get(name))
        title = plain_text(page.document.title, self.book, name) or name
        slides = Script(writer).read(writer.prose.inline(page.document.title) or title, view.blocks)
        if not slides:
            return None
        shown = corners(self.config, self.media, messages)
        height = HEIGHT - (CORNERS if shown else 0)
        several = len(self.book.tabs) > 1
        book = f"{self.config.title} {page.number}".strip()
        return Deck(
            page=name,
            title=title,
            subtitle=f"{book} · {label_of(self.tab)}" if several else book,
            lines=(self.config.author,),
            language=self.config.lang,
            assets=assets,
            corners=shown,
            words=self.book.words,
            sheets=tuple(sheet for slide in slides for sheet in sheets(slide, height)),
        )


def _write_assets(directory: Path) -> None:
    reveal = next((STATIC / "vendor").glob("reveal.js-*"))
    for name in _REVEAL:
        content = (reveal / "dist" / name).read_bytes()
        write_atomic(directory / "assets" / posixpath.basename(name), content, durable=False)
    write_atomic(directory / "assets" / "reveal-LICENSE.txt", (reveal / "LICENSE").read_bytes(), durable=False)
    for name in _OWN:
        write_atomic(directory / "assets" / name, (STATIC / "slides" / name).read_bytes(), durable=False)
    for package in sorted((STATIC / "vendor").glob("source-*")):
        for path in sorted(package.rglob("*.woff2")):
            write_atomic(directory / "assets" / "fonts" / path.name, path.read_bytes(), durable=False)
        write_atomic(
            directory / "assets" / "fonts" / f"{package.name.rpartition('-')[0]}-LICENSE.txt",
            (package / "LICENSE").read_bytes(),
            durable=False,
        )
    fonts = (STATIC / "fonts.css").read_text(encoding="utf-8")
    for package in sorted((STATIC / "vendor").glob("source-*")):
        fonts = fonts.replace(f"vendor/{package.name.rpartition('-')[0]}/", "fonts/")
    write_atomic(directory / "assets" / "fonts.css", fonts, durable=False)


def _remove_old(book: Book, directory: Path) -> None:
    """Takes away the decks of pages that have no marks any more, or are gone."""
    wanted = {f"{tab}/{page.document.name}" for page in book.pages if has_marks(page) for tab in book.tabs}
    for suffix in ("html", "pdf"):
        for path in sorted(directory.glob(f"*/**/*.{suffix}")):
            if path.relative_to(directory).as_posix().removesuffix(f".{suffix}") not in wanted:
                path.unlink()


def _write_index(book: Book, config: Config, directory: Path) -> None:
    entries = []
    for page in book.pages:
        name = page.document.name
        decks = [(label_of(tab), f"{tab}/{name}") for tab in book.tabs if (directory / tab / f"{name}.html").is_file()]
        if decks:
            title = plain_text(page.document.title, book, name) or name
            there = [(label, f"{place}.html", (directory / f"{place}.pdf").is_file()) for label, place in decks]
            entries.append(Entry(page.number, title, tuple(there)))
    if entries or directory.is_dir():
        listed = index_html(config.title, config.lang, book.words, entries)
        write_atomic(directory / "index.html", listed, durable=False)
