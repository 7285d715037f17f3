"""What stands around a page's text: contents, framework chooser, notebooks, links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes

from d2lbook.export.hosted.platforms import OPENED_IN
from d2lbook.export.hosted.settings import open_links
from d2lbook.export.made import tab_label
from d2lbook.export.site.assets import assets_version
from d2lbook.export.site.context import Site
from d2lbook.export.site.nav import Navigation, page_contents

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
        own = page_contents(tree)
        context.update(
            d2l_tabs=[(tab, tab_label(tab)) for tab in self.site.tabs],
            d2l_root=root,
            d2l_version=self.version,
            d2l_contents=self.navigation.contents(name, root),
            d2l_page_contents=own,
            d2l_notebooks=[(tab, f"{root}{NOTEBOOKS}/{tab}/{name}.ipynb") for tab in self.site.tabs] if known else [],
            d2l_opened=self._opened(name) if known else [],
            d2l_edit=f"{config.edit_url.rstrip('/')}/{name}.md" if config.edit_url and known else "",
            d2l_logo=f"{root}_static/logo.svg" if config.value("html", "html_logo") else "",
            d2l_icon=f"{root}_static/favicon.svg" if config.value("html", "favicon") else "",
            d2l_links=header_links(config.value("html", "header_links")),
            d2l_styles=[f"{root}{OWN}/{path}" for path in config.value("html", "include_css").split()],
            d2l_scripts=[f"{root}{OWN}/{path}" for path in config.value("html", "include_js").split()],
            secondary_sidebar_items=["d2l-page-contents.html"] if own else [],
            suppress_sidebar_toctree=_never,
            generate_toc_html=_empty,
            script_files=[],
        )

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
