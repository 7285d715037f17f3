"""Sphinx around the pages: a parser that reads the book's model, a builder, and the frame of each page."""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import FileSystemBytecodeCache
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import SphinxError
from sphinx.jinja2glue import BuiltinTemplateLoader
from sphinx.parsers import Parser
from sphinx.util.docutils import docutils_namespace

from d2lbook.diagnostics import Messages
from d2lbook.export.site import foreign, phrases, reference
from d2lbook.export.site import nodes as site_nodes
from d2lbook.export.site.assets import STATIC
from d2lbook.export.site.context import Site, base_url_of
from d2lbook.export.site.frame import Frame
from d2lbook.export.site.log import MessageHandler
from d2lbook.export.site.page import PageTree
from d2lbook.export.site.search import store

LANGUAGE = "d2l"  # Sphinx's name for the kind of source


class SiteBuilder(StandaloneHTMLBuilder):
    """Sphinx's HTML without its index, search and copies of sources."""

    name = "d2l-site"
    search = False


def make_parser(site: Site) -> type[Parser]:
    """A parser for Sphinx; what it is given to read is only a mark of what the page is made from."""
    pages = {page.document.name: page for page in site.book.pages}

    class PageParser(Parser):
        supported = (LANGUAGE,)

        def parse(self, inputstring: str, document: nodes.document) -> None:
            PageTree(site, pages[document.settings.env.docname], document).build()

    return PageParser


def settings(site: Site) -> dict[str, Any]:
    """Sphinx's configuration; nothing of it depends on the day or the machine."""
    config = site.config
    return {
        "project": config.title, "author": config.author, "copyright": config.copyright, "release": config.release,
        "version": config.release, "language": config.lang, "root_doc": config.index, "html_title": config.title,
        "source_suffix": {".md": LANGUAGE}, "html_theme": "sphinx_book_theme",
        "templates_path": [str(STATIC / "templates")],
        "html_copy_source": False, "html_show_sphinx": False, "html_show_sourcelink": False, "html_use_index": False,
        "html_domain_indices": False, "html_last_updated_fmt": None,
        "html_baseurl": base_url_of(config), "html_permalinks_icon": "#", "html_secnumber_suffix": " ",
        "smartquotes": False, "numfig": False,
        "pygments_style": "a11y-high-contrast-light", "html_sidebars": {"**": ["d2l-contents.html"]},
        "html_theme_options": {
            "pygments_light_style": "a11y-high-contrast-light", "pygments_dark_style": "a11y-high-contrast-dark",
            "article_header_start": [], "article_header_end": [], "navbar_start": [], "navbar_center": [],
            "navbar_end": [], "navbar_persistent": [], "use_download_button": False, "use_fullscreen_button": False,
            "secondary_sidebar_items": ["d2l-page-contents.html"], "footer_content_items": ["d2l-copyright.html"],
            "show_prev_next": True, "back_to_top_button": False, "article_footer_items": [], "disable_search": True,
        },
        "suppress_warnings": ["config.cache"],
    }  # fmt: skip


def run(
    site: Site, source: Path, output: Path, doctrees: Path, search: Path, messages: Messages, processes: int
) -> set[str]:  # fmt: skip
    """Builds what is out of date; returns the pages that something was reported on ("" for the site itself)."""
    handler = MessageHandler(messages, site.pages, site.config.name_in_messages)
    early = io.StringIO()
    extensions = [f"{__package__}.extension"]
    phrases.forget_languages()
    with docutils_namespace():
        app = Sphinx(
            source, None, output, doctrees, SiteBuilder.name, settings(site) | {"extensions": extensions},
            status=None, warning=early, parallel=min(processes, 4),
        )  # fmt: skip
        logger = logging.getLogger("sphinx")
        logger.addHandler(handler)
        try:
            for line in early.getvalue().splitlines():
                logger.warning(line)
            _prepare(app, site, search)
            _keep_templates(app, site.config.output_dir / ".cache" / "templates")
            app.build()
        except SphinxError as error:
            logger.error("%s", error)
        finally:
            logger.removeHandler(handler)
    return handler.reported


def _keep_templates(app: Sphinx, directory: Path) -> None:
    """Lets the theme's templates be compiled once, not by each build: a fifth of the time of one with a single page."""
    directory.mkdir(parents=True, exist_ok=True)
    templates = app.builder.templates
    if isinstance(templates, BuiltinTemplateLoader):
        templates.environment.bytecode_cache = FileSystemBytecodeCache(str(directory))


def _prepare(app: Sphinx, site: Site, search: Path) -> None:
    frame = Frame(site, STATIC)
    phrases.install(app, site.book.words)

    def on_page(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
        frame.complete(name, context, tree)
        if tree is not None and name in site.pages:
            store(search, name, tree, site.tabs, site.config.lang)

    app.connect("html-page-context", on_page, priority=900)
    app.add_source_parser(make_parser(site), override=True)
    site_nodes.register(app)
    reference.register(app)
    foreign.register(app)
