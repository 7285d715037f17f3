"""A quick look at some pages: they are written into the site as it lies there, and nothing else of it is touched."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from d2lbook.export.site.context import Site, prefix_of
from d2lbook.export.site.current import site_directory
from d2lbook.export.site.frame import Frame
from d2lbook.export.site.nav import Navigation
from d2lbook.export.site.page import SitePage
from d2lbook.export.site.work import shared_files
from d2lbook.files import write_atomic
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.typesetting import typeset


def preview(context: BookContext, names: Collection[str]) -> list[Path]:
    """Write the pages `names` of a language, without their notebooks and without the search; their files.

    Results that are stale are shown, missing ones as such. With errors in these pages nothing is written, unless
    the build goes on.
    """
    config, messages, pages = context.config, context.messages, context.pages(names)
    typeset(pages, context.formulas, messages)
    site = Site(context, context.results(pages, stale_ok=True))
    frame = Frame(site, Navigation(context.book))
    texts: dict[Path, str] = {}
    for page in pages:
        writer = SitePage(site, page, frame.navigation, messages)
        article = writer.body()
        path = site_directory(config) / f"{prefix_of(config)}{page.document.name}.html"
        texts[path] = frame.page(page.document.name, writer.context.whole(article), writer.outline)
    context.formulas.close()
    if messages.failed and not config.goes_on:
        return []
    context.cache.forget(f"site-{config.lang}")  # the next build looks at all pages
    for name, source in shared_files(context).items():
        write_atomic(site_directory(config) / name, source.read_bytes(), durable=False)
    for path, text in texts.items():
        write_atomic(path, text, durable=False)
    return list(texts)
