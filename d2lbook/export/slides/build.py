"""Builds the decks: one per page with slide marks and framework, written only when something in it changed."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.export.slides.corners import corners
from d2lbook.export.slides.layout import CORNERS, HEIGHT, sheets
from d2lbook.export.slides.pdf import print_decks
from d2lbook.export.slides.render import Deck, Entry, index_html
from d2lbook.export.slides.script import Script
from d2lbook.export.slides.writer import DeckMedia, SlideWriter
from d2lbook.files import write_atomic
from d2lbook.frameworks import label_of
from d2lbook.html.context import ViewContext
from d2lbook.html.markup import content_policy
from d2lbook.model import Book, Equation, Heading, Page, Prose, Table
from d2lbook.parse.inline import MARKS
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.results import NO_RESULTS, Results
from d2lbook.rendering.typesetting import load_formulas

STATIC = Path(__file__).resolve().parents[2] / "static"
_OWN = ("deck.css", "deck.js", "still.css", "index.css")
_REVEAL = ("reset.css", "reveal.css", "reveal.js", "plugin/notes.js")


def slides_directory(config: Config) -> Path:
    return config.output_dir / "slides" / config.lang


def build(context: BookContext, pages: Collection[str] = ()) -> list[Path]:
    """Writes `_build/slides/LANG/TAB/PAGE.html`, what they share, and the list of them; the decks' paths.

    `pages`: only these; all without any. A page with errors keeps its last good deck, unless the build
    goes on.
    """
    directory = slides_directory(context.config)
    asked = [page for page in context.pages(pages) if has_marks(page)]
    load_formulas(asked, context.formulas)
    paths: list[Path] = []
    for tab in context.tabs:
        maker = _Maker(context, tab)
        for deck in maker.decks(asked):
            path = directory / tab / f"{deck.page}.html"
            write_atomic(path, deck.html(), durable=False)
            paths.append(path)
        for place, content in maker.media.files.items():
            write_atomic(directory / "assets" / place, content, durable=False)
    context.formulas.close()
    if paths:
        _write_assets(directory)
    _remove_old(context.book, directory)
    _write_index(context)
    return paths


def print_pdfs(context: BookContext, decks: Sequence[Path]) -> list[Path]:
    """Writes a PDF beside each deck, and lists them; their paths."""
    paths = print_decks(context, decks, slides_directory(context.config) / "assets")
    _write_index(context)
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

    context: BookContext
    tab: str
    media: DeckMedia = field(default_factory=DeckMedia)

    def decks(self, pages: Sequence[Page]) -> Iterator[Deck]:
        book, goes_on = self.context.apart(), self.context.config.goes_on
        found, runs = book.messages, book.results(pages, (self.tab,))
        for page in pages:
            without = any(message.path == page.document.path for message in found) and not goes_on
            apart = book.apart()
            results = runs.get((page.document.name, self.tab), NO_RESULTS)
            deck = self._deck(apart, page, results) if not without else None
            found.extend(apart.messages)
            if deck is not None and (goes_on or not apart.messages.failed):
                yield deck
        self.context.messages.extend(found)

    def _deck(self, around: BookContext, page: Page, results: Results) -> Deck | None:
        book, config, name = around.book, around.config, page.document.name
        assets = posixpath.relpath("assets", posixpath.join(self.tab, posixpath.dirname(name))) + "/"
        self.media.prefix = assets
        context = ViewContext(around, page, tab=self.tab, media=self.media, address=_nowhere)
        writer = SlideWriter(context, results)
        title = plain_text(page.document.title, book) or name
        slides = Script(writer).read(writer.prose.inline(page.document.title) or title, writer.view.blocks)
        if not slides:
            return None
        shown = corners(config, self.media, around.messages)
        height = HEIGHT - (CORNERS if shown else 0)
        place = f"{config.title} {page.number}".strip()
        return Deck(
            page=name,
            title=title,
            subtitle=f"{place} · {label_of(self.tab)}" if len(book.tabs) > 1 else place,
            lines=(page.document.authors or config.author,),
            language=config.lang,
            assets=assets,
            corners=shown,
            words=book.words,
            policy=content_policy(config.content_sources, _speakers_script()),
            sheets=tuple(sheet for slide in slides for sheet in sheets(slide, height)),
        )


def _nowhere(page: str, anchor: str) -> str:
    """Links lead nowhere: a deck stands alone."""
    return ""


@lru_cache(maxsize=1)
def _speakers_script() -> str:
    """The script that reveal.js writes into the speaker's window, which has the deck's policy."""
    plugin = (_reveal() / "dist" / "plugin" / "notes.js").read_text(encoding="utf-8")
    return plugin.partition("<script>")[2].partition("<\\/script>")[0].replace("\\\\", "\\")


def _reveal() -> Path:
    return next((STATIC / "vendor").glob("reveal.js-*"))


def _write_assets(directory: Path) -> None:
    reveal = _reveal()
    for name in _REVEAL:
        content = (reveal / "dist" / name).read_bytes()
        write_atomic(directory / "assets" / posixpath.basename(name), content, durable=False)
    write_atomic(directory / "assets" / "reveal-LICENSE.txt", (reveal / "LICENSE").read_bytes(), durable=False)
    for name in _OWN:
        write_atomic(directory / "assets" / name, (STATIC / "slides" / name).read_bytes(), durable=False)
    for path in (STATIC / "fonts.css", *sorted((STATIC / "fonts").iterdir())):
        write_atomic(directory / "assets" / path.relative_to(STATIC), path.read_bytes(), durable=False)


def _remove_old(book: Book, directory: Path) -> None:
    """Takes away the decks of pages that have no marks any more, or are gone."""
    wanted = {f"{tab}/{page.document.name}" for page in book.pages if has_marks(page) for tab in book.tabs}
    for suffix in ("html", "pdf"):
        for path in sorted(directory.glob(f"*/**/*.{suffix}")):
            if path.relative_to(directory).as_posix().removesuffix(f".{suffix}") not in wanted:
                path.unlink()


def _write_index(context: BookContext) -> None:
    book, config = context.book, context.config
    entries, directory = [], slides_directory(config)
    for page in book.pages:
        name = page.document.name
        decks = [(label_of(tab), f"{tab}/{name}") for tab in book.tabs if (directory / tab / f"{name}.html").is_file()]
        if decks:
            title = plain_text(page.document.title, book) or name
            there = [(label, f"{place}.html", (directory / f"{place}.pdf").is_file()) for label, place in decks]
            entries.append(Entry(page.number, title, tuple(there)))
    if entries or directory.is_dir():
        listed = index_html(config.title, config.lang, book.words, entries, content_policy(config.content_sources))
        write_atomic(directory / "index.html", listed, durable=False)
