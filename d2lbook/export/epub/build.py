"""Builds the ePubs: one per framework, written only when something in it changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.cache import Cache, sources_digests
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import Run
from d2lbook.export.epub.package import Chapter, Publication, flat_name
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.fresh import epoch, fresh_runs
from d2lbook.export.shared.typesetting import formulas_of
from d2lbook.export.xhtml.context import ViewContext
from d2lbook.export.xhtml.markup import escape
from d2lbook.export.xhtml.page import ViewWriter
from d2lbook.export.xhtml.pictures import Media
from d2lbook.files import write_atomic
from d2lbook.frameworks import label_of
from d2lbook.languages import habits
from d2lbook.model import Book, Heading, Page
from d2lbook.view import make_view

STYLE = Path(__file__).resolve().parents[2] / "static" / "epub" / "book.css"


def epub_path(config: Config, tab: str) -> Path:
    return config.output_dir / "epub" / config.lang / f"{tab}.epub"


def build(book: Book, config: Config, tabs: Sequence[str], messages: Messages) -> list[Path]:
    """Writes `_build/epub/LANG/TAB.epub`; the paths. A framework with errors keeps its last good ePub."""
    made_of = f"{sources_digests(config, book.tabs)[config.lang]} {epoch(config.root)}"
    cache, names = Cache(config.output_dir), {tab: f"epub-{config.lang}-{tab}" for tab in tabs}
    stale = [tab for tab in tabs if cache.outputs(names[tab], made_of) is None]
    failed = set()
    formulas = Formulas(config.output_dir / ".cache" / "formulas.sqlite")
    if stale:
        formulas.load(formula for page in book.pages for _, formula in formulas_of(page.document))  # all at once
    for tab in stale:
        found = Messages(messages.strict)
        publication = _publication(book, config, tab, formulas, found)
        messages.extend(found)
        cache.forget(names[tab])
        if found.failed:
            failed.add(tab)
            continue
        write_atomic(epub_path(config, tab), publication.archive())
        if not found:  # what was reported is reported again until it is mended
            cache.mark(names[tab], made_of, [epub_path(config, tab)])
    formulas.close()
    return [epub_path(config, tab) for tab in tabs if tab not in failed]


def _publication(book: Book, config: Config, tab: str, formulas: Formulas, messages: Messages) -> Publication:
    runs = fresh_runs(book, config, tab, messages)
    media = Media()
    chapters = [_title_page(book, config, tab)]
    chapters += [_chapter(page, tab, book, config, runs, formulas, media, messages) for page in book.pages]
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


def _chapter(
    page: Page,
    tab: str,
    book: Book,
    config: Config,
    runs: dict[str, Run],
    formulas: Formulas,
    media: Media,
    messages: Messages,
) -> Chapter:
    name = page.document.name
    view = make_view(page.document, tab, book.tabs)

    def address(target: str, anchor: str) -> str:
        return flat_name(target) + (f"#{anchor}" if anchor else "")

    context = ViewContext(page, book, config, messages, formulas=formulas, tab=tab, media=media, address=address)
    body = ViewWriter(context, view, runs.get(name)).body()
    title = plain_text(page.document.title, book, name) or name
    shown = f"{page.number} {title}" if page.number else title
    return Chapter(flat_name(name), shown, body, max(page.depth - 1, 0), tuple(_sections(page, book)))


def _sections(page: Page, book: Book) -> list[tuple[str, str]]:
    """Labelled headings of the second level: those that a reference can lead to."""
    found = []
    for block in page.document.walk():
        if isinstance(block, Heading) and block.level == 2 and block.labels:
            target = book.targets.get(block.labels[0].name)
            number = book.numbers.get((page.document.name, block.span.start), "")
            title = plain_text(block.title, book, page.document.name)
            if target is not None:
                found.append((target.anchor, f"{number} {title}".strip()))
    return found
