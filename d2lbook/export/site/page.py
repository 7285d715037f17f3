"""A document's blocks as one docutils tree. Every kind of block has its method; one without is an error."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Iterator, Sequence

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

from d2lbook.export.entries import entry_address, entry_text
from d2lbook.export.figures import BadPicture, finding, inline_svg, read_drawing
from d2lbook.export.places import EXTERNAL, beside
from d2lbook.export.site import rst
from d2lbook.export.site.assets import STATIC, assets_version
from d2lbook.export.site.cells import Cells
from d2lbook.export.site.context import FILES, IMAGES, SCRIPTS, Site, address
from d2lbook.export.site.foreign import grouped
from d2lbook.export.site.grouping import Cluster, clustered
from d2lbook.export.site.nodes import Captioned, Details, Html, Katex, Part, Picture, Words
from d2lbook.export.site.prose import Prose, UnknownMarkdown, listing
from d2lbook.export.site.reference import ReferenceLists
from d2lbook.messages import BookError
from d2lbook.model import (
    NUMBERED,
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
    Reference,
    Solution,
    StoredOutput,
    Table,
    TabProse,
    Toc,
)  # fmt: skip
from d2lbook.model import Prose as ProseBlock
from d2lbook.references import api_text, citation_anchor, link_text, plain_text

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
        self.line = 1  # of the block at work, for messages
        self.level = 0  # of the heading above it
        self.anchors: set[str] = {target.anchor for target in self.book.targets.values() if target.page == self.name}
        self.cited: set[str] = set()
        self.pictures = 0
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
            self.line = first.span.line
            try:
                yield first, self._cluster(block) if isinstance(block, Cluster) else self._block(block)
            except UnknownMarkdown as error:
                self.error(f"the site has no form for Markdown's '{error}'; write it in another way", "html-unhandled")

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
        self.line = heading.span.line
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
        labels = ((block.label,) if block.label else ()) + block.more_labels
        return tuple(self._label_anchor(label) for label in labels)

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
        still = self._picture(block.target, alt, block.width)
        picture = Picture(html=still + self._interactive(block), anchors=self._label_anchors(block))
        number = self._number(block)
        if block.caption or number:
            picture += self._caption(block.caption, self.book.words("Fig. {number}", number=number) if number else "")
        return [picture]

    def _interactive(self, block: Figure) -> str:
        """Where the site's script puts a drawing that follows its controls, in place of the still, and the script."""
        place = beside(self.name, block.interactive)
        path = self.site.config.root / place
        if not block.interactive or not path.is_file():
            return ""
        version = hashlib.sha256(path.read_bytes()).hexdigest()[:10]
        module = html.escape(f"{self.site.shared(self.name, f'{SCRIPTS}/{place}')}?v={version}")
        runner = self.site.shared(self.name, f"_static/d2l/interactive.js?v={assets_version(STATIC)}")
        return (
            f'<div class="d2l-interactive d-print-none" data-module="{module}" hidden></div>'
            f'<script type="module" src="{runner}"></script>'
        )

    def _caption(self, text: str, number: str) -> Words:
        return Words("", "", *self.prose.inline(text), kind="caption", number=number)

    def table(self, block: Table) -> list[nodes.Node]:
        captioned = Captioned(anchors=self._label_anchors(block))
        number = self._number(block)
        if block.caption or number:
            captioned += self._caption(
                block.caption, self.book.words("Table {number}", number=number) if number else ""
            )
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
        entries = nodes.bullet_list(classes=["d2l-bibliography"])
        ordered = sorted(
            self.site.cited_on.keys() & self.book.citations.keys(), key=lambda key: entry_text(self.book.citations[key])
        )
        for key in ordered:
            fields = self.book.citations[key]
            words = nodes.paragraph("", entry_text(fields, self.book.words) + " ")
            if where := entry_address(fields):
                words += [nodes.reference("", where, refuri=where), nodes.Text(" ")]
            words += self._back_links(key)
            entries += nodes.list_item("", words, ids=[citation_anchor(key)])
        return [entries]

    def _back_links(self, key: str) -> list[nodes.Node]:
        links: list[nodes.Node] = []
        for page in self.site.cited_on[key]:
            place = self.book.page(page)
            title = plain_text(place.document.title, self.book, page) if place else page
            shown = self.book.words(NUMBERED["section"], number=place.number) if place and place.number else title
            links += [nodes.Text(", ")] if links else []
            links.append(
                nodes.reference(
                    "", shown, refuri=address(self.name, page, f"citing-{citation_anchor(key)}"), internal=True
                )
            )
        before, after = self.book.words("Cited in {places}.", places="\0").split("\0")
        return [nodes.inline("", "", nodes.Text(before), *links, nodes.Text(after), classes=["d2l-back"])]

    def reference_lists(self, block: Reference) -> list[nodes.Node]:
        lists = ReferenceLists(self, self.site)
        return lists.definitions() if block.part == "definitions" else lists.aliases()

    def nothing(self, block: Block) -> list[nodes.Node]:
        return []

    # ---- what prose asks for -----------------------------------------------------------------------------------------

    def reference(self, kind: str, key: str) -> nodes.Node:
        target = self.book.targets.get(key)
        shown = link_text(kind, key, self.book)
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
        """(Li et al., 2014; Dean, 2012), as text Li et al. (2014); each leads to its entry."""
        whole = nodes.inline(classes=["d2l-cite"])
        for key in keys:
            if whole.children:
                whole += nodes.Text("; ")
            fields = self.book.citations.get(key)
            if fields is None:
                self.error(f"undefined citation '{key}'", "citation-undefined")
                continue
            author, year = fields["short_author"], fields["short_year"]
            whole += self._cited(key, f"{author} ({year})" if kind == "citet" else f"{author}, {year}")
        if kind != "citet":
            whole.insert(0, nodes.Text("("))
            whole += nodes.Text(")")
        return whole

    def _cited(self, key: str, shown: str) -> nodes.Node:
        anchor = citation_anchor(key)
        ids = [] if key in self.cited else [f"citing-{anchor}"]
        self.cited.add(key)
        if not self.site.bibliography:
            return nodes.inline("", shown, ids=ids)
        return nodes.reference(
            "", shown, refuri=address(self.name, self.site.bibliography, anchor), internal=True, ids=ids
        )

    def formula(self, tex: str, display: bool) -> Katex:
        tex = tex.strip()
        typeset = self.site.formulas.get(tex, display)
        if typeset.error:
            self.error(f"{typeset.error}; mend the formula {_short(tex)}", "formula-syntax")
        return Katex("", tex, html=typeset.html, display=display)

    def image(self, target: str, alt: str) -> nodes.Node:
        return Html(html=self._picture(target, alt, ""))

    def link(self, target: str) -> str:
        """The address that a link of the page's Markdown gets on the site."""
        path, _, anchor = target.partition("#")
        if not path or EXTERNAL.match(target):
            return target
        place = beside(self.name, path)
        page = place.removesuffix(".md").removesuffix(".html")
        if page in self.site.pages:
            return address(self.name, page, anchor)
        if (self.site.config.root / place).is_file():
            return self.site.shared(self.name, f"{FILES}/{place}")
        self.error(f"the link leads to '{path}', which is neither a page nor a file of the book", "link-broken")
        return target

    def _picture(self, target: str, alt: str, width: str) -> str:
        """The markup of a picture: SVG inlined, so that it follows the page's colours; else an image."""
        style = f' style="max-width:{html.escape(width)}"' if width else ""
        if EXTERNAL.match(target):
            self.error(
                f"'{target}' is on another site; keep a copy in the book, pages load nothing from elsewhere",
                "figure-remote",
            )
            return ""
        place = beside(self.name, target)
        path = self.site.config.root / place
        self.pictures += 1
        if path.suffix.lower() != ".svg":
            if not path.is_file():
                self.error(f"there is no figure '{place}'", "figure-missing")
            source = html.escape(self.site.shared(self.name, f"{IMAGES}/{place}"))
            return f'<img class="d2l-image"{style} src="{source}" alt="{html.escape(alt)}" loading="lazy">'
        try:
            drawing = inline_svg(read_drawing(path, self.book.drawings), f"fig{self.pictures}", alt)
        except (BadPicture, BookError, ValueError) as error:
            self.error(*finding(place, error))
            return ""
        return f'<div class="d2l-svg"{style}>{drawing}</div>'


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
    Reference: PageTree.reference_lists,
    Solution: PageTree.solution,
}
