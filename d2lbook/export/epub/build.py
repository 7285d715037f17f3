"""Builds the ePubs: one per framework, written only when something in it changed."""

from __future__ import annotations

from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.cache import sources_digests
from d2lbook.config import Config
from d2lbook.export.epub.package import Chapter, Publication, flat_name
from d2lbook.files import write_atomic
from d2lbook.frameworks import label_of
from d2lbook.html.context import ViewContext
from d2lbook.html.markup import escape
from d2lbook.html.page import ViewWriter
from d2lbook.html.pictures import Media
from d2lbook.languages import habits
from d2lbook.model import Book, Heading, Page
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.epoch import epoch
from d2lbook.rendering.results import NO_RESULTS, Results
from d2lbook.rendering.typesetting import load_formulas

STYLE = Path(__file__).resolve().parents[2] / "static" / "epub" / "book.css"


def epub_path(config: Config, tab: str) -> Path:
    return config.output_dir / "epub" / config.lang / f"{tab}.epub"


def build(context: BookContext) -> list[Path]:
    """Writes `_build/epub/LANG/TAB.epub`; the paths. A framework with errors keeps its last good ePub, unless the
    build goes on."""
    book, config, tabs = context.book, context.config, context.tabs
    made_of = f"{sources_digests(config, book.tabs, context.messages.draft)[config.lang]} {epoch(config.root)}"
    cache, names = context.cache, {tab: f"epub-{config.lang}-{tab}" for tab in tabs}
    stale = [tab for tab in tabs if cache.outputs(names[tab], made_of) is None]
    failed = set()
    if stale:
        load_formulas(book.pages, context.formulas)
    for tab in stale:
        apart = context.apart()
        publication, found = _publication(apart, tab), apart.messages
        context.messages.extend(found)
        cache.forget(names[tab])
        if found.failed and not config.goes_on:
            failed.add(tab)
            continue
        write_atomic(epub_path(config, tab), publication.archive())
        if not found:  # what was reported is reported again until it is mended
            cache.mark(names[tab], made_of, [epub_path(config, tab)])
    context.formulas.close()
    return [epub_path(config, tab) for tab in tabs if tab not in failed]


def _publication(context: BookContext, tab: str) -> Publication:
    book, config = context.book, context.config
    runs, media = context.results(book.pages, (tab,)), Media()
    chapters = [_title_page(book, config, tab)]
    for page in book.pages:
        of_page = ViewContext(context, page, tab=tab, media=media, address=_address)
        chapters.append(_chapter(of_page, runs.get((page.document.name, tab), NO_RESULTS)))
    several = len(book.tabs) > 1
    return Publication(
        title=f"{config.title}, {label_of(tab)}" if several else config.title,
        author=config.author,
        rights=config.copyright,
        language=config.lang,
        release=config.release,
        epoch=epoch(config.root),
        contents=book.words("Contents"),
        chapters=tuple(chapters),
        style=STYLE.read_text(encoding="utf-8") + habits((config.lang, config.source_lang)),
        images=media.files,
    )


def _title_page(book: Book, config: Config, tab: str) -> Chapter:
    with_tab = book.words("with {framework}", framework=label_of(tab)) if len(book.tabs) > 1 else ""
    release = book.words("Release {release}", release=config.release) if config.release else ""
    about = (with_tab, release, config.author, config.copyright)
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in about if line)
    body = f'<section class="title-page">\n<h1>{escape(config.title)}</h1>\n{lines}</section>\n'
    return Chapter("title-page.xhtml", book.words("Title"), body, 0)


def _address(page: str, anchor: str) -> str:
    return flat_name(page) + (f"#{anchor}" if anchor else "")


def _chapter(context: ViewContext, results: Results) -> Chapter:
    page, book, name = context.page, context.book, context.name
    body = ViewWriter(context, results).body()
    title = plain_text(page.document.title, book) or name
    shown = f"{page.number} {title}" if page.number else title
    return Chapter(flat_name(name), shown, body, max(page.depth - 1, 0), tuple(_sections(page, book)))


def _sections(page: Page, book: Book) -> list[tuple[str, str]]:
    """Labelled headings of the second level: those that a reference can lead to."""
    found = []
    for block in page.document.walk():
        if isinstance(block, Heading) and block.level == 2 and block.labels:
            target = book.targets.get(block.labels[0].name)
            number = book.number_of(page.document.name, block)
            title = plain_text(block.title, book)
            if target is not None:
                found.append((target.anchor, f"{number} {title}".strip()))
    return found
