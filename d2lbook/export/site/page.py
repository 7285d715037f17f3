"""A document's blocks as one docutils tree. Every kind of block has its method; one without is an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

from d2lbook.book.cross_references import api_text, link_text, plain_text
from d2lbook.export.shared.paths import EXTERNAL, beside, file_of
from d2lbook.export.site import rst
from d2lbook.export.site.cells import Cells
from d2lbook.export.site.citations import Citations
from d2lbook.export.site.context import FILES, Site, address
from d2lbook.export.site.foreign import grouped
from d2lbook.export.site.grouping import Cluster, clustered
from d2lbook.export.site.nodes import Captioned, Details, Html, Katex, Part, Picture, Words
from d2lbook.export.site.pictures import Pictures
from d2lbook.export.site.prose import Prose, UnknownMarkdown, listing
from d2lbook.export.site.reference import ReferenceLists
from d2lbook.model import (
    ApiListing,
    Bibliography,
    Block,
    Document,
    Equation,
    Figure,
    Heading,
    Label,
    Listing,
    Page,
    RawRst,
    Solution,
    StoredOutput,
    Table,
    TabProse,
    Toc,
    labels_of,
)  # fmt: skip
from d2lbook.model import Prose as ProseBlock
from d2lbook.model import UiStrings as Phrases
from d2lbook.security.inside import book_file

logger = logging.getLogger(__name__)
_NOT_IN_ANCHORS = re.compile(r"[^\w]+")


class PageTree:
    """Writes one page of the book into a docutils document."""

    def __init__(self, site: Site, page: Page, tree: nodes.document) -> None:
        self.site, self.book = site, site.book
        self.document: Document = page.document
        self.name = page.document.name
        self.tree = tree
        self.prose = Prose(self)
        self.line, self.lang = 1, ""  # of the block at work, for messages; its language where it is not the page's
        self.level = 0  # of the heading above it
        self.anchors: set[str] = {target.anchor for target in self.book.targets.values() if target.page == self.name}
        self.pictures, self.citations = Pictures(self, site), Citations(self, site)
        self.cells = Cells(self, site, self.document)

    def build(self) -> None:
        """The whole page: headings nest the blocks after them into sections."""
        open_sections: list[tuple[int, nodes.Element]] = [(0, self.tree)]
        run: list[Block] = []
        for block in self.document.blocks:
            if isinstance(block, Heading):
                open_sections[-1][1].extend(self.blocks(tuple(run)))
                run, self.level = [], block.level
                while open_sections[-1][0] >= block.level:
                    open_sections.pop()
                section = self._section(block)
                open_sections[-1][1].append(section)
                open_sections.append((block.level, section))
            else:
                run.append(block)
        open_sections[-1][1].extend(self.blocks(tuple(run)))

    def blocks(self, blocks: tuple[Block, ...]) -> list[nodes.Node]:
        return list(grouped(self._made(blocks), self.book.words("Not translated yet")))

    def _made(self, blocks: tuple[Block, ...]) -> Iterator[tuple[Block, list[nodes.Node]]]:
        """The nodes of each block, or of each cluster, with its first block."""
        for block in clustered(blocks, self.site.tabs):
            first = block.members[0][0] if isinstance(block, Cluster) else block
            self.line, self.lang = first.span.line, first.lang
            try:
                yield first, self._cluster(block) if isinstance(block, Cluster) else self._block(block)
            except UnknownMarkdown as error:
                self.error(f"the site has no form for Markdown's '{error}'; write it in another way", "html-unhandled")

    @property
    def words(self) -> Phrases:
        """The builder's, in the language of the block at work."""
        return Phrases(self.lang) if self.lang else self.book.words

    def error(self, text: str, code: str, line: int = 0) -> None:
        """Reports a finding; `site.log` gives it its place as a message."""
        logger.warning(text, location=(self.name, line or self.line), type="d2l", subtype=code)

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> list[nodes.Node]:
        method = METHODS.get(type(block))
        if method is None:
            self.error(f"the site has no form for a {type(block).__name__}", "html-unhandled")
            return []
        return method(self, block)

    def _cluster(self, cluster: Cluster) -> list[nodes.Node]:
        if isinstance(cluster.members[0][0], TabProse):
            parts = [self._part(block, tabs) for block, tabs in cluster.members if isinstance(block, TabProse)]
            return [node for part in parts for node in part]
        return self.cells.group(cluster)

    def _part(self, block: TabProse, tabs: tuple[str, ...]) -> list[nodes.Node]:
        inner = self.blocks(block.blocks)
        return inner if tabs == self.site.tabs else [Part("", *inner, tabs=tabs)]

    def _section(self, heading: Heading) -> nodes.section:
        self.line, self.lang = heading.span.line, heading.lang
        section = nodes.section(ids=self._heading_anchors(heading))
        title = nodes.title("", "", *self.prose.inline(heading.title))
        if heading.lang:  # docutils makes the attribute `lang` of such a class
            title["classes"] += ["d2l-foreign-title", f"language-{heading.lang}"]
            title["lang"] = heading.lang
        section += title
        return section

    def _heading_anchors(self, heading: Heading) -> list[str]:
        labels = [self._label_anchor(label) for label in heading.labels]
        if labels:
            return labels
        return [self.new_anchor(plain_text(heading.anchor_title or heading.title, self.book, self.name))]

    def new_anchor(self, title: str) -> str:
        """An anchor made of a title, that nothing else on the page has."""
        words = _NOT_IN_ANCHORS.sub("-", title).strip("-").lower().replace("_", "-") or "section"
        anchor, number = words, 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{words}-{number}"
        self.anchors.add(anchor)
        return anchor

    def _label_anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return target.anchor if target is not None else label.name.replace("_", "-")

    def _label_anchors(self, block: Figure | Table | Equation) -> tuple[str, ...]:
        return tuple(self._label_anchor(label) for label in labels_of(block))

    def heading(self, block: Heading) -> list[nodes.Node]:
        """A heading inside tabs' prose or a solution: it opens no section there."""
        rubric = nodes.rubric("", "", *self.prose.inline(block.title), ids=self._heading_anchors(block))
        rubric["heading-level"] = block.level
        return [rubric]

    def markdown(self, text: str) -> list[nodes.Node]:
        return self.prose.blocks(text)

    def listing(self, block: Listing) -> list[nodes.Node]:
        return [listing(block.text, block.info)]

    def equation(self, block: Equation) -> list[nodes.Node]:
        if any(mark.only_slides for mark in block.marks):
            return []
        node = self.formula(block.tex, True)
        node["anchors"] = self._label_anchors(block)
        if block.label:
            node["number"] = self._number(block)
        return [node]

    def _number(self, block: Block) -> str:
        return self.book.numbers.get((self.name, block.span.start), "")

    def figure(self, block: Figure) -> list[nodes.Node]:
        alt = block.alt or plain_text(block.caption, self.book, self.name)
        still = self.pictures.picture(block.target, alt, block.width)
        picture = Picture(html=still + self.pictures.interactive(block), anchors=self._label_anchors(block))
        number = self._number(block)
        if block.caption or number:
            picture += self._caption(block.caption, self.words("Fig. {number}", number=number) if number else "")
        return [picture]

    def _caption(self, text: str, number: str) -> Words:
        return Words("", "", *self.prose.inline(text), kind="caption", number=number)

    def table(self, block: Table) -> list[nodes.Node]:
        captioned = Captioned(anchors=self._label_anchors(block))
        number = self._number(block)
        if block.caption or number:
            captioned += self._caption(block.caption, self.words("Table {number}", number=number) if number else "")
        captioned += self.prose.blocks(block.text)
        return [captioned]

    def solution(self, block: Solution) -> list[nodes.Node]:
        details = Details(kind="solution", summary=self.book.words("Solution"))
        details += self.blocks(block.blocks)
        return [details]

    def toc(self, block: Toc) -> list[nodes.Node]:
        entries = [
            (None, name) for entry in block.entries if (name := beside(self.name, entry.target)) in self.site.pages
        ]
        tree = addnodes.toctree(
            parent=self.name, entries=entries, includefiles=[name for _, name in entries], maxdepth=block.maxdepth,
            caption=None, glob=False, hidden=False, includehidden=False, numbered=999 if block.numbered else 0,
            titlesonly=False, rawentries=[],
        )  # fmt: skip
        return [nodes.compound("", tree, classes=["toctree-wrapper"])]

    def raw_rst(self, block: RawRst) -> list[nodes.Node]:
        return rst.parse(block.text, self.tree, block.span.line)

    def bibliography(self, block: Bibliography) -> list[nodes.Node]:
        return [self.citations.entries()]

    def reference_lists(self, block: ApiListing) -> list[nodes.Node]:
        lists = ReferenceLists(self, self.site)
        return lists.definitions() if block.part == "definitions" else lists.aliases()

    def nothing(self, block: Block) -> list[nodes.Node]:
        return []

    # ---- what prose asks for -----------------------------------------------------------------------------------------

    def reference(self, kind: str, key: str) -> nodes.Node:
        target = self.book.targets.get(key)
        shown = link_text(kind, key, self.book, self.words)
        if target is None:
            self.error(f"undefined label '{key}'", "label-undefined")
            return nodes.literal(key, key)
        link = nodes.reference("", shown, refuri=address(self.name, target.page, target.anchor), internal=True)
        link["classes"].append(f"d2l-{kind}")
        return link

    def api(self, kind: str, text: str) -> nodes.Node:
        """A name of a programming interface; with a link where the libraries' reference tells of it."""
        shown = nodes.literal(api_text(text), api_text(text))
        place = self.site.api.place_of(text) if kind != "mod" else None
        if place is None:
            return shown
        return nodes.reference("", "", shown, refuri=address(self.name, *place), internal=True)

    def citation(self, kind: str, keys: Sequence[str]) -> nodes.Node:
        return self.citations.citation(kind, keys)

    def formula(self, tex: str, display: bool) -> Katex:
        tex = tex.strip()
        typeset = self.site.formulas.get(tex, display)
        if typeset.error:
            self.error(f"{typeset.error}; mend the formula {_short(tex)}", "formula-syntax")
        return Katex("", tex, html=typeset.html, display=display)

    def image(self, target: str, alt: str) -> nodes.Node:
        return Html(html=self.pictures.picture(target, alt, ""))

    def link(self, target: str) -> str:
        """The address that a link of the page's Markdown gets on the site."""
        path, _, anchor = target.partition("#")
        if not path or EXTERNAL.match(target):
            return target
        place = beside(self.name, file_of(path))
        page = place.removesuffix(".md").removesuffix(".html")
        if page in self.site.pages:
            return address(self.name, page, anchor)
        if book_file(self.site.config.root, self.name, file_of(path)) is not None:
            return self.site.shared(self.name, f"{FILES}/{quote(place)}")
        self.error(f"the link leads to '{path}', which is neither a page nor a file of the book", "link-broken")
        return target


def _short(tex: str) -> str:
    line = " ".join(tex.split())
    return f"'{line}'" if len(line) <= 60 else f"'{line[:57]}…'"


def _prose(page: PageTree, block: ProseBlock) -> list[nodes.Node]:
    return page.prose.blocks(block.text)


METHODS: dict[type[Block], Callable[..., list[nodes.Node]]] = {
    Heading: PageTree.heading,
    ProseBlock: _prose,
    Listing: PageTree.listing,
    Figure: PageTree.figure,
    Table: PageTree.table,
    Equation: PageTree.equation,
    StoredOutput: PageTree.nothing,  # `check` refuses it
    Toc: PageTree.toc,
    RawRst: PageTree.raw_rst,
    Bibliography: PageTree.bibliography,
    ApiListing: PageTree.reference_lists,
    Solution: PageTree.solution,
}
