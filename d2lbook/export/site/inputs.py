"""What a site is made of, as hashes: to know quickly that nothing changed, and which pages did."""

from __future__ import annotations

import hashlib
import json

from d2lbook.book.assets import assets_of
from d2lbook.book.cross_references import link_text
from d2lbook.cache import builder_digest, hashes_in
from d2lbook.execute.frozen import run_paths
from d2lbook.export.site.assets import OWN_HTML, own_html
from d2lbook.fences import versions
from d2lbook.files import is_file
from d2lbook.frameworks import with_free
from d2lbook.model import Bibliography, Book, Fault, Heading, Page, Role, Toc, roles_of
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.paths import shown_file


def book_wide(context: BookContext, pending_ok: bool, others: object) -> str:
    """Hash of what every page shows or is made with: titles in the contents, configuration, builder, words.

    `others` is what pages say of the book in other languages.
    """
    book, config = context.book, context.config
    titles = [
        (page.document.name, page.number, page.document.title, page.children, page.document.title_lang)
        for page in book.pages
    ]
    written = config.path.read_text(encoding="utf-8")
    return _hash(
        builder_digest(config.output_dir),
        written,
        versions(config),
        book.citation_style.enclosed(["", ""]) if book.citation_style is not None else "",
        titles,
        context.tabs,
        pending_ok,
        book.words.known,
        repr(others),
        *(own_html(config, key) for key in OWN_HTML),
    )


def _languages(page: Page) -> list[tuple[str, str]]:
    """What an edition knows of a page's blocks beside their text."""
    return [(block.lang, getattr(block, "anchor_title", "")) for block in page.document.walk()]


def numbers_by_page(book: Book) -> dict[str, list[tuple[str, str]]]:
    """What is numbered on each page, and how: labels and places in the text, in an order of their own."""
    found: dict[str, list[tuple[str, str]]] = {}
    for target in book.targets.values():
        found.setdefault(target.page, []).append((target.label, target.number))
    for (name, place), number in sorted(book.numbers.items()):
        found.setdefault(name, []).append((str(place), number))
    return found


def page_fingerprint(
    page: Page, context: BookContext, shared: str, numbers: list[tuple[str, str]], cited_on: object
) -> str:
    """Hash of all that one page's HTML depends on. `cited_on` counts for a page that has a bibliography."""
    book, config, document = context.book, context.config, page.document
    refers = [
        link_text(role.kind, key, book) + _where(role, key, book)
        for block in document.walk()
        for role in roles_of(block)
        for key in role.keys
    ]
    hashes = hashes_in(config.output_dir)
    paths = [shown_file(book, document.path, asset.target) for asset in assets_of(document.walk())]
    figures = [
        (hashes.of(path) if is_file(path) else "", book.drawings.get(path, "")) if path is not None else None
        for path in paths
    ]
    has_list = any(isinstance(block, Bibliography) for block in document.walk())
    results = [path for tab in with_free(book.tabs) for path in run_paths(config.root, document.result_name, tab)]
    shown = [hashes.of(path) if is_file(path) else "" for path in results]
    style = book.citation_style
    listed = [book.citations, cited_on, style.entries if style is not None else {}] if has_list else []
    reference = context.api.inputs(page)
    faults = [str(block) for block in document.walk() if isinstance(block, Fault)]
    said = [_languages(page), book.plot_words.get(document.name, {})]
    here = [document.text, faults, said, page.number, refers, numbers, figures, listed, shown, reference]
    return _hash(shared, *here, _lists(page, book) if any(isinstance(one, Toc) for one in document.walk()) else [])


def _lists(page: Page, book: Book) -> list[object]:
    """The sections of the pages that a page with a table of contents lists."""
    found: list[object] = []
    for child in filter(None, map(book.page, page.children)):
        for block in child.document.walk():
            if isinstance(block, Heading):
                number = book.number_of(child.document.name, block)
                found.append((number, block.title, block.anchor_title, [label.name for label in block.labels]))
        found += _lists(child, book)
    return found


def _where(role: Role, key: str, book: Book) -> str:
    target = book.targets.get(key)
    return f" {target.page}#{target.anchor}" if target is not None else f" {role.kind}"


def _hash(*parts: object) -> str:
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()
