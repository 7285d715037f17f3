"""The blocks of a page as HTML. Every kind of block has its method, which a format may write in its own way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from d2lbook.book.cross_references import citation_anchor, plain_text
from d2lbook.execute.frozen import Run
from d2lbook.export.shared.bibliography_style import entry_address, entry_text
from d2lbook.export.shared.untranslated import is_untranslated
from d2lbook.export.xhtml.cells import Cells
from d2lbook.export.xhtml.context import HtmlContext, ViewContext
from d2lbook.export.xhtml.markup import anchored, attribute, code_block, escape
from d2lbook.export.xhtml.prose import Prose
from d2lbook.export.xhtml.reference import ReferenceWriter
from d2lbook.model import (
    NUMBERED,
    ApiListing,
    Bibliography,
    Block,
    Cell,
    Equation,
    Figure,
    Heading,
    Label,
    Listing,
    RawRst,
    Solution,
    StoredOutput,
    Table,
    Toc,
    View,
    labels_of,
)
from d2lbook.model import Prose as ProseBlock
from d2lbook.parse.listing_language import language_of_fence

METHODS: dict[type[Block], str] = {
    Heading: "heading",
    ProseBlock: "markdown",
    Listing: "listing",
    Figure: "figure",
    Table: "table",
    Equation: "equation",
    Cell: "cell",
    StoredOutput: "nothing",
    Toc: "toc",
    RawRst: "raw_rst",
    Bibliography: "bibliography",
    ApiListing: "libraries",
    Solution: "solution",
}


class PageWriter:
    """What all formats write alike."""

    def __init__(self, context: HtmlContext, prose: Prose) -> None:
        self.context, self.book, self.prose = context, context.book, prose

    def block(self, block: Block) -> str:
        self.at(block)
        method = METHODS.get(type(block))
        if method is None:
            what = f"there is no form for a {type(block).__name__} here; it is left out"
            self.context.warn(what, "xhtml-unhandled")
            return ""
        return str(getattr(self, method)(block))

    def at(self, block: Block) -> None:
        """Makes the block the one at work: messages and words are about it."""
        self.context.line, self.context.lang = block.span.line, block.lang

    def nothing(self, block: Block) -> str:
        return ""

    def toc(self, block: Toc) -> str:
        return ""  # what holds the pages together has one

    def markdown(self, block: ProseBlock) -> str:
        return self.prose.blocks(block.text)

    def listing(self, block: Listing) -> str:
        return self.prose.code_block(block.text.rstrip("\n"), language_of_fence(block.info))

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        own, inner = anchored(self.anchors(labels_of(block)))
        return self.display(block.tex, self.number(block) if block.label else "", own, inner)

    def display(self, tex: str, number: str, own: str, inner: str) -> str:
        shown = f'<span class="number">({number})</span>' if number else ""
        return f'<div class="equation"{own}>{inner}{self.context.formula(tex, True)}{shown}</div>\n'

    def alt_of(self, block: Figure) -> str:
        return block.alt or plain_text(block.caption, self.book, self.context.name)

    def captioned(self, kind: str, block: Figure | Table) -> tuple[str, str]:
        """ "Fig. 1.2.1" and the caption, each as HTML and empty where there is none."""
        number = self.number(block)
        named = escape(self.context.words(NUMBERED[kind], number=number)) if number else ""
        return named, self.prose.inline(block.caption)

    def works(self, keys: Iterable[str]) -> str:
        """The entries of a bibliography, in their order."""
        return "".join(map(self.work, sorted(keys, key=lambda key: entry_text(self.book.citations[key]))))

    def work(self, key: str) -> str:
        fields = self.book.citations[key]
        where = entry_address(fields)
        link = f' <a class="reference external" href="{attribute(where)}">{escape(where)}</a>' if where else ""
        text = f"{escape(entry_text(fields, self.book.words))}{link}{self.after_work(key)}"
        return f'<li id="{citation_anchor(key)}"><p>{text}</p></li>\n'

    def after_work(self, key: str) -> str:
        return ""

    # ---- numbers and anchors -----------------------------------------------------------------------------------------

    def number(self, block: Block) -> str:
        return self.book.numbers.get((self.context.name, block.span.start), "")

    def anchors(self, labels: Sequence[Label]) -> tuple[str, ...]:
        """What an element's labels are to links."""
        return tuple(map(self._anchor, labels))

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return target.anchor if target is not None else label.name.replace("_", "-")


class ViewWriter(PageWriter):
    """Writes one page of a book as one framework sees it, for readers that run no scripts: ePubs and slides."""

    context: ViewContext

    def __init__(self, context: ViewContext, view: View, run: Run | None) -> None:
        super().__init__(context, Prose(context))
        self.view = view
        self.cells = Cells(context, self.prose, run)
        self._all_is_source = False  # nothing of the page is translated

    def body(self) -> str:
        self._all_is_source = is_untranslated(self.view.blocks)
        note = f'<p class="untranslated-note">{escape(self._not_yet)}</p>\n' if self._all_is_source else ""
        return note + self.blocks(self.view.blocks)

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "".join(self._stretches(blocks))

    def _stretches(self, blocks: Iterable[Block]) -> Iterator[str]:
        """Blocks of one language; those that are not in the book's say so, and are marked, unless the whole page is."""
        for lang, group in groupby(blocks, lambda block: block.lang):
            html = "".join(map(self.block, group))
            says = "" if self._all_is_source else f' class="untranslated" title="{attribute(self._not_yet)}"'
            both = f'lang="{attribute(lang)}" xml:lang="{attribute(lang)}"'
            yield f"<div {both}{says}>\n{html}</div>\n" if lang and html else html

    @property
    def _not_yet(self) -> str:
        return self.book.words("Not translated yet")

    def heading(self, block: Heading) -> str:
        number = self.number(block)
        shown = f"{number} " if number else ""
        level = min(block.level, 6)
        own, inner = anchored(self.anchors(block.labels))
        return f"<h{level}{own}>{inner}{shown}{self.prose.inline(block.title)}</h{level}>\n"

    def raw_rst(self, block: RawRst) -> str:
        return code_block(block.text.rstrip("\n"), "rst")

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        return self.cells.cell(cell) if cell is not None else ""

    def figure(self, block: Figure) -> str:
        picture = self.picture(block)
        return self._with_caption("figure", "fig", block, f"<div>{picture}</div>\n", "") if picture else ""

    def picture(self, block: Figure) -> str:
        """The figure without its caption; empty when it cannot be shown."""
        return self.context.image(block.target, self.alt_of(block))

    def table(self, block: Table) -> str:
        return self._with_caption("table", "table", block, "", self.prose.blocks(block.text))

    def _with_caption(self, kind: str, name: str, block: Figure | Table, before: str, after: str) -> str:
        number, words = self.captioned(kind, block)
        shown = f"<strong>{number}</strong> {words}" if number else words
        caption = f"<figcaption>{shown}</figcaption>\n" if shown else ""
        own, inner = anchored(self.anchors(labels_of(block)))
        return f'<figure class="{name}"{own}>{inner}\n{before}{caption}{after}</figure>\n'

    def solution(self, block: Solution) -> str:
        head = f'<p class="head">{escape(self.book.words("Solution"))}</p>'
        return f'<section class="solution">\n{head}\n{self.blocks(block.blocks)}</section>\n'

    def bibliography(self, block: Bibliography) -> str:
        config = self.context.config
        source = attribute(config.source_lang)
        lang = f' lang="{source}" xml:lang="{source}"' if source != config.lang else ""
        entries = self.works(self.book.citations)
        return f'<ul class="bibliography"{lang}>\n{entries}</ul>\n' if entries else ""

    def libraries(self, block: ApiListing) -> str:
        tab = self.context.tab
        writer = ReferenceWriter(self.context, (tab,), self.prose.blocks)
        if block.part == "aliases":
            return writer.aliases()
        pages = ((page, writer.entries(names, None, (tab,))) for page, names in writer.api.pages.items())
        return "".join(f'<p class="api-page">{writer.title(page)}</p>\n{rows}' for page, rows in pages if rows)
