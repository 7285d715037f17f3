"""What stands around a page's text: contents, framework chooser, notebooks, links."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from docutils import nodes

from d2lbook import languages
from d2lbook.cache import CATALOGS
from d2lbook.export.notebook.hosted.platforms import OPENED_IN
from d2lbook.export.notebook.hosted.settings import open_links
from d2lbook.export.shared.untranslated import is_partly_untranslated, is_untranslated
from d2lbook.export.site.assets import assets_version
from d2lbook.export.site.context import Site, prefix_of
from d2lbook.export.site.nav import Navigation, page_contents
from d2lbook.frameworks import label_of, style
from d2lbook.ui_strings import IN_SCRIPTS

NOTEBOOKS = "_notebooks"
OWN = "_static/own"  # style sheets and scripts of the book's own


class Frame:
    """Completes the context in which Sphinx writes a page's template."""

    def __init__(self, site: Site, assets: Path) -> None:
        self.site = site
        self.navigation = Navigation(site.book)
        self.version = assets_version(assets)

    def complete(self, name: str, context: dict[str, Any], tree: nodes.document | None) -> None:
        root = context.get("content_root", "./")
        config, known = self.site.config, name in self.site.pages
        shared = f"{root}{self.site.up}"
        foreign, untranslated = self._foreign(name) if known else ("", False)
        own = page_contents(tree)
        context.update(
            d2l_tabs=[(tab, label_of(tab)) for tab in self.site.tabs],
            d2l_own_style=style(self.site.tabs) + languages.style((config.lang, config.source_lang)),
            d2l_root=root,
            d2l_shared=shared,
            d2l_words=self._words(),
            d2l_languages=self._languages(name, root) if known else [],
            d2l_source_lang=config.source_lang,
            d2l_foreign=foreign,
            d2l_untranslated=untranslated,
            d2l_version=self.version,
            d2l_contents=self.navigation.contents(name, root),
            d2l_page_contents=own,
            d2l_notebooks=[(tab, f"{root}{NOTEBOOKS}/{tab}/{name}.ipynb") for tab in self.site.tabs] if known else [],
            d2l_opened=self._opened(name) if known else [],
            d2l_edit=self._edited(f"{name}.md") if known else "",
            d2l_logo=f"{shared}_static/logo.svg" if config.value("html", "html_logo") else "",
            d2l_icon=f"{shared}_static/favicon.svg" if config.value("html", "favicon") else "",
            d2l_links=header_links(config.value("html", "header_links")),
            d2l_styles=[f"{shared}{OWN}/{path}" for path in config.value("html", "include_css").split()],
            d2l_scripts=[f"{shared}{OWN}/{path}" for path in config.value("html", "include_js").split()],
            secondary_sidebar_items=["d2l-page-contents.html"] if own else [],
            suppress_sidebar_toctree=_never,
            generate_toc_html=_empty,
            script_files=[],
        )

    def _edited(self, path: str) -> str:
        """Where a file of the book is edited; empty when the book does not say."""
        edit_url = self.site.config.edit_url
        return f"{edit_url.rstrip('/')}/{path}" if edit_url else ""

    def _words(self) -> str:
        """What scripts say in the book's language, as JSON; empty where that is English."""
        known = self.site.book.words.known
        said = {phrase: known[phrase] for phrase in IN_SCRIPTS if known.get(phrase)}
        return json.dumps(said, ensure_ascii=False).replace("<", "\\u003c") if said else ""

    def _languages(self, name: str, root: str) -> list[dict[str, Any]]:
        """The page in each language; nothing for a book that has one only."""
        config = self.site.config
        base = config.base_url.rstrip("/")
        rows = []
        for language in self.site.languages:
            prefix = prefix_of(replace(config, lang=language.lang))
            rows.append(
                {
                    "lang": language.lang, "name": language.name, "offer": language.offer, "not_now": language.not_now,
                    "href": f"{root}{self.site.up}{prefix}{name}.html", "current": language.lang == config.lang,
                    "url": f"{base}/{prefix}{name}.html" if base else "",
                }
            )  # fmt: skip
        return rows if len(rows) > 1 else []

    def _foreign(self, name: str) -> tuple[str, bool]:
        """A paragraph at the top of a page of which something is not in the book's language; whether all of it is."""
        page = self.site.book.page(name)
        blocks = page.document.blocks if page is not None else ()
        if not is_partly_untranslated(blocks):
            return "", False
        whole = is_untranslated(blocks)
        words, path = self.site.book.words, f"{CATALOGS}/{self.site.config.lang}/{name}.po"
        shown = (
            words("This page is not translated yet and is shown in English.")
            if whole
            else words("Parts of this page are not translated yet and are shown in English.")
        )
        address, file = self._edited(path), f"<code>{html.escape(path)}</code>"
        linked = f'<a href="{html.escape(address)}">{file}</a>' if address else file
        how = html.escape(words("To help, edit {file}; {guide} says how.", file="\0", guide="\1"))
        how = how.replace("\0", linked).replace("\1", "<code>CONTRIBUTING.md</code>")
        return f'<p class="d2l-untranslated">{html.escape(shown)} {how}</p>', whole

    def _opened(self, name: str) -> list[tuple[str, str, str]]:
        """Framework, place and address for each hosted platform that has the page's notebooks."""
        return [
            (tab, OPENED_IN[platform], address)
            for tab in self.site.tabs
            for platform, address in open_links(self.site.config, tab, name)
        ]


def header_links(written: str) -> list[tuple[str, str]]:
    """Name and address from the lines `name, address, icon` of `[html] header_links`; icons are not shown."""
    lines = [[part.strip() for part in line.split(",")] for line in written.splitlines() if line.strip()]
    return [(parts[0], parts[1]) for parts in lines if len(parts) > 1]


def _never(*_: Any, **__: Any) -> bool:
    return False


def _empty(*_: Any, **__: Any) -> str:
    return ""
