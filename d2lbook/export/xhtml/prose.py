"""Markdown of a block as XHTML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from d2lbook.parse import markdown
from d2lbook.references import api_text

_TAG = re.compile(r"<\s*(/?)\s*(br|b|strong|i|em|sub|sup|kbd|code)\s*/?\s*>", re.IGNORECASE)


# A browser may end a line between a formula and the mark or bracket beside it.
_JOINED = re.compile(
    r"(?P<open>[(\[“]*)(?P<math><math\b(?:(?!</math>).)*</math>)(?P<close>(?:[.,;:!?)\]”]|-\w+)*)", re.DOTALL
)


class Context(Protocol):
    """What prose needs to know of its page and book."""

    def reference(self, kind: str, key: str) -> str: ...

    def citation(self, kind: str, keys: Sequence[str]) -> str: ...

    def api(self, text: str, shown: str) -> str: ...

    def formula(self, tex: str, display: bool) -> str: ...

    def image(self, target: str, alt: str) -> str: ...

    def link(self, target: str, shown: str) -> str: ...

    def warn(self, text: str, code: str) -> None: ...


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return markdown()


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


class Prose:
    """Renders the Markdown of one page."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def blocks(self, text: str) -> str:
        return self._children(SyntaxTreeNode(_parser().parse(text)))

    def items(self, text: str) -> list[str]:
        """The items of Markdown that is one list, each as a list of its own; none of any other Markdown."""
        top = SyntaxTreeNode(_parser().parse(text)).children
        if len(top) != 1 or top[0].type not in {"bullet_list", "ordered_list"}:
            return []
        items = [self._node(item) for item in top[0].children]
        if top[0].type == "bullet_list":
            return [f"<ul>\n{item}</ul>\n" for item in items]
        first = int(top[0].attrs.get("start", 1))
        return [f'<ol start="{number}">\n{item}</ol>\n' for number, item in enumerate(items, first)]

    def inline(self, text: str) -> str:
        return _joined(self._children(SyntaxTreeNode(_parser().parseInline(" ".join(text.split())))).strip())

    def _children(self, token: SyntaxTreeNode) -> str:
        return "".join(self._node(child) for child in token.children)

    def _node(self, token: SyntaxTreeNode) -> str:
        if token.type in ELEMENTS:
            tag, end = ELEMENTS[token.type]
            return f"<{tag}>{self._children(token)}</{tag}>{end}"
        method: Callable[[SyntaxTreeNode], str] | None = getattr(self, f"_{token.type}", None)
        if method is None:
            self.context.warn(f"there is no form for Markdown's '{token.type}' here; it is left out", "xhtml-unhandled")
            return ""
        return method(token)

    def _inline(self, token: SyntaxTreeNode) -> str:
        return _joined(self._children(token))

    def _text(self, token: SyntaxTreeNode) -> str:
        return escape(token.content)

    def _softbreak(self, token: SyntaxTreeNode) -> str:
        return "\n"

    def _hardbreak(self, token: SyntaxTreeNode) -> str:
        return "<br/>\n"

    def _hr(self, token: SyntaxTreeNode) -> str:
        return "<hr/>\n"

    def _code_inline(self, token: SyntaxTreeNode) -> str:
        return f"<code>{escape(token.content)}</code>"

    def _code_block(self, token: SyntaxTreeNode) -> str:
        return code_block(token.content.rstrip("\n"), "")

    def _fence(self, token: SyntaxTreeNode) -> str:
        return code_block(token.content.rstrip("\n"), (token.info.split() or [""])[0])

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

    def _d2l_mark(self, token: SyntaxTreeNode) -> str:
        return "" if token.meta["only_slides"] else self._children(token)

    def _d2l_role(self, token: SyntaxTreeNode) -> str:
        kind = token.meta["kind"]
        keys = [key.strip() for key in token.content.split(",")]
        if kind in {"cite", "citet", "citep"}:
            return self.context.citation(kind, keys)
        if kind in {"class", "func", "mod"}:
            return self.context.api(token.content, f"<code>{escape(api_text(token.content))}</code>")
        return ", ".join(self.context.reference(kind, key) for key in keys)

    def _link(self, token: SyntaxTreeNode) -> str:
        return self.context.link(str(token.attrs.get("href", "")), self._children(token))

    def _image(self, token: SyntaxTreeNode) -> str:
        return self.context.image(str(token.attrs["src"]), token.content)

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


ELEMENTS: dict[str, tuple[str, str]] = {
    "paragraph": ("p", "\n"),
    "em": ("em", ""),
    "strong": ("strong", ""),
    "s": ("s", ""),
    "bullet_list": ("ul", "\n"),
    "list_item": ("li", "\n"),
    "blockquote": ("blockquote", "\n"),
}
