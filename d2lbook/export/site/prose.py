"""Markdown of a block as the site shows it."""

from __future__ import annotations

import re

from markdown_it.tree import SyntaxTreeNode

from d2lbook.export.site.context import SiteContext
from d2lbook.html.markup import attribute, highlighted
from d2lbook.html.prose import Prose, around
from d2lbook.languages import language_of

# What KaTeX writes: the formula, what is seen of it, each part between which lines may end, and the end.
_KATEX, _SHOWN, _BASE, _END = (
    *('<span class="katex">', '<span class="katex-html" aria-hidden="true">', '<span class="katex-base">'),
    "</span></span>",
)
_ASIDE = r"(?P<sign>(?:\x04[^\x05]*\x05)?)\x02(?P<number>\d+)\x03"
# Where a line would end inside a word: behind a bracket, or code that ends with one.
_ENDING = re.compile(r"([)\]%”’…\x03]|[^\w>\s](?:</\w+>)+)(?=[^\W\d_])")


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
        lang = self.context.config.lang
        html = around(_ASIDE, lang).sub(self._held, html)
        return html if language_of(lang).breaks_in_words else _ENDING.sub("\\1\u2060", html)

    def _held(self, found: re.Match[str]) -> str:
        """A formula on one line with what stands directly before and after it, although it may itself be broken."""
        opens, closes, formula = found["open"], found["close"], self.context.aside(int(found["number"]))
        if not (opens or closes) or not formula.startswith(_KATEX):
            return found[0]
        first, *more = formula.removesuffix(_END).split(_BASE)
        if len(more) < 2:
            return f'<span class="d2l-held">{found[0]}</span>'
        last = _BASE + more.pop() if closes else ""
        start = _BASE + more.pop(0) if opens else ""
        parts = [
            f'<span class="d2l-held">{opens}{found["sign"]}{self._part(first + start)}</span>' if start else "",
            self._part(("" if start else first) + "".join(_BASE + base for base in more)) if more else "",
            f'<span class="d2l-held">{self._part(last)}{closes}</span>' if last else "",
        ]
        return ("" if start else found["sign"]) + "".join(parts)

    def _part(self, bases: str) -> str:
        """Some of a formula's parts between which lines may end, as a formula."""
        opened = bases if bases.startswith(_KATEX) else _KATEX + _SHOWN + bases
        return self.context.unsearched(opened + _END)

    def markup(self, text: str) -> str:
        return self.context.unsearched(text)

    def table(self, rows: str) -> str:
        return f'<div class="pst-scrollable-table-container"><table class="table">\n{rows}</table>\n</div>\n'

    def _link(self, token: SyntaxTreeNode) -> str:
        link = super()._link(token)
        title = token.attrs.get("title")
        return link.replace(" ", f' title="{attribute(str(title))}" ', 1) if title and link.startswith("<a ") else link
