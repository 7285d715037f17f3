"""The blocks of a page as XHTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from d2lbook.book.cross_references import citation_anchor, plain_text
from d2lbook.execute.frozen import Run
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.bibliography_style import entry_address, entry_text
from d2lbook.export.shared.untranslated import is_untranslated, stretches
from d2lbook.export.xhtml import reference
from d2lbook.export.xhtml.cells import Cells
from d2lbook.export.xhtml.context import PageContext
from d2lbook.export.xhtml.prose import Prose, attribute, code_block, escape
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

CLASSES = {"figure": "fig", "table": "table"}  # kind of target -> class of its element


class PageWriter:
    """Writes one page of a book as one framework sees it."""

    def __init__(self, context: PageContext, view: View, run: Run | None) -> None:
        self.context, self.book, self.view = context, context.book, view
        self.prose = Prose(context)
        self.cells = Cells(context, self.prose, run)
        self._all_is_source = False  # nothing of the page is translated

    def body(self) -> str:
        self._all_is_source = is_untranslated(self.view.blocks)
        note = f'<p class="untranslated-note">{escape(self._not_yet)}</p>\n' if self._all_is_source else ""
        return note + self.blocks(self.view.blocks)

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "".join(self._stretch(lang, found) for lang, found in stretches(blocks))

    def _stretch(self, lang: str, blocks: Iterable[Block]) -> str:
        """Blocks of one language; those that are not in the book's say so, and are marked, unless the whole page is."""
        html = "".join(self.block(block) for block in blocks)
        if not lang or not html:
            return html
        says = "" if self._all_is_source else f' class="untranslated" title="{attribute(self._not_yet)}"'
        return f'<div lang="{attribute(lang)}" xml:lang="{attribute(lang)}"{says}>\n{html}</div>\n'

    @property
    def _not_yet(self) -> str:
        return self.book.words("Not translated yet")

    def block(self, block: Block) -> str:
        self.context.line, self.context.lang = block.span.line, block.lang
        method = METHODS.get(type(block))
        if method is None:
            what = f"there is no form for a {type(block).__name__} here; it is left out"
            self.context.warn(what, "xhtml-unhandled")
            return ""
        return method(self, block)

    def nothing(self, block: Block) -> str:
        return ""

    def markdown(self, block: ProseBlock) -> str:
        return self.prose.blocks(block.text)

    def heading(self, block: Heading) -> str:
        number = self.number(block)
        shown = f"{number} " if number else ""
        level = min(block.level, 6)
        own, inner = self._targets(block.labels)
        return f"<h{level}{own}>{inner}{shown}{self.prose.inline(block.title)}</h{level}>\n"

    def listing(self, block: Listing) -> str:
        return code_block(block.text.rstrip("\n"), language_of_fence(block.info))

    def raw_rst(self, block: RawRst) -> str:
        return code_block(block.text.rstrip("\n"), "rst")

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        return self.cells.cell(cell) if cell is not None else ""

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        own, inner = self._targets(labels_of(block))
        return f'<div class="equation"{own}>{inner}{self.numbered_formula(block)}</div>\n'

    def numbered_formula(self, block: Equation) -> str:
        number = self.number(block) if block.label else ""
        shown = f'<span class="number">({number})</span>' if number else ""
        return f"{self.context.formula(block.tex, True)}{shown}"

    def figure(self, block: Figure) -> str:
        picture = self.picture(block)
        return self._captioned("figure", block, f"<div>{picture}</div>\n", "") if picture else ""

    def picture(self, block: Figure) -> str:
        """The figure without its caption; empty when it cannot be shown."""
        alt = block.alt or plain_text(block.caption, self.book, self.context.name)
        return self.context.image(block.target, alt)

    def table(self, block: Table) -> str:
        return self._captioned("table", block, "", self.prose.blocks(block.text))

    def _captioned(self, kind: str, block: Figure | Table, before: str, after: str) -> str:
        number = self.number(block)
        words = self.book.words(NUMBERED[kind], number=number)
        named = f"<strong>{escape(words)}</strong> " if number else ""
        shown = f"{named}{self.prose.inline(block.caption)}"
        caption = f"<figcaption>{shown}</figcaption>\n" if shown else ""
        own, inner = self._targets(labels_of(block))
        return f'<figure class="{CLASSES[kind]}"{own}>{inner}\n{before}{caption}{after}</figure>\n'

    def solution(self, block: Solution) -> str:
        head = f'<p class="head">{escape(self.book.words("Solution"))}</p>'
        return f'<section class="solution">\n{head}\n{self.blocks(block.blocks)}</section>\n'

    def bibliography(self, block: Bibliography) -> str:
        keys = sorted(self.book.citations, key=lambda key: entry_text(self.book.citations[key]))
        config = self.context.config
        source = attribute(config.source_lang)
        lang = f' lang="{source}" xml:lang="{source}"' if source != config.lang else ""
        entries = "".join(map(self._work, keys))
        return f'<ul class="bibliography"{lang}>\n{entries}</ul>\n' if entries else ""

    def _work(self, key: str) -> str:
        fields = self.book.citations[key]
        where = entry_address(fields)
        link = f' <a href="{attribute(where)}">{escape(where)}</a>' if where else ""
        return f'<li id="{citation_anchor(key)}">{escape(entry_text(fields, self.book.words))}{link}</li>\n'

    def libraries(self, block: ApiListing) -> str:
        api, tab = api_of(self.book, self.context.config), self.context.tab
        if block.part == "aliases":
            return reference.aliases(api, tab, self.book.words)
        return reference.definitions(api, self.book, tab, self.prose.blocks, self.context.address)

    # ---- numbers and anchors -----------------------------------------------------------------------------------------

    def number(self, block: Block) -> str:
        return self.book.numbers.get((self.context.name, block.span.start), "")

    def _targets(self, labels: Sequence[Label]) -> tuple[str, str]:
        """What an element's labels are to links: its id, and elements inside it for the labels after the first."""
        anchors = [self._anchor(label) for label in labels]
        own = f' id="{anchors[0]}"' if anchors else ""
        return own, "".join(f'<span id="{anchor}"></span>' for anchor in anchors[1:])

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return target.anchor if target is not None else label.name.replace("_", "-")


METHODS: dict[type[Block], Callable[..., str]] = {
    Heading: PageWriter.heading,
    ProseBlock: PageWriter.markdown,
    Listing: PageWriter.listing,
    Figure: PageWriter.figure,
    Table: PageWriter.table,
    Equation: PageWriter.equation,
    Cell: PageWriter.cell,
    StoredOutput: PageWriter.nothing,  # `check` refuses it
    Toc: PageWriter.nothing,  # what holds the pages together has one
    RawRst: PageWriter.raw_rst,
    Bibliography: PageWriter.bibliography,
    ApiListing: PageWriter.libraries,
    Solution: PageWriter.solution,
}
