"""The blocks of a page as HTML. Every kind of block has its method, which a format may write in its own way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from d2lbook.book.cross_references import citation_anchor, plain_text
from d2lbook.html.cells import Cells
from d2lbook.html.context import HtmlContext, ViewContext
from d2lbook.html.markup import anchored, attribute, code_block, escape
from d2lbook.html.prose import Prose
from d2lbook.html.reference import ReferenceWriter
from d2lbook.model import (
    NUMBERED,
    ApiListing,
    Bibliography,
    Block,
    Cell,
    Equation,
    Fault,
    Figure,
    Heading,
    Label,
    Listing,
    RawRst,
    Solution,
    Table,
    labels_of,
    walk,
)
from d2lbook.model import Prose as ProseBlock
from d2lbook.parse.footnotes import names_in, notes_of
from d2lbook.parse.listing_language import language_of_fence
from d2lbook.rendering.bibliography_style import entry_address, entry_text, in_style, work_text
from d2lbook.rendering.block_writer import BlockWriter
from d2lbook.rendering.results import Results
from d2lbook.rendering.untranslated import is_untranslated


class PageWriter(BlockWriter):
    """What all formats write alike."""

    context: HtmlContext
    unknown = ("there is no form for a {kind} here; it is left out", "xhtml-unhandled")

    def __init__(self, context: HtmlContext, prose: Prose) -> None:
        super().__init__(context)
        self.prose = prose

    def fault(self, block: Fault) -> str:
        said = f"<strong>{escape(block.code)}</strong> <code>{escape(block.place)}</code> {escape(block.text)}"
        return f'<p class="fault" lang="en">{said}</p>\n'

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
        return block.alt or plain_text(block.caption, self.book)

    def captioned(self, kind: str, block: Figure | Table) -> tuple[str, str]:
        """ "Fig. 1.2.1" and the caption, each as HTML and empty where there is none."""
        number = self.number(block)
        named = escape(self.context.words(NUMBERED[kind], number=number)) if number else ""
        return named, self.prose.inline(block.caption)

    def footnotes(self, names: Collection[str]) -> str:
        """The notes of these names at the end of the page."""
        rows = []
        for name, note in notes_of(self.context.page.document).items():
            if name in names:
                self.at(note.block)
                rows.append(self.prose.note(note))
        listed = f"<ol>\n{''.join(rows)}</ol>\n"
        return f'<section class="footnotes" role="doc-endnotes">\n{listed}</section>\n' if rows else ""

    def works(self, keys: Iterable[str]) -> str:
        """The entries of a bibliography, in their order."""
        style = self.book.citation_style
        by_text = sorted(keys, key=lambda key: entry_text(self.book.citations[key]))
        return "".join(map(self.work, by_text if style is None else in_style(by_text, style)))

    def work(self, key: str) -> str:
        fields = self.book.citations[key]
        where = entry_address(fields)
        link = f' <a class="reference external" href="{attribute(where)}">{escape(where)}</a>' if where else ""
        text = f"{work_text(key, self.book, escape, '<em>', '</em>')}{link}{self.after_work(key)}"
        return f'<li id="{citation_anchor(key)}"><p>{text}</p></li>\n'

    def after_work(self, key: str) -> str:
        return ""

    def byline(self, heading: Heading) -> str:
        """The authors that the page's front matter names, below its title."""
        authors = self.context.page.document.authors if heading.level == 1 else ""
        return f'<p class="authors">{escape(authors)}</p>\n' if authors else ""

    # ---- numbers and anchors -----------------------------------------------------------------------------------------

    def anchors(self, labels: Sequence[Label]) -> tuple[str, ...]:
        """What an element's labels are to links."""
        return tuple(map(self._anchor, labels))

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return target.anchor if target is not None else label.name.replace("_", "-")


class ViewWriter(PageWriter):
    """Writes one page of a book as one framework sees it, for readers that run no scripts: ePubs and slides."""

    context: ViewContext

    def __init__(self, context: ViewContext, results: Results, slides: bool = False) -> None:
        super().__init__(context, Prose(context))
        self.view = context.around.view(context.page, context.tab, slides)
        self.cells = Cells(context, self.prose, results)
        self._all_is_source = False  # nothing of the page is translated

    def body(self) -> str:
        self._all_is_source = is_untranslated(self.view.blocks)
        note = f'<p class="untranslated-note">{escape(self._not_yet)}</p>\n' if self._all_is_source else ""
        return note + self.blocks(self.view.blocks) + self.footnotes(names_in(walk(self.view.blocks)))

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
        title = f"<h{level}{own}>{inner}{shown}{self.prose.inline(block.title)}</h{level}>\n"
        return f"{title}{self.byline(block)}"

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
