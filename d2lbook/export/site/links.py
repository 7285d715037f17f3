"""The line below a page's title that leads to its notebooks."""

from __future__ import annotations

import posixpath
from html import escape

from docutils import nodes

from d2lbook.export.site.nodes import tab_label
from d2lbook.model import View


def notebook_links(page: str, views: dict[str, View]) -> list[nodes.Node]:
    """A link for each framework that has cells on the page; style shows the chosen framework's."""
    up = "../" * page.count("/")
    name = posixpath.basename(page)
    links = [
        f'<a class="d2l-panel" data-fw="{tab}" href="{up}_notebooks/{tab}/{escape(page)}.ipynb" download="{escape(name)}-{tab}.ipynb">'
        f"{escape(tab_label(tab))} notebook</a>"
        for tab, view in views.items()
        if view.cells
    ]
    if not links:
        return []
    source = f'<p class="d2l-run" data-pagefind-ignore>Run this page: {" ".join(links)}</p>'
    return [nodes.raw("", source, format="html")]
