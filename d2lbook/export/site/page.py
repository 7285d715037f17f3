"""A page of the site: all frameworks' views of it in one, in sections that links and search lead to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from d2lbook.book.cross_references import citation_anchor, plain_text
from d2lbook.diagnostics import Messages, to_install
from d2lbook.export.site.cells import Cells
from d2lbook.export.site.context import Site, SiteContext
from d2lbook.export.site.grouping import Cluster, clustered
from d2lbook.export.site.nav import Anchors, Navigation, Section
from d2lbook.export.site.pictures import Pictures
from d2lbook.export.site.prose import SiteProse
from d2lbook.html.markup import anchored, attribute, escape
from d2lbook.html.page import PageWriter
from d2lbook.html.reference import ReferenceWriter
from d2lbook.model import (
    NUMBERED,
    ApiListing,
    Bibliography,
    Block,
    Figure,
    Heading,
    Page,
    RawRst,
    Solution,
    Table,
    TabProse,
    Toc,
    labels_of,
)
from d2lbook.parse.footnotes import notes_of
from d2lbook.rendering.api import page_title
from d2lbook.rendering.paths import beside

if TYPE_CHECKING:
    from d2lbook.html.rst import Rst


class SitePage(PageWriter):
    """Writes the article of one page."""

    context: SiteContext

    def __init__(self, site: Site, page: Page, navigation: Navigation, messages: Messages) -> None:
        context = SiteContext(site.context.reporting_to(messages), page, site=site)
        super().__init__(context, SiteProse(context))
        self.site, self.page, self.navigation = site, page, navigation
        self.pictures = Pictures(context)
        context.picture_of = self.pictures.picture
        self.anchors_of = Anchors(page, site.book)
        self.cells = Cells(context, self.prose)
        self.tabs = site.tabs  # those that the block at work is for
        self.outline = Section("", "", 0)
        self._open = [self.outline]  # the sections around the block at work

    def body(self) -> str:
        """The article, with what search does not see set aside; `context.whole` puts it back."""
        parts: list[str] = []
        run: list[Block] = []
        for block in self.page.document.blocks:
            if isinstance(block, Heading):
                parts += [self.blocks(tuple(run)), self._section(block)]
                run = []
            else:
                run.append(block)
        notes = self.footnotes(notes_of(self.page.document))
        return "".join([*parts, self.blocks(tuple(run)), self._closed(0), notes])

    def blocks(self, blocks: tuple[Block, ...]) -> str:
        """Blocks in order; neighbours in one other language than the page's together under one mark."""
        says = attribute(self.book.words("Not translated yet"))
        parts = []
        for lang, group in groupby(self._made(blocks), key=lambda pair: pair[0].lang):
            html = "".join(text for _, text in group)
            foreign = lang and html
            parts.append(f'<div class="d2l-foreign" lang="{lang}" title="{says}">\n{html}</div>\n' if foreign else html)
        return "".join(parts)

    def _made(self, blocks: tuple[Block, ...]) -> Iterator[tuple[Block, str]]:
        """The HTML of each block, or of each cluster, with its first block."""
        for block in clustered(blocks, self.site.tabs):
            if not isinstance(block, Cluster):
                yield block, self.block(block)
                continue
            first = block.members[0][0]
            self.at(first)
            if isinstance(first, TabProse):
                yield first, "".join(self._part(one, tabs) for one, tabs in block.members if isinstance(one, TabProse))
            else:
                yield first, self.cells.group(block)

    def _part(self, block: TabProse, tabs: tuple[str, ...]) -> str:
        before, self.tabs = self.tabs, tabs
        html = self.cells.part(tabs, self.blocks(block.blocks))
        self.tabs = before
        return html

    # ---- sections ----------------------------------------------------------------------------------------------------

    def _section(self, heading: Heading) -> str:
        self.at(heading)
        closed = self._closed(heading.level)
        anchors = self.anchors_of.of[heading.span.start]
        title = escape(plain_text(heading.title, self.book))
        words = f'<span lang="{heading.lang}">{title}</span>' if heading.lang else title
        section = Section(anchors[0], words, heading.level)
        self._open[-1].parts.append(section)
        self._open.append(section)
        level = min(len(self._open) - 1, 6)
        own, inner = anchored(anchors)
        foreign = f' class="d2l-foreign-title" lang="{heading.lang}"' if heading.lang else ""
        shown = f"{self._section_number(heading)}{self.prose.inline(heading.title)}{self._mark(anchors[0])}"
        return f"{closed}<section{own}>\n{inner}<h{level}{foreign}>{shown}</h{level}>\n{self.byline(heading)}"

    def _closed(self, level: int) -> str:
        """Closes the sections that a heading of some level ends."""
        closed = 0
        while len(self._open) > 1 and self._open[-1].level >= level:
            self._open.pop()
            closed += 1
        return "</section>\n" * closed

    def _section_number(self, heading: Heading) -> str:
        number = self.number(heading)
        return self.context.unsearched(f'<span class="section-number">{number} </span>') if number else ""

    def _mark(self, anchor: str) -> str:
        says = attribute(self.book.words("Link to this heading"))
        link = f'<a class="headerlink" href="#{attribute(anchor)}" title="{says}">#</a>'
        return self.context.unsearched(link)

    def heading(self, block: Heading) -> str:
        """A heading inside tabs' prose or a solution: it opens no section there."""
        own, inner = anchored(self.anchors_of.of[block.span.start])
        level = min(block.level, 6)
        return f'<h{level} class="rubric"{own}>{inner}{self.prose.inline(block.title)}</h{level}>\n'

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def display(self, tex: str, number: str, own: str, inner: str) -> str:
        shown = f'<span class="eqno">({number})</span>' if number else ""
        formula = f'<div class="d2l-formula">{self.context.typeset(tex, True).html}</div>'
        return self.context.unsearched(f'<div class="d2l-display"{own}>{inner}{formula}{shown}</div>\n')

    def figure(self, block: Figure) -> str:
        own, inner = anchored(self.anchors(labels_of(block)))
        still = self.pictures.picture(block.target, self.alt_of(block), block.width)
        picture = self.context.unsearched(still + self.pictures.interactive(block))
        caption = self._caption("figure", block)
        shown = f"<figcaption>{caption}</figcaption>" if caption else ""
        return f'<figure class="d2l-figure"{own}>{inner}{picture}\n{shown}</figure>\n'

    def table(self, block: Table) -> str:
        own, inner = anchored(self.anchors(labels_of(block)))
        caption = self._caption("table", block)
        return f'<div class="d2l-table"{own}>{inner}\n{caption}{self.prose.blocks(block.text)}</div>\n'

    def _caption(self, kind: str, block: Figure | Table) -> str:
        number, words = self.captioned(kind, block)
        named = self.context.unsearched(f'<span class="caption-number">{number}</span> ') if number else ""
        return f'<p class="caption">{named}{words}</p>\n' if named or words else ""

    def solution(self, block: Solution) -> str:
        summary = self.context.unsearched(f"<summary>{escape(self.book.words('Solution'))}</summary>\n")
        return f'<details class="solution">{summary}{self.blocks(block.blocks)}</details>\n'

    def toc(self, block: Toc) -> str:
        found = (beside(self.context.name, entry.target) for entry in block.entries)
        names = [name for name in found if name in self.site.pages]
        rows = self.navigation.listed(self.context.name, names, block.maxdepth)
        return f'<div class="toctree-wrapper">\n{rows}</div>\n' if rows else ""

    @cached_property
    def rst(self) -> Rst | None:
        try:
            from d2lbook.html.rst import Rst
        except ModuleNotFoundError:
            return None
        return Rst(self.context, self.site.tabs, self.prose)

    def raw_rst(self, block: RawRst) -> str:
        if self.rst is None:
            self.context.error(f"this fence needs docutils; run: {to_install('docutils')}", "rst-docutils")
            return ""
        return self.rst.html(block.text, self.tabs, block.span.line)

    def bibliography(self, block: Bibliography) -> str:
        """The works that the book cites, each leading to the places that cite it."""
        entries = self.works(self.site.cited_on.keys() & self.book.citations.keys())
        return f'<ul class="d2l-bibliography">\n{entries}</ul>\n'

    def after_work(self, key: str) -> str:
        links = ", ".join(self._back_link(page, key) for page in self.site.cited_on[key])
        words = escape(self.book.words("Cited in {places}.", places="\0")).replace("\0", links)
        return f' <span class="d2l-back">{words}</span>'

    def _back_link(self, name: str, key: str) -> str:
        place = self.book.page(name)
        number = place.number if place is not None else ""
        title = plain_text(place.document.title, self.book) if place is not None else name
        shown = self.book.words(NUMBERED[place.kind], number=number) if place is not None and number else title
        return self.context.place(name, f"citing-{citation_anchor(key)}", escape(shown))

    def libraries(self, block: ApiListing) -> str:
        writer = ReferenceWriter(self.context, self.site.tabs, self.prose.blocks)
        if block.part == "aliases":
            return f'<div class="pst-scrollable-table-container">{writer.aliases()}</div>\n'
        return "".join(self._definitions(page, writer) for page in writer.api.pages)

    def _definitions(self, page: str, writer: ReferenceWriter) -> str:
        """The names that one page saves, below a heading that the page's contents list."""
        anchor = self.anchors_of.new(f"definitions of {page.rpartition('/')[2]}")
        here = self._open[-1]
        here.parts.append(Section(anchor, escape(page_title(self.book, page)), here.level + 1))
        level = min(here.level + 1, 6)
        entries = writer.entries(writer.api.pages[page], None, self.site.tabs)
        head = f'<h{level} class="rubric">{writer.title(page)}</h{level}>'
        return f'<div class="d2l-definitions" id="{anchor}">\n{head}\n{entries}</div>\n'
