"""Which part of a page goes on which slide: read from its slide marks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from d2lbook.export.slides.layout import Note, Piece, Slide
from d2lbook.export.slides.writer import SlideWriter
from d2lbook.html.markup import attribute
from d2lbook.languages import language_of
from d2lbook.model import Block, Cell, Equation, Fault, Figure, Heading, Listing, Mark, Prose, Table
from d2lbook.parse.inline import inline_tokens, pair_marks

_PARAGRAPH = re.compile(r"<p>(?P<inner>(?:(?!</?p>).)*)</p>\s*\Z", re.DOTALL)
NO_SLIDE = ".no-slide"  # among the attributes of a cell
OPENERS = ("[**", "[~~")
_END = ".,:;，。：；、 \n"


@dataclass(slots=True)
class Script:
    """Walks over a page and fills slides.

    `[**x**]` and `[~~x~~]` open a slide headed by x, `(**x**)` and `(~~x~~)` put x on the open one. Cells and figures
    go on the slide that is open; so does a list, formula, table or listing that a mark or a colon just
    before it announces.
    A heading without a mark closes the slide: what stands below it and no mark is on no slide. Other prose
    becomes the notes of the slide beside it.
    """

    writer: SlideWriter
    slides: list[Slide] = field(default_factory=list)
    has_marks: bool = False
    _slide: Slide | None = None  # the open one
    _section: str = ""
    _lang: str = ""  # of the block at hand, where it is not the book's
    _announced: bool = False  # the block before this one leads to it
    _pending: list[Note] = field(default_factory=list)  # prose before the first mark of its section

    def read(self, title: str, blocks: tuple[Block, ...]) -> list[Slide]:
        """The slides of a page; none without a mark."""
        heading = next((block for block in blocks if isinstance(block, Heading)), None)
        self._slide = Slide(title, is_title=True, lang=heading.lang if heading is not None else "")
        self.slides.append(self._slide)
        for block in blocks:
            self._block(block)
        return self.slides if self.has_marks else []

    def _block(self, block: Block) -> None:
        announced, self._announced = self._announced, False
        self._lang = self.writer.context.lang = block.lang
        if isinstance(block, Heading):
            self._heading(block)
        elif isinstance(block, Prose | Table | Equation) and block.marks:
            self._marked(block)
        elif isinstance(block, Fault):
            self._fault(block)
        elif isinstance(block, Cell | Figure):
            self._follow(block)
        elif announced and isinstance(block, Prose) and (items := self.writer.prose.items(block.text)):
            for item in items:
                self._add(self.writer.text_pieces(item))
        elif announced and isinstance(block, Equation | Table | Listing):
            self._follow(block)
        elif isinstance(block, Prose | Equation | Table | Listing):
            self._note(self.writer.block(block))
            self._announced = isinstance(block, Prose) and announced and block.text.rstrip().endswith(":")

    # ---- marks -------------------------------------------------------------------------------------------------------

    def _heading(self, block: Heading) -> None:
        marks = _marks_of(block.title)
        if block.level == 1 and not marks:
            return
        if block.level > 1:
            self._section = self.writer.prose.inline(block.title)
        if not marks:
            self._slide, self._pending = None, []
        for new, text in marks:
            self._show(new, text)
        self._announced = bool(marks)

    def _marked(self, block: Prose | Table | Equation) -> None:
        if isinstance(block, Equation):
            if any(map(self._opens, block.marks)) or self._slide is None:
                self._open("")
            self._add([self.writer.equation_piece(block)])
            self.has_marks = True
            return
        noted = False
        for mark in sorted(block.marks, key=lambda mark: mark.span.start):
            self._show(self._opens(mark), mark.text)
            if not noted:
                self._note(self.writer.block(block))
                noted = True
        self._announced = _leads_on(block)

    def _opens(self, mark: Mark) -> bool:
        """Whether a mark opens a slide; a later block's part of a mark over several goes on with the first one's."""
        text = self.writer.context.page.document.text
        return mark.new_slide and text.startswith(OPENERS, mark.span.start)

    def _show(self, new_slide: bool, text: str) -> None:
        """A mark's text: the headline of a new slide, or a paragraph of the open one."""
        self.has_marks = True
        html = self.writer.prose.blocks(tidy(text, self._lang or self.writer.context.config.lang)).strip()
        single = _PARAGRAPH.match(html)
        if new_slide:
            self._open(single["inner"] if single else "")
            self._add(self.writer.text_pieces("" if single else html))
        else:
            if self._slide is None:
                self._open(self._section)
            self._add(self.writer.text_pieces(html))
        self._add(self.writer.note_pieces(text))

    def _open(self, headline: str) -> None:
        section = self._section if self._section != headline else ""
        headline = headline or self._section or self.slides[0].headline
        self._slide = Slide(headline, section if section != headline else "", self._lang)
        self.slides.append(self._slide)
        self._slide.pieces += self._pending
        self._pending = []

    def _fault(self, block: Fault) -> None:
        """A fault stands on the slide that is open; beside none it is not the slides'."""
        if self._slide is not None and self.has_marks:
            self._add(self.writer.text_pieces(self.writer.block(block)))

    # ---- what follows marks ------------------------------------------------------------------------------------------

    def _follow(self, block: Cell | Figure | Equation | Table | Listing) -> None:
        slide = self._slide
        open_ = slide is not None and (not slide.is_title or any(isinstance(piece, Piece) for piece in slide.pieces))
        if not open_ or (isinstance(block, Cell) and NO_SLIDE in block.attributes.split()):
            return
        writer = self.writer
        if isinstance(block, Cell):
            self._add(writer.cell_pieces(block))
        elif isinstance(block, Figure):
            self._add(writer.figure_pieces(block))
            self._note(f"<p>{writer.prose.inline(block.caption)}</p>\n" if block.caption else "")
        elif isinstance(block, Equation):
            self._add([writer.equation_piece(block)])
        elif isinstance(block, Table):
            self._add([writer.table_piece(block)])
        else:
            self._add(writer.listing_pieces(block))

    def _add(self, found: Iterable[Piece]) -> None:
        for piece in found:
            self.slides[-1].pieces.append(replace(piece, html=self._spoken(piece.html)) if piece.is_text else piece)

    def _spoken(self, html: str) -> str:
        """Text that says in which language it is, where that is not its slide's."""
        if self._lang == self.slides[-1].lang:
            return html
        return f'<div lang="{attribute(self._lang or self.writer.context.config.lang)}">\n{html}</div>\n'

    def _note(self, html: str) -> None:
        if not html.strip():
            return
        html = self._spoken(html)
        if self._slide is None:
            self._pending.append(Note(html))
        else:
            self._slide.pieces.append(Note(html))


def tidy(text: str, lang: str) -> str:
    """A mark's text as it stands alone: with a capital, without the stop or colon that joined it to its paragraph."""
    text = " ".join(text.split()) if "\n\n" not in text and not text.lstrip().startswith(("* ", "- ")) else text.strip()
    return language_of(lang).capitalised(text.rstrip(_END))


def _marks_of(title: str) -> list[tuple[bool, str]]:
    """The marks in a heading: whether each opens a slide, and its text."""
    marks, _ = pair_marks(title, [piece for piece in inline_tokens(title) if piece.kind == "mark"])
    return [(mark.opener[0] == "[", title[slice(*mark.inner)]) for mark in marks]


def _leads_on(block: Prose | Table) -> bool:
    """Whether a marked block leads to the one after it: it ends with its mark, or with a colon."""
    if isinstance(block, Table):
        return False
    last: Mark = max(block.marks, key=lambda mark: mark.span.end)
    rest = block.text.rstrip()
    return rest.endswith(":") or block.span.end - last.span.end <= len(rest) - len(rest.rstrip(_END)) + 1
