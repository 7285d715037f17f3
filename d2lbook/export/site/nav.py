"""Lists of places in the book: its contents beside every page, a page's own, those that pages hold."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from d2lbook.book.cross_references import plain_text
from d2lbook.export.site.context import address
from d2lbook.html.markup import attribute, escape
from d2lbook.model import Book, Heading, Page, Toc
from d2lbook.rendering.paths import beside

_NOT_IN_ANCHORS = re.compile(r"[^\w]+")


class Anchors:
    """The anchors of one page; no two are alike."""

    def __init__(self, page: Page, book: Book) -> None:
        name = page.document.name
        self._taken = {target.anchor for target in book.targets.values() if target.page == name}
        self.of: dict[int, tuple[str, ...]] = {}  # start of a heading's span -> its anchors
        for block in page.document.walk():
            if isinstance(block, Heading):
                labels = tuple(_anchor(label.name, book) for label in block.labels)
                title = block.anchor_title or block.title
                self.of[block.span.start] = labels or (self.new(plain_text(title, book)),)

    def new(self, title: str) -> str:
        """An anchor made of a title, that nothing else on the page has."""
        words = _NOT_IN_ANCHORS.sub("-", title).strip("-").lower().replace("_", "-") or "section"
        anchor, number = words, 1
        while anchor in self._taken:
            number += 1
            anchor = f"{words}-{number}"
        self._taken.add(anchor)
        return anchor


def _anchor(label: str, book: Book) -> str:
    target = book.targets.get(label)
    return target.anchor if target is not None else label.replace("_", "-")


@dataclass(slots=True)
class Section:
    """A section as the page's own contents list it."""

    anchor: str
    words: str  # HTML
    level: int = 1
    parts: list[Section] = field(default_factory=list)


class Navigation:
    """The ways through a book."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.by_name = {page.document.name: page for page in book.pages}
        self.parents = {child: page.document.name for page in book.pages for child in page.children}
        self.words = {name: self._words(page) for name, page in self.by_name.items()}
        self.order = list(self.by_name)

    def _words(self, page: Page) -> str:
        document = page.document
        title = escape(plain_text(document.title, self.book) or document.name)
        if lang := document.title_lang:
            title = f'<span lang="{attribute(lang)}">{title}</span>'
        return f'<span class="d2l-number">{page.number}</span> {title}' if page.number else title

    def neighbours(self, name: str) -> tuple[str, str]:
        """The pages before and after one; empty where there is none."""
        place = self.order.index(name)
        before = self.order[place - 1] if place else ""
        return before, self.order[place + 1] if place + 1 < len(self.order) else ""

    def contents(self, name: str, root: str) -> str:
        """The chapters, and what lies on the way to page `name`, whose way to the site's root is `root`."""
        way = {name}
        while name in self.parents:
            name = self.parents[name]
            way.add(name)
        here = max(way, key=lambda one: self.by_name[one].depth, default="")
        return self._list(self.order[0], way, here, root) if self.order else ""

    def _list(self, parent: str, way: set[str], here: str, root: str) -> str:
        rows = []
        for name in self.by_name[parent].children:
            current = ' aria-current="page"' if name == here else ""
            inner = self._list(name, way, here, root) if name in way and self.by_name[name].children else ""
            rows.append(f'<li><a href="{root}{name}.html"{current}>{self.words[name]}</a>{inner}</li>')
        return f"<ul>{''.join(rows)}</ul>" if rows else ""

    def listed(self, source: str, names: Iterable[str], depth: int, level: int = 1) -> str:
        """A table of contents on page `source`: pages with their sections, `depth` levels of them."""
        rows = []
        for name in names:
            inner = self._sections(source, self.by_name[name], depth, level + 1)
            rows.append(_row(source, name, "", self.words[name], level, inner))
        return f"<ul>\n{''.join(rows)}</ul>\n" if rows else ""

    def _sections(self, source: str, page: Page, depth: int, level: int) -> str:
        """What a page holds below its title: sections, and the pages that it lists, in its order."""
        name, anchors = page.document.name, Anchors(page, self.book).of
        top: list[_Entry] = []
        open_: list[tuple[int, list[_Entry]]] = []  # levels of the sections around a block, and what each holds
        for block in page.document.blocks:
            if isinstance(block, Heading):
                while open_ and open_[-1][0] >= block.level:
                    open_.pop()
                parts: list[_Entry] = []
                if open_:  # the page's title is listed already
                    number = self.book.number_of(name, block)
                    title = escape(plain_text(block.title, self.book))
                    shown = f'<span class="d2l-number">{number}</span> {title}' if number else title
                    open_[-1][1].append(_Entry(anchors[block.span.start][0], shown, parts))
                open_.append((block.level, parts if len(open_) else top))
            elif isinstance(block, Toc) and level <= depth:
                found = (beside(name, entry.target) for entry in block.entries)
                rows = self.listed(source, [one for one in found if one in self.by_name], depth, level)
                (open_[-1][1] if open_ else top).append(_Entry("", rows, []))
        return _nested(source, name, top, depth, level)


@dataclass(slots=True)
class _Entry:
    """A section of a page that is listed; without an anchor, lists of the pages that it holds."""

    anchor: str
    shown: str
    parts: list[_Entry]


def _nested(source: str, page: str, entries: list[_Entry], depth: int, level: int) -> str:
    if level > depth:
        return ""
    rows = [
        _row(source, page, one.anchor, one.shown, level, _nested(source, page, one.parts, depth, level + 1))
        if one.anchor
        else one.shown.removeprefix("<ul>\n").removesuffix("</ul>\n")
        for one in entries
    ]
    return f"<ul>\n{''.join(rows)}</ul>\n" if rows else ""


def _row(source: str, page: str, anchor: str, shown: str, level: int, inner: str) -> str:
    there = attribute(address(source, page, anchor))
    return f'<li class="toctree-l{level}"><a class="reference internal" href="{there}">{shown}</a>{inner}</li>\n'


def page_contents(outline: Section) -> str:
    """The sections of a page, two levels below its title."""
    top = outline.parts[:1]
    return _sections([part for first in top for part in first.parts] + outline.parts[1:], 2)


def _sections(sections: list[Section], levels: int) -> str:
    rows = [
        f'<li><a href="#{attribute(section.anchor)}">{section.words}</a>'
        f"{_sections(section.parts, levels - 1) if levels > 1 else ''}</li>"
        for section in sections
    ]
    return f"<ul>{''.join(rows)}</ul>" if rows else ""
