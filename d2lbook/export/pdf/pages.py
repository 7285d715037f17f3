"""The pages of a book as one framework sees them, written as LaTeX."""

from __future__ import annotations

import re

from d2lbook.book.cross_references import plain_text
from d2lbook.diagnostics import to_install
from d2lbook.export.pdf import reference
from d2lbook.export.pdf.backmatter import BookText
from d2lbook.export.pdf.cells import Cells
from d2lbook.export.pdf.context import LatexContext, targets
from d2lbook.export.pdf.escape import escape, escape_breakable
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.prose import LatexProse, code_block, display
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
    Prose,
    RawRst,
    Solution,
    Table,
    labels_of,
)
from d2lbook.parse.footnotes import notes_of
from d2lbook.parse.listing_language import language_of_fence
from d2lbook.rendering.block_writer import BlockWriter
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.results import NO_RESULTS, Results
from d2lbook.rendering.untranslated import has_words, is_untranslated

_COMMANDS = ("chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_LIST_ITEM = re.compile(r"\s*(\d+)[.)]\s")


def book_text(context: BookContext, tab: str, images: Images) -> BookText:
    """All pages of a framework, in order."""
    text, runs = BookText(), context.results(context.book.pages, (tab,))
    for page in context.book.pages:
        of_page = LatexContext(context, page, tab=tab, images=images, text=text)
        PageWriter(of_page, runs.get((page.document.name, tab), NO_RESULTS)).write()
    return text


class PageWriter(BlockWriter):
    """Writes one page into the parts of its book."""

    context: LatexContext
    unknown = ("the PDF has no form for a {kind}; it is left out", "pdf-unhandled")

    def __init__(self, context: LatexContext, results: Results) -> None:
        super().__init__(context)
        self.view, self.text = context.around.view(context.page, context.tab), context.text
        self.prose = LatexProse(context)
        self.cells = Cells(context, self.prose, results)
        self._solutions = 0
        self._exercise = ""  # number of the last exercise
        self._all_is_source = False  # nothing of the page is translated
        self._lang = ""  # of the last words, where it is not the book's

    def write(self) -> None:
        if self.context.page.depth <= 1:  # a chapter
            self.text.notes = 0
        self.prose.first_note = self.text.notes
        self.text.notes += len(notes_of(self.context.page.document))
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
        written = self._in_its_language(block, self.block(block))
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

    def block(self, block: Block) -> str:
        return super().block(block) + self.prose.waiting_notes()

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def markdown(self, block: Prose) -> str:
        numbers = _LIST_ITEM.findall("\n" + block.text) if _LIST_ITEM.match(block.text) else []
        if numbers:
            self._exercise = numbers[0]
        return self.prose.blocks(block.text)

    def heading(self, block: Heading) -> str:
        level = min(max(self.context.page.depth - 1, 0) + block.level - 1, len(_COMMANDS) - 1)
        plain = escape(plain_text(block.title, self.book))
        anchors = [self._anchor(label) for label in block.labels]
        if block.level == 1:
            anchors.insert(0, self.context.name)
        shown = self.prose.inline(block.title)
        line = "\\let\\chapterline\\appendixline\n" if level == 0 and self.context.page.kind == "appendix" else ""
        heading = f"\\bookheading{{{_COMMANDS[level]}}}{{{self.number(block)}}}{{{shown}}}{{{plain}}}\n"
        authors = escape(self.context.page.document.authors) if block.level == 1 else ""
        byline = f"\\byline{{{authors}}}\n" if authors else ""
        return f"{line}{heading}{targets(anchors)}{byline}"

    def listing(self, block: Listing) -> str:
        return code_block(block.text.rstrip("\n"), language_of_fence(block.info))

    def raw_rst(self, block: RawRst) -> str:
        try:
            from d2lbook.export.pdf.rst import BadRst, rst_to_latex
        except ModuleNotFoundError:  # books without such fences are built without docutils
            self.context.error(f"this fence needs docutils; run: {to_install('docutils')}", "rst-docutils")
            return ""
        try:
            return rst_to_latex(block.text)
        except BadRst as error:
            self.context.warn(f"the PDF leaves this reStructuredText out: {error}", "pdf-rst")
            return ""

    def libraries(self, block: ApiListing) -> str:
        api, tab = self.context.around.api, self.context.tab
        if block.part == "aliases":
            return reference.aliases(api, tab, self.book.words)
        return reference.definitions(api, self.book, tab, self.prose.blocks)

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        return self.cells.cell(cell) if cell is not None else ""

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        if self.context.around.formulas.get(block.tex.strip(), True).error:
            return self._targets(block) + self.context.formula(block.tex, display=True) + "\n\n"
        return self._targets(block) + display(block.tex, self.number(block) if block.label else "")

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
        number = self.number(block)
        if not block.caption and not number:
            return ""
        named = escape(self.book.words(NUMBERED[kind], number=number)) if number else ""
        return f"\\bookcaption{{{named}}}{{{self.prose.inline(block.caption)}}}\n"

    def fault(self, block: Fault) -> str:
        return f"\\fault{{{escape(block.code)}}}{{{escape_breakable(block.place)}}}{{{escape(block.text)}}}\n\n"

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

    def _targets(self, block: Figure | Table | Equation) -> str:
        return targets([self._anchor(label) for label in labels_of(block)])

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return f"{self.context.name}:{target.anchor if target is not None else label.name}"
