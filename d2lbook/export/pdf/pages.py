"""The pages of a book as one framework sees them, written as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import Run
from d2lbook.export.pdf import reference
from d2lbook.export.pdf.backmatter import BookText
from d2lbook.export.pdf.cells import Cells
from d2lbook.export.pdf.context import LatexContext, targets
from d2lbook.export.pdf.escape import escape
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.prose import LatexProse, code_block, display
from d2lbook.export.pdf.rst import BadRst, rst_to_latex
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.untranslated import has_words, is_untranslated
from d2lbook.model import (
    NUMBERED,
    ApiListing,
    Bibliography,
    Block,
    Book,
    Cell,
    Equation,
    Figure,
    Heading,
    Label,
    Listing,
    Prose,
    RawRst,
    Solution,
    StoredOutput,
    Table,
    Toc,
    View,
    labels_of,
)
from d2lbook.parse.listing_language import language_of_fence
from d2lbook.view import make_view

_COMMANDS = ("chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_LIST_ITEM = re.compile(r"\s*(\d+)[.)]\s")


def book_text(
    book: Book, config: Config, tab: str, runs: dict[str, Run], images: Images, formulas: Formulas, messages: Messages
) -> BookText:
    """All pages of a framework, in order."""
    text = BookText()
    for page in book.pages:
        view = make_view(page.document, tab, book.tabs)
        context = LatexContext(page, book, config, messages, tab=tab, images=images, formulas=formulas, text=text)
        PageWriter(context, view, runs.get(page.document.name)).write()
    return text


class PageWriter:
    """Writes one page into the parts of its book."""

    def __init__(self, context: LatexContext, view: View, run: Run | None) -> None:
        self.context, self.book, self.view, self.text = context, context.book, view, context.text
        self.prose = LatexProse(context)
        self.cells = Cells(context, self.prose, run)
        self._solutions = 0
        self._exercise = ""  # number of the last exercise
        self._all_is_source = False  # nothing of the page is translated
        self._lang = ""  # of the last words, where it is not the book's

    def write(self) -> None:
        blocks = list(self.view.blocks)
        self._all_is_source = is_untranslated(blocks)
        for number, block in enumerate(blocks):
            following = blocks[number + 1 :]
            # The bibliography stands at the end of the book, under a heading of its own.
            if isinstance(block, Heading) and following and isinstance(following[0], Bibliography):
                continue
            self.text.body.append(self._marked(block))
        self.text.body.append("\n")

    def _marked(self, block: Block) -> str:
        """A block after a comment that says where it is from: errors of TeX are reported there."""
        self.context.line, self.context.lang = block.span.line, block.lang
        written = self._in_its_language(block, self._block(block))
        return f"%@ {self.context.page.document.path}:{block.span.line}\n{written}" if written else ""

    def _in_its_language(self, block: Block, written: str) -> str:
        """What is not translated: hyphenated as its language is, and marked where it begins."""
        if isinstance(block, Heading) and block.level == 1 and self._all_is_source:
            return f"{written}\\languagenote{{{escape(self.book.words('Not translated yet'))}}}\n"
        if isinstance(block, Heading) or not block.lang or not written:
            self._lang = "" if has_words(block) and not block.lang else self._lang
            return written
        begins = not self._all_is_source and self._lang != block.lang
        self._lang = block.lang
        mark = f"\\languagemark{{{escape(block.lang.upper())}}}\n" if begins else ""
        return f"{mark}\\begin{{untranslated}}\n{written}\\end{{untranslated}}\n"

    def _block(self, block: Block) -> str:
        method = METHODS.get(type(block))
        if method is None:
            what = f"the PDF has no form for a {type(block).__name__}; it is left out"
            self.context.warn(what, "pdf-unhandled")
            return ""
        return method(self, block)

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def nothing(self, block: Block) -> str:
        return ""

    def markdown(self, block: Prose) -> str:
        numbers = _LIST_ITEM.findall("\n" + block.text) if _LIST_ITEM.match(block.text) else []
        if numbers:
            self._exercise = numbers[0]
        return self.prose.blocks(block.text)

    def heading(self, block: Heading) -> str:
        level = min(max(self.context.page.depth - 1, 0) + block.level - 1, len(_COMMANDS) - 1)
        plain = escape(plain_text(block.title, self.book, self.context.name))
        anchors = [self._anchor(label) for label in block.labels]
        if block.level == 1:
            anchors.insert(0, self.context.name)
        shown = self.prose.inline(block.title)
        return f"\\bookheading{{{_COMMANDS[level]}}}{{{self._number(block)}}}{{{shown}}}{{{plain}}}\n{targets(anchors)}"

    def listing(self, block: Listing) -> str:
        return code_block(block.text.rstrip("\n"), language_of_fence(block.info))

    def raw_rst(self, block: RawRst) -> str:
        try:
            return rst_to_latex(block.text)
        except BadRst as error:
            self.context.warn(f"the PDF leaves this reStructuredText out: {error}", "pdf-rst")
            return ""

    def libraries(self, block: ApiListing) -> str:
        api, tab = api_of(self.book, self.context.config), self.context.tab
        if block.part == "aliases":
            return reference.aliases(api, tab, self.book.words)
        return reference.definitions(api, self.book, tab, self.prose.blocks)

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        return self.cells.cell(cell) if cell is not None else ""

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        if self.context.formulas.get(block.tex.strip(), True).error:
            return self._targets(block) + self.context.formula(block.tex, display=True) + "\n\n"
        return self._targets(block) + display(block.tex, self._number(block) if block.label else "")

    def figure(self, block: Figure) -> str:
        included = self.context.included(block.target, block.width, r"\figurewidth")
        if not included:
            return ""
        caption = self._caption("figure", block)
        return f"\\begin{{bookfigure}}\n{self._targets(block)}{included}\n{caption}\\end{{bookfigure}}\n\n"

    def table(self, block: Table) -> str:
        body = self.prose.blocks(block.text).strip()
        caption = self._caption("table", block)
        room = "\\needspace{10\\baselineskip}\n" if caption else ""  # a caption does not end a page
        return f"{room}{self._targets(block)}{caption}{body}\n\n"

    def _caption(self, kind: str, block: Figure | Table) -> str:
        number = self._number(block)
        if not block.caption and not number:
            return ""
        named = escape(self.book.words(NUMBERED[kind], number=number)) if number else ""
        return f"\\bookcaption{{{named}}}{{{self.prose.inline(block.caption)}}}\n"

    def solution(self, block: Solution) -> str:
        """Goes to the end of the book; where it stood is a link, and there one back."""
        self._solutions += 1
        name, page = self.context.name, self.context.page
        number = self._exercise or str(self._solutions)
        here, there = f"{name}:exercise-{self._solutions}", f"{name}:solution-{self._solutions}"
        if self._solutions == 1:
            title = self.prose.inline(page.document.title)
            self.text.solutions.append(f"\\solutionsof{{{page.number}}}{{{title}}}{{{name}}}\n")
        kept = self._all_is_source, self._lang
        self._all_is_source, self._lang = False, ""  # at the end of the book the note below the title is far away
        body = "".join(self._marked(inner) for inner in block.blocks)
        self._all_is_source, self._lang = kept
        self.text.solutions.append(f"\\solution{{{number}}}{{{there}}}{{{here}}}\n{body}\n")
        return f"\\tosolution{{{here}}}{{{there}}}\n\n"

    # ---- numbers and anchors -----------------------------------------------------------------------------------------

    def _number(self, block: Block) -> str:
        return self.book.numbers.get((self.context.name, block.span.start), "")

    def _targets(self, block: Figure | Table | Equation) -> str:
        return targets([self._anchor(label) for label in labels_of(block)])

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return f"{self.context.name}:{target.anchor if target is not None else label.name}"


METHODS: dict[type[Block], Callable[..., str]] = {
    Heading: PageWriter.heading,
    Prose: PageWriter.markdown,
    Listing: PageWriter.listing,
    Figure: PageWriter.figure,
    Table: PageWriter.table,
    Equation: PageWriter.equation,
    Cell: PageWriter.cell,
    ApiListing: PageWriter.libraries,
    StoredOutput: PageWriter.nothing,  # `check` refuses it
    Toc: PageWriter.nothing,  # the book has one of its own
    RawRst: PageWriter.raw_rst,
    Bibliography: PageWriter.nothing,  # stands at the end
    Solution: PageWriter.solution,
}
