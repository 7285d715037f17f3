"""A quick look at some pages: they are written into the site as it lies there, and nothing else of it is touched."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from d2lbook.cache import Cache
from d2lbook.diagnostics import Messages
from d2lbook.editions import Edition
from d2lbook.export import html
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.fresh import frozen_runs
from d2lbook.export.shared.typesetting import typeset
from d2lbook.export.site.context import Site, prefix_of
from d2lbook.export.site.frame import Frame
from d2lbook.export.site.languages import languages_of
from d2lbook.export.site.nav import Navigation
from d2lbook.export.site.page import SitePage
from d2lbook.export.site.work import shared_files
from d2lbook.files import write_atomic


def preview(edition: Edition, tabs: tuple[str, ...], names: Collection[str], messages: Messages) -> list[Path]:
    """Write the pages `names` of an edition, without their notebooks and without the search; their files.

    Results that are stale are shown, missing ones as such. With errors in these pages nothing is written.
    """
    book, config = edition.book, edition.config
    pages = [page for page in book.pages if page.document.name in names]
    documents = [page.document for page in pages]
    formulas = Formulas(config.output_dir / ".cache" / "formulas.sqlite")
    typeset(documents, formulas, messages)
    runs = frozen_runs(documents, book, config, tabs, messages, stale_ok=True)
    site = Site(book, config, tabs, runs, formulas, True, languages_of(config))
    frame = Frame(site, Navigation(book), config.output_dir / ".cache" / "templates")
    texts: dict[Path, str] = {}
    for page in pages:
        writer = SitePage(site, page, frame.navigation, messages)
        article = writer.body()
        path = html.site_directory(config) / f"{prefix_of(config)}{page.document.name}.html"
        texts[path] = frame.page(page.document.name, writer.context.whole(article), writer.outline)
    formulas.close()
    if messages.failed:
        return []
    Cache(config.output_dir).forget(f"site-{config.lang}")  # the next build looks at all pages
    for name, source in shared_files(book, config).items():
        write_atomic(html.site_directory(config) / name, source.read_bytes(), durable=False)
    for path, text in texts.items():
        write_atomic(path, text, durable=False)
    return list(texts)
