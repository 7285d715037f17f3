"""Markdown of a block as XHTML."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import ClassVar, Protocol

from markdown_it.tree import SyntaxTreeNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from d2lbook.export.shared import renderer
from d2lbook.export.shared.paths import file_of

_TAG = re.compile(r"<\s*(/?)\s*(br|b|strong|i|em|sub|sup|kbd|code)\s*/?\s*>", re.IGNORECASE)
# A browser may end a line between a formula and the mark or bracket beside it.
_JOINED = re.compile(
    r"(?P<open>[(\[“]*)(?P<math><math\b(?:(?!</math>).)*</math>)(?P<close>(?:[.,;:!?)\]”]|-\w+)*)", re.DOTALL
)


class Context(renderer.Context, Protocol):
    """What prose needs to know of its page and book."""

    def formula(self, tex: str, display: bool) -> str: ...

    def image(self, target: str, alt: str) -> str: ...


def escape(text: str) -> str:
    return html.escape(text, quote=False)


def attribute(text: str) -> str:
    return html.escape(text, quote=True)


@lru_cache(maxsize=4096)
def code_block(code: str, language: str) -> str:
    """Code with a class for each kind of token."""
    try:
        lexer = get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:  # a language that Pygments does not know is shown without colours
        lexer = get_lexer_by_name("text", stripnl=False)
    return f'<pre class="code"><code>{highlight(code, lexer, HtmlFormatter(nowrap=True)).rstrip()}</code></pre>\n'


class Prose(renderer.Renderer[Context]):
    """Renders the Markdown of one page."""

    wrapped: ClassVar = {
        "paragraph": ("<p>", "</p>\n"),
        "em": ("<em>", "</em>"),
        "strong": ("<strong>", "</strong>"),
        "s": ("<s>", "</s>"),
        "bullet_list": ("<ul>", "</ul>\n"),
        "list_item": ("<li>", "</li>\n"),
        "blockquote": ("<blockquote>", "</blockquote>\n"),
    }
    unknown = ("there is no form for Markdown's '{type}' here; it is left out", "xhtml-unhandled")

    def code_block(self, code: str, language: str) -> str:
        return code_block(code, language)

    def code_span(self, code: str) -> str:
        return f"<code>{escape(code)}</code>"

    def items(self, text: str) -> list[str]:
        """The items of Markdown that is one list, each as a list of its own; none of any other Markdown."""
        top = SyntaxTreeNode(renderer.parser().parse(text)).children
        if len(top) != 1 or top[0].type not in {"bullet_list", "ordered_list"}:
            return []
        items = [self._node(item) for item in top[0].children]
        if top[0].type == "bullet_list":
            return [f"<ul>\n{item}</ul>\n" for item in items]
        first = int(top[0].attrs.get("start", 1))
        return [f'<ol start="{number}">\n{item}</ol>\n' for number, item in enumerate(items, first)]

    def inline(self, text: str) -> str:
        return _joined(super().inline(text))

    def _inline(self, token: SyntaxTreeNode) -> str:
        return _joined(self._children(token))

    def _text(self, token: SyntaxTreeNode) -> str:
        return escape(token.content)

    def _hardbreak(self, token: SyntaxTreeNode) -> str:
        return "<br/>\n"

    def _hr(self, token: SyntaxTreeNode) -> str:
        return "<hr/>\n"

    def _html_inline(self, token: SyntaxTreeNode) -> str:
        found = _TAG.fullmatch(token.content.strip())
        if found is None:
            return ""  # a comment, or markup that may not be well-formed
        name = found[2].lower()
        return "<br/>" if name == "br" else f"<{found[1]}{name}>"

    _html_block = _html_inline

    def _math_inline(self, token: SyntaxTreeNode) -> str:
        return self.context.formula(token.content, False)

    def _math_inline_double(self, token: SyntaxTreeNode) -> str:
        return self.context.formula(token.content.strip(), True)

    _math_block = _math_inline_double

    def _image(self, token: SyntaxTreeNode) -> str:
        return self.context.image(file_of(str(token.attrs["src"])), token.content)

    def _ordered_list(self, token: SyntaxTreeNode) -> str:
        start = int(token.attrs.get("start", 1))
        begin = f' start="{start}"' if start != 1 else ""
        return f"<ol{begin}>\n{self._children(token)}</ol>\n"

    def _table(self, token: SyntaxTreeNode) -> str:
        parts = []
        for part in token.children:
            cell = "th" if part.type == "thead" else "td"
            rows = "".join(self._row(row, cell) for row in part.children)
            parts.append(f"<{part.type}>\n{rows}</{part.type}>\n")
        return f"<table>\n{''.join(parts)}</table>\n"

    def _row(self, row: SyntaxTreeNode, tag: str) -> str:
        cells = []
        for cell in row.children:
            style = str(cell.attrs.get("style", ""))
            shown = self._children(cell)
            name = tag if shown.strip() else "td"  # an empty corner is no heading
            styled = f' style="{style}"' if style else ""
            cells.append(f"<{name}{styled}>{shown}</{name}>")
        return f"<tr>{''.join(cells)}</tr>\n"


def _joined(html: str) -> str:
    """Formulas held together with the marks that stand directly before and after them."""

    def held(found: re.Match[str]) -> str:
        alone = not (found["open"] or found["close"])
        return found[0] if alone else f'<span class="joined">{found[0]}</span>'

    return _JOINED.sub(held, html)
