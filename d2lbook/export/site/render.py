"""A document's blocks as docutils nodes: sections, figures, tables, equations, groups of frameworks, solutions."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from docutils import nodes
from docutils.parsers.rst import Parser as RstParser
from docutils.utils import new_document
from sphinx import addnodes

from d2lbook.export.entries import entry_address, entry_text
from d2lbook.export.site.cells import Cells
from d2lbook.export.site.groups import Group as BlockGroup
from d2lbook.export.site.groups import grouped
from d2lbook.export.site.nodes import Details, Group, Katex, Panel, Svg
from d2lbook.export.site.prose import Prose as ProseRenderer
from d2lbook.model import (
    Bibliography, Block, Book, Document, Equation, Figure, Heading, Label, Listing, Page, Prose, RawRst, Solution,
    StoredOutput, Table, TabProse, Target, Toc,
)  # fmt: skip
from d2lbook.references import bibliography_page, citation_anchor, link_text, plain_text

Formulas = dict[tuple[str, bool], str]  # (TeX, display) -> HTML


class Drawings(Protocol):
    """Where figures come from."""

    def inline(self, path: str, prefix: str, alt: str) -> str: ...


@dataclass(slots=True)
class PageRenderer:
    """Renders one page into a docutils document."""

    book: Book
    page: Page
    cells: Cells
    formulas: Formulas
    drawings: Drawings
    settings: Any  # docutils' settings, for raw reStructuredText
    prose: ProseRenderer = field(init=False)
    sections: list[nodes.Element] = field(init=False)
    figures: int = 0

    def __post_init__(self) -> None:
        self.prose = ProseRenderer(self)

    @property
    def document(self) -> Document:
        return self.page.document

    def into(self, root: nodes.document) -> None:
        self.sections = [root]
        for item in grouped(self.document.blocks, self.book.tabs):
            for node in self._item(item):
                self.sections[-1] += node

    def _item(self, item: Block | BlockGroup) -> list[nodes.Node]:
        if isinstance(item, BlockGroup):
            return self._group(item)
        handler: Callable[[Any], list[nodes.Node]] = HANDLERS[type(item)].__get__(self)
        return handler(item)

    def _blocks(self, blocks: Iterable[Block]) -> list[nodes.Node]:
        found = [node for item in grouped(tuple(blocks), self.book.tabs) for node in self._item(item)]
        return found

    # ---- headings and prose ------------------------------------------------------------------------------------------

    def heading(self, block: Heading) -> list[nodes.Node]:
        while len(self.sections) > block.level:
            self.sections.pop()
        section = nodes.section()
        anchors = [self._anchor(label) for label in block.labels] or [self._slug(block)]
        section["ids"] = list(dict.fromkeys(anchors))
        section["names"] = [nodes.fully_normalize_name(plain_text(block.title, self.book, self.document.name))]
        section += nodes.title(block.title, "", *self.prose.inline(block.title))
        self.sections[-1] += section
        self.sections.append(section)
        if block.level == 1 and self.cells.links:
            section += self.cells.links
        return []

    def _anchor(self, label: Label) -> str:
        return self.book.targets[label.name].anchor

    def _slug(self, block: Heading) -> str:
        words = re.sub(r"[^\w]+", "-", plain_text(block.title, self.book, self.document.name).lower()).strip("-")
        taken = {anchor for section in self.sections[0].findall(nodes.section) for anchor in section["ids"]}
        slug, number = words or "section", 1
        while slug in taken or any(target.anchor == slug for target in self._targets()):
            number += 1
            slug = f"{words}-{number}"
        return slug

    def _targets(self) -> list[Target]:
        return [target for target in self.book.targets.values() if target.page == self.document.name]

    def text(self, block: Prose) -> list[nodes.Node]:
        return self.prose.blocks(block.text)

    def listing(self, block: Listing) -> list[nodes.Node]:
        language = block.info.split()[0].strip("{}.") if block.info.split() else "none"
        code = nodes.literal_block(block.text, block.text, language=language or "none")
        return [nodes.container("", code, classes=["d2l-code", "d2l-listing"])]

    # ---- what carries a number ---------------------------------------------------------------------------------------

    def figure(self, block: Figure) -> list[nodes.Node]:
        figure = nodes.figure(classes=["d2l-figure"])
        alt = block.alt or plain_text(block.caption, self.book, self.document.name)
        figure += self._drawing(block.target, alt, block.width)
        self._name(figure, block.label)
        caption = nodes.caption("", "", *self._numbered(block.label), *self.prose.inline(block.caption))
        if caption.children:
            figure += caption
        return [figure]

    def _drawing(self, target: str, alt: str, width: str) -> nodes.Element:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.document.name), target))
        if not path.endswith(".svg"):
            image = nodes.image(uri=target, alt=alt)
            if width:
                image["width"] = width
            return image
        self.figures += 1
        return Svg(svg=self.drawings.inline(path, f"f{self.figures}", alt), width=width)

    def image(self, target: str, alt: str) -> nodes.Node:
        if ":" in target.split("/")[0]:
            return nodes.image(uri=target, alt=alt)
        return self._drawing(target, alt, "")

    def table(self, block: Table) -> list[nodes.Node]:
        (table,) = self.prose.blocks(block.text)
        if not isinstance(table, nodes.table):
            return [table]
        caption = [*self._numbered(block.label), *self.prose.inline(block.caption)]
        if caption:
            table.insert(0, nodes.title("", "", *caption))
        self._name(table, block.label)
        return [table]

    def equation(self, block: Equation) -> list[nodes.Node]:
        formula = self._katex(block.tex, True)
        self._name(formula, block.label)
        if block.label is not None:
            formula["number"] = self.book.targets[block.label.name].number
        return [formula]

    def _name(self, node: nodes.Element, label: Label | None) -> None:
        if label is not None:
            node["ids"] = [self._anchor(label)]

    def _numbered(self, label: Label | None) -> list[nodes.Node]:
        if label is None:
            return []
        target = self.book.targets[label.name]
        return [nodes.inline("", target.text, classes=["caption-number"]), nodes.Text(" ")] if target.number else []

    # ---- inline, for prose.Context -----------------------------------------------------------------------------------

    def reference(self, kind: str, key: str) -> nodes.Node:
        target = self.book.targets[key]
        link = addnodes.pending_xref(
            reftype="page", refdomain="", reftarget="/" + target.page, refanchor=target.anchor, refexplicit=True
        )
        link += nodes.Text(link_text(kind, key, self.book))
        return link

    def citation(self, kind: str, keys: Sequence[str]) -> nodes.Node:
        node = nodes.inline("", "", classes=["d2l-cite"])
        home = bibliography_page(self.book)
        texts = [link_text(kind, key, self.book) for key in keys]
        if kind == "citet":
            texts = [re.sub(r", ([^,]+)$", r" (\1)", text) for text in texts]
        for number, (key, text) in enumerate(zip(keys, texts, strict=True)):
            node += nodes.Text("; " if number else "" if kind == "citet" else "(")
            link: nodes.Element = nodes.inline()
            if home:
                link = addnodes.pending_xref(
                    reftype="page", refdomain="", reftarget="/" + home, refanchor=citation_anchor(key), refexplicit=True
                )
            link += nodes.Text(text)
            node += link
        if kind != "citet":
            node += nodes.Text(")")
        return node

    def formula(self, tex: str, display: bool) -> nodes.Node:
        return self._katex(tex, display)

    def _katex(self, tex: str, display: bool) -> Katex:
        return Katex("", "", html=self.formulas[tex.strip(), display], display=display, tex=tex.strip())

    # ---- frameworks --------------------------------------------------------------------------------------------------

    def _group(self, group: BlockGroup) -> list[nodes.Node]:
        if group.kind == "prose":
            return [self._prose_group(group)]
        return self.cells.nodes(group)

    def _prose_group(self, group: BlockGroup) -> nodes.Element:
        node = Group(kind="prose", tabs=group.tabs)
        for block in group.blocks:
            if isinstance(block, TabProse):
                node += Panel("", *self._blocks(block.blocks), tabs=group.tabs_of(block))
        return node

    def solution(self, block: Solution) -> list[nodes.Node]:
        return [Details("", *self._blocks(block.blocks), kind="solution", summary="Solution")]

    # ---- structure ---------------------------------------------------------------------------------------------------

    def toc(self, block: Toc) -> list[nodes.Node]:
        known = {page.document.name for page in self.book.pages}
        names = [name for name in (self._toc_name(entry.target) for entry in block.entries) if name in known]
        tree = addnodes.toctree(
            parent=self.document.name, entries=[(None, name) for name in names], includefiles=names,
            maxdepth=block.maxdepth, caption=None, glob=False, hidden=False, includehidden=False, titlesonly=False,
            numbered=999 if block.numbered else 0,
        )  # fmt: skip
        return [nodes.compound("", tree, classes=["toctree-wrapper"])]

    def _toc_name(self, target: str) -> str:
        folder = posixpath.dirname(self.document.name)
        return posixpath.normpath(posixpath.join(folder, target.removesuffix(".md")))

    def bibliography(self, block: Bibliography) -> list[nodes.Node]:
        entries = nodes.bullet_list(classes=["d2l-bibliography"])
        order = sorted(self.book.citations.items(), key=lambda item: (item[1]["short_author"].lower(), item[1]["short_year"]))
        for key, fields in order:
            text = nodes.paragraph("", entry_text(fields))
            if address := entry_address(fields):
                text += [nodes.Text(" "), nodes.reference("", address, refuri=address)]
            entries += nodes.list_item("", text, ids=[citation_anchor(key)])
        return [entries]

    def raw_rst(self, block: RawRst) -> list[nodes.Node]:
        document = new_document(self.document.path, self.settings)
        RstParser().parse(block.text, document)
        return list(document.children)

    def nothing(self, block: StoredOutput) -> list[nodes.Node]:
        return []


HANDLERS: dict[type[Block], Any] = {
    Heading: PageRenderer.heading, Prose: PageRenderer.text, Listing: PageRenderer.listing, Figure: PageRenderer.figure,
    Table: PageRenderer.table, Equation: PageRenderer.equation, Solution: PageRenderer.solution, Toc: PageRenderer.toc,
    Bibliography: PageRenderer.bibliography, RawRst: PageRenderer.raw_rst, StoredOutput: PageRenderer.nothing,
}  # fmt: skip
