"""Markdown of a block as docutils nodes: markdown-it's tokens and the dialect's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

from docutils import nodes
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from d2lbook.export.shared.paths import file_of
from d2lbook.export.site.nodes import Html
from d2lbook.parse import markdown
from d2lbook.parse.listing_language import language_of_fence


class Context(Protocol):
    """What prose needs to know of its page and book."""

    def reference(self, kind: str, key: str) -> nodes.Node: ...

    def api(self, kind: str, text: str) -> nodes.Node: ...

    def citation(self, kind: str, keys: Sequence[str]) -> nodes.Node: ...

    def formula(self, tex: str, display: bool) -> nodes.Node: ...

    def image(self, target: str, alt: str) -> nodes.Node: ...

    def link(self, target: str) -> str: ...


class UnknownMarkdown(Exception):
    """A token of Markdown for which the site has no form."""


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return markdown()


class Prose:
    """Renders the Markdown of one page."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def blocks(self, text: str) -> list[nodes.Node]:
        return self._children(SyntaxTreeNode(_parser().parse(text)))

    def inline(self, text: str) -> list[nodes.Node]:
        return self._children(SyntaxTreeNode(_parser().parseInline(" ".join(text.split()))))

    def _children(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for child in token.children:
            simple = SIMPLE.get(child.type)
            if simple is not None:
                node = simple()
                node += self._children(child)
                found.append(node)
                continue
            method: Callable[[SyntaxTreeNode], list[nodes.Node]] | None = getattr(self, f"_{child.type}", None)
            if method is None:
                raise UnknownMarkdown(child.type)
            found += method(child)
        return found

    def _inline(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return self._children(token)

    def _text(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [nodes.Text(token.content)] if token.content else []

    def _softbreak(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [nodes.Text("\n")]

    def _hardbreak(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [Html(html="<br>\n")]

    def _hr(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [Html(html="<hr>\n")]

    def _code_inline(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [nodes.literal(token.content, token.content)]

    def _code_block(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [listing(token.content, "")]

    def _fence(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [listing(token.content, token.info)]

    def _html_inline(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [Html(html=token.content)]

    _html_block = _html_inline

    def _math_inline(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [self.context.formula(token.content, False)]

    def _math_inline_double(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [self.context.formula(token.content.strip(), True)]

    _math_block = _math_inline_double

    def _d2l_mark(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [] if token.meta["only_slides"] else self._children(token)

    def _d2l_role(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        kind = token.meta["kind"]
        keys = [key.strip() for key in token.content.split(",")]
        if kind in {"cite", "citet", "citep"}:
            return [self.context.citation(kind, keys)]
        if kind in {"class", "func", "mod"}:
            return [self.context.api(kind, token.content)]
        found: list[nodes.Node] = []
        for key in keys:
            found += [nodes.Text(", ")] if found else []
            found.append(self.context.reference(kind, key))
        return found

    def _link(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        written = str(token.attrs.get("href", ""))
        link = nodes.reference(refuri=self.context.link(written))
        link["internal"] = link["refuri"] != written
        if token.attrs.get("title"):
            link["reftitle"] = token.attrs["title"]
        link += self._children(token)
        return [link]

    def _image(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        return [self.context.image(file_of(str(token.attrs["src"])), token.content)]

    def _ordered_list(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        items = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        start = int(token.attrs.get("start", 1))
        if start != 1:
            items["start"] = start
        items += self._children(token)
        return [items]

    def _table(self, token: SyntaxTreeNode) -> list[nodes.Node]:
        columns = len(token.children[0].children[0].children)
        group = nodes.tgroup(cols=columns)
        group += [nodes.colspec(colwidth=100 // columns) for _ in range(columns)]
        for part in token.children:
            section: nodes.Element = nodes.thead() if part.type == "thead" else nodes.tbody()
            section += [self._row(row) for row in part.children]
            group += section
        return [nodes.table("", group, classes=["colwidths-auto"])]

    def _row(self, row: SyntaxTreeNode) -> nodes.row:
        node = nodes.row()
        for cell in row.children:
            entry = nodes.entry()
            style = str(cell.attrs.get("style", ""))
            if style:
                entry["classes"].append("text-" + style.removeprefix("text-align:"))
            entry += nodes.paragraph("", "", *self._children(cell))
            node += entry
        return node


def listing(text: str, info: str) -> nodes.literal_block:
    """Code to look at; `info` is what stands behind its fence."""
    text = text.rstrip("\n")
    return nodes.literal_block(text, text, language=language_of_fence(info), force=True)


def _struck() -> nodes.Element:
    return nodes.inline(classes=["d2l-struck"])


SIMPLE: dict[str, Callable[[], nodes.Element]] = {
    "paragraph": nodes.paragraph,
    "em": nodes.emphasis,
    "strong": nodes.strong,
    "bullet_list": nodes.bullet_list,
    "list_item": nodes.list_item,
    "blockquote": nodes.block_quote,
    "s": _struck,
}
