"""The frame of a page: the book's contents at its left, its own at its right."""

from __future__ import annotations

import html

from docutils import nodes

from d2lbook.book.cross_references import plain_text
from d2lbook.export.site.reference import Definitions
from d2lbook.model import Book, Page


class Navigation:
    """The table of contents beside every page: the chapters, and what lies on the way to the page."""

    def __init__(self, book: Book) -> None:
        self.by_name = {page.document.name: page for page in book.pages}
        self.parents = {child: page.document.name for page in book.pages for child in page.children}
        self.words = {name: self._words(page, book) for name, page in self.by_name.items()}
        self.root = book.pages[0].document.name if book.pages else ""

    def _words(self, page: Page, book: Book) -> str:
        title = html.escape(plain_text(page.document.title, book, page.document.name) or page.document.name)
        if lang := page.document.title_lang:
            title = f'<span lang="{html.escape(lang)}">{title}</span>'
        return f'<span class="d2l-number">{page.number}</span> {title}' if page.number else title

    def title(self, name: str) -> str:
        return self.words[name]

    def contents(self, name: str, content_root: str) -> str:
        """The list for page `name`, whose way to the site's root is `content_root`."""
        way = {name}
        while name in self.parents:
            name = self.parents[name]
            way.add(name)
        here = max(way, key=self._depth, default="")
        return self._list(self.root, way, here, content_root)

    def _depth(self, name: str) -> int:
        return self.by_name[name].depth

    def _list(self, parent: str, way: set[str], here: str, content_root: str) -> str:
        rows = []
        for name in self.by_name[parent].children:
            current = ' aria-current="page"' if name == here else ""
            inner = self._list(name, way, here, content_root) if name in way and self.by_name[name].children else ""
            rows.append(f'<li><a href="{content_root}{name}.html"{current}>{self.words[name]}</a>{inner}</li>')
        return f"<ul>{''.join(rows)}</ul>" if rows else ""


def page_contents(tree: nodes.document | None) -> str:
    """The sections of a page, two levels below its title."""
    if tree is None:
        return ""
    top = [node for node in tree.children if isinstance(node, nodes.section)]
    first = _listed(top[0]) if top else []
    return _sections([*first, *top[1:]], 2)


def _listed(section: nodes.Element) -> list[nodes.Element]:
    return [node for node in section.children if isinstance(node, nodes.section | Definitions)]


def _sections(sections: list[nodes.Element], levels: int) -> str:
    rows = []
    for section in sections:
        title = section.next_node(lambda node: isinstance(node, nodes.title | nodes.rubric))
        if title is None:
            continue
        below = _listed(section) if levels > 1 else []
        words = html.escape(title.astext())
        if isinstance(title, nodes.Element) and (lang := title.get("lang")):
            words = f'<span lang="{html.escape(lang)}">{words}</span>'
        rows.append(f'<li><a href="#{section["ids"][0]}">{words}</a>{_sections(below, levels - 1)}</li>')
    return f"<ul>{''.join(rows)}</ul>" if rows else ""
