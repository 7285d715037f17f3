"""Markdown of a block as HTML, well-formed as XML too."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import ClassVar, Protocol

from markdown_it.tree import SyntaxTreeNode

from d2lbook.config import Config
from d2lbook.html.markup import attribute, code_block, escape
from d2lbook.languages import language_of
from d2lbook.parse import markdown
from d2lbook.parse.footnotes import Note
from d2lbook.rendering import renderer
from d2lbook.rendering.paths import file_of

_TAG = re.compile(r"<\s*(/?)\s*(br|b|strong|i|em|sub|sup|kbd|code)\s*/?\s*>", re.IGNORECASE)
# A browser may end a line between a formula and the mark, bracket or ending beside it.
_MATH = r"<math\b(?:(?!</math>).)*</math>"


@lru_cache(maxsize=64)
def around(formula: str, lang: str) -> re.Pattern[str]:
    """A formula's pattern with what stays on its line: brackets and marks, and the rest of the word where words end
    at spaces."""
    language = language_of(lang)
    no_spaces = language.unspaced and language.breaks_in_words
    closes = r"[.,;:!?)\]”’»、。，；：！？」』）]" if no_spaces else r"[^<\s\x02\x04]"
    return re.compile(rf"(?P<open>[(\[“‘«]*){formula}(?P<close>{closes}*)", re.DOTALL)


class Context(renderer.Context, Protocol):
    """What prose needs to know of its page and book."""

    line: int  # of the block at work

    @property
    def config(self) -> Config: ...

    def formula(self, tex: str, display: bool) -> str: ...

    def image(self, target: str, alt: str) -> str: ...

    def unsearched(self, html: str) -> str: ...


class Prose(renderer.Renderer[Context]):
    """Renders the Markdown of one page."""

    wrapped: ClassVar = {
        "paragraph": ("<p>", "</p>\n"),
        "em": ("<em>", "</em>"),
        "strong": ("<strong>", "</strong>"),
        "s": ("<s>", "</s>"),
        "bullet_list": ("<ul>\n", "</ul>\n"),
        "dl": ("<dl>\n", "</dl>\n"),
        "dt": ("<dt>", "</dt>\n"),
        "dd": ("<dd>", "</dd>\n"),
        "blockquote": ("<blockquote>\n", "</blockquote>\n"),
    }
    unknown = ("there is no form for Markdown's '{type}' here; it is left out", "xhtml-unhandled")

    linked_notes = True  # whether a reference leads to its note, which stands on the same page

    def code_block(self, code: str, language: str) -> str:
        return code_block(code, language)

    def code_span(self, code: str) -> str:
        return f"<code>{escape(code)}</code>"

    def callout(self, kind: str, title: str, body: str) -> str:
        return f'<div class="admonition {kind}" role="note">\n<p class="admonition-title">{title}</p>\n{body}</div>\n'

    def footnote(self, note: Note) -> str:
        if not self.linked_notes:
            return f"<sup>{note.number}</sup>"
        own = f' id="fnref-{note.number}"' if note.line == self.context.line else ""
        link = f'<a href="#fn-{note.number}"{own} role="doc-noteref">{note.number}</a>'
        return self.context.unsearched(f'<sup class="footnote-ref">{link}</sup>')

    def note(self, note: Note) -> str:
        """A footnote at the end of its page, with a link back to where the text refers to it."""
        body = self.blocks(note.block.text).strip()
        if note.line:
            says = attribute(self.context.words("Back to the text"))
            back = f' <a href="#fnref-{note.number}" role="doc-backlink" aria-label="{says}">↩</a>'
            back = self.context.unsearched(back)
            body = f"{body.removesuffix('</p>')}{back}</p>" if body.endswith("</p>") else f"{body}{back}"
        return f'<li id="fn-{note.number}" value="{note.number}">{body}</li>\n'

    def _list_item(self, token: SyntaxTreeNode) -> str:
        body = self._children(token)
        if "checked" not in token.meta:
            return f"<li>{body}</li>\n"
        ticked = ' checked="checked"' if token.meta["checked"] else ""
        box = self.context.unsearched(f'<input type="checkbox" disabled="disabled"{ticked}/>')
        first, end, rest = body.removeprefix("<p>").partition("</p>")
        return f'<li class="task"><p><label>{box} {first}</label>{end or "</p>"}{rest}</li>\n'

    def items(self, text: str) -> list[str]:
        """The items of Markdown that is one list, each as a list of its own; none of any other Markdown."""
        top = SyntaxTreeNode(markdown().parse(text)).children
        if len(top) != 1 or top[0].type not in {"bullet_list", "ordered_list"}:
            return []
        items = [self._node(item) for item in top[0].children]
        if top[0].type == "bullet_list":
            return [f"<ul>\n{item}</ul>\n" for item in items]
        first = int(top[0].attrs.get("start", 1))
        return [f'<ol start="{number}">\n{item}</ol>\n' for number, item in enumerate(items, first)]

    def joined(self, html: str) -> str:
        """Formulas held together with what stands directly before and after them."""
        return around(_MATH, self.context.config.lang).sub(_held, html)

    def _inline(self, token: SyntaxTreeNode) -> str:
        return self.joined(self._children(token))

    def _text(self, token: SyntaxTreeNode) -> str:
        return escape(token.content)

    def _hardbreak(self, token: SyntaxTreeNode) -> str:
        return "<br/>\n"

    def _hr(self, token: SyntaxTreeNode) -> str:
        return "<hr/>\n"

    def _html_inline(self, token: SyntaxTreeNode) -> str:
        return self.markup(token.content)

    _html_block = _html_inline

    def markup(self, text: str) -> str:
        """HTML that an author wrote: what is known to be well-formed, nothing of a comment or other markup."""
        found = _TAG.fullmatch(text.strip())
        if found is None:
            return ""
        name = found[2].lower()
        return "<br/>" if name == "br" else f"<{found[1]}{name}>"

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
        return self.table("".join(parts))

    def table(self, rows: str) -> str:
        return f"<table>\n{rows}</table>\n"

    def _row(self, row: SyntaxTreeNode, tag: str) -> str:
        cells = []
        for cell in row.children:
            style = str(cell.attrs.get("style", ""))
            shown = self._children(cell)
            name = tag if shown.strip() else "td"  # an empty corner is no heading
            styled = f' class="text-{style.removeprefix("text-align:")}"' if style else ""
            cells.append(f"<{name}{styled}>{shown}</{name}>")
        return f"<tr>{''.join(cells)}</tr>\n"


def _held(found: re.Match[str]) -> str:
    alone = not (found["open"] or found["close"])
    return found[0] if alone else f'<span class="joined">{found[0]}</span>'
