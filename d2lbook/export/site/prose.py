"""Markdown of a block as the site shows it."""

from __future__ import annotations

from markdown_it.tree import SyntaxTreeNode

from d2lbook.export.site.context import SiteContext
from d2lbook.html.markup import attribute, highlighted
from d2lbook.html.prose import Prose


class SiteProse(Prose):
    """Renders the Markdown of one page of the site."""

    context: SiteContext

    unknown = ("the site has no form for Markdown's '{type}'; write it in another way", "html-unhandled")

    def code_block(self, code: str, language: str) -> str:
        """Code in a box that the site's script gives a button to copy it."""
        kind = attribute(language or "text")
        shown = self.context.values.of(highlighted, code, language)
        return f'<div class="highlight highlight-{kind}" translate="no"><pre>{shown}\n</pre></div>\n'

    def joined(self, html: str) -> str:
        return html  # KaTeX's HTML holds a line together itself

    def markup(self, text: str) -> str:
        return self.context.unsearched(text)

    def table(self, rows: str) -> str:
        return f'<div class="pst-scrollable-table-container"><table class="table">\n{rows}</table>\n</div>\n'

    def _link(self, token: SyntaxTreeNode) -> str:
        link = super()._link(token)
        title = token.attrs.get("title")
        return link.replace(" ", f' title="{attribute(str(title))}" ', 1) if title and link.startswith("<a ") else link
