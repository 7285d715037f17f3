"""The blocks of a page as pieces of slides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from d2lbook.export.slides.code import LINES, pieces, short_docstrings, without_comments
from d2lbook.export.slides.layout import (
    FLEXIBLE,
    TALL,
    Piece,
    code_height,
    paragraph_height,
    printed_height,
    text_of,
)
from d2lbook.html.context import ViewContext
from d2lbook.html.markup import code_block
from d2lbook.html.page import ViewWriter
from d2lbook.html.pictures import Media
from d2lbook.model import Cell, Equation, Figure, Listing, Table, ViewCell
from d2lbook.parse.footnotes import notes_of, references
from d2lbook.parse.listing_language import language_of_fence
from d2lbook.rendering.code import language_of, with_named_references
from d2lbook.rendering.results import Results
from d2lbook.rendering.width import width

_ROW = 42.0
_VIEW_BOX = re.compile(rb"""viewBox=["']\s*[\d.-]+[\s,]+[\d.-]+[\s,]+([\d.]+)[\s,]+([\d.]+)""")
_SIZE, _SMALLEST = 21.5, 17.0  # pixels: of code, and the least that can be read from the last row
_WIDE = 85  # characters of code in a line of the usual size
_WIDEST = 107  # in one of the smallest
_MADE = 24  # pixels of the line below outputs
_PRINTED = 0.85  # width of a character of output to one of code, where both are large


@dataclass(slots=True)
class DeckMedia(Media):
    """Pictures in the folder that the decks of a language share; `prefix` leads there from a deck."""

    prefix: str = ""

    def add(self, content: bytes, suffix: str) -> str:
        # Zero-argument super() does not work in a class that dataclass makes anew for its slots.
        return self.prefix + Media.add(self, content, suffix)


class SlideWriter(ViewWriter):
    """Writes what slides show."""

    def __init__(self, context: ViewContext, results: Results) -> None:
        super().__init__(context, results, slides=True)
        self.prose.linked_notes = False

    def text_pieces(self, html: str) -> Iterator[Piece]:
        if html:
            yield Piece(html, paragraph_height(html), is_text=True)

    def note_pieces(self, text: str) -> Iterator[Piece]:
        """The footnotes that a text on a slide refers to."""
        notes = notes_of(self.context.page.document)
        for name in dict.fromkeys(reference.name for reference in references(text)):
            if name in notes:
                html = self.prose.blocks(notes[name].block.text).strip()
                shown = f'<div class="footnote"><sup>{notes[name].number}</sup> {html}</div>\n'
                yield Piece(shown, paragraph_height(shown), is_text=True)

    def equation_piece(self, block: Equation) -> Piece:
        height = 84.0 + 52.0 * block.tex.count("\\\\")
        shown = self.display(block.tex, self.number(block) if block.label else "", "", "")
        return Piece(shown, height, group=-1 - block.span.start)

    def figure_pieces(self, block: Figure) -> Iterator[Piece]:
        self.context.line = block.span.line
        picture = self.picture(block)
        if picture:
            tall = self._is_tall(picture)
            yield Piece(f'<p class="picture">{picture}</p>\n', TALL if tall else FLEXIBLE, is_tall=tall)

    def _is_tall(self, picture: str) -> bool:
        files = self.context.media.files
        box = next((_VIEW_BOX.search(content) for path, content in files.items() if path in picture), None)
        return box is not None and float(box[1]) < 1.25 * float(box[2])

    def table_piece(self, block: Table) -> Piece:
        return Piece(self.prose.blocks(block.text), 20 + _ROW * (block.text.count("\n")))

    def listing_pieces(self, block: Listing) -> Iterator[Piece]:
        yield from _code(block.text.strip("\n"), language_of_fence(block.info), 0)

    def cell_pieces(self, block: Cell) -> Iterator[Piece]:
        cell = self.view.cell(block)
        if cell is None:
            return
        self.context.line = block.span.line
        group = cell.number + 1
        if not cell.hide_code:
            code = short_docstrings(without_comments(cell.code))
            yield from _code(with_named_references(code, self.book), language_of(cell.code), group)
        yield from self._output_pieces(cell, group)

    def _output_pieces(self, cell: ViewCell, group: int) -> Iterator[Piece]:
        for result in self.cells.shown(cell):
            outputs = self._shortened(result.outputs)
            shown = [(html, output) for output in outputs if (html := self.cells.output(output, cell))]
            for number, (html, output) in enumerate(shown, 1):
                yield self._output_piece(html, output, group, self.cells.made(result) if number == len(shown) else "")

    def _output_piece(self, html: str, output: dict[str, object], group: int, made: str) -> Piece:
        is_picture = 'class="plot"' in html
        height = FLEXIBLE if is_picture else printed_height(_lines(output, html))
        kind = "output picture" if is_picture else "output"
        wide = 0 if is_picture else round(_PRINTED * max(map(len, text_of(html).split("\n"))))
        body = f'<div class="{kind}">\n{html}{made}</div>\n'
        return Piece(body, height + (_MADE if made else 0), group, wide)

    def _shortened(self, outputs: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
        """Streams in one piece, and not more of a text than a slide can show."""
        for output in _joined(outputs):
            if output["output_type"] == "stream":
                lines = str(output["text"]).strip("\n").split("\n")
                more = len(lines) - LINES
                if more > 1:
                    lines = [*lines[:LINES], self.book.words("… {count} more lines on the page", count=more)]
                yield {**output, "text": "\n".join(lines)}
            else:
                yield output


def _joined(outputs: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for output in outputs:
        is_text = output["output_type"] == "stream"
        if found and is_text and found[-1]["output_type"] == "stream":
            found[-1] = {**found[-1], "text": f"{found[-1]['text']}{output['text']}"}
        else:
            found.append(dict(output))
    return found


def _lines(output: dict[str, object], html: str) -> int:
    """Lines that a text output takes, long ones broken."""
    if "<table" in html:
        return 2 * html.count("<tr")
    text = str(output["text"]) if output["output_type"] == "stream" else html
    return sum(1 + width(line) // 92 for line in text.strip("\n").split("\n"))


def _code(code: str, language: str, group: int) -> Iterator[Piece]:
    for part in pieces(code) if code.strip() else ():
        longest = max(map(width, part.split("\n")))
        html = code_block(part, language)
        if longest > _WIDE:  # smaller, so that so many characters stand in a line, but none too small to read
            size = max(_SMALLEST, _SIZE * _WIDE / longest)
            html = html.replace('class="code"', f'class="code" style="font-size:{size:.1f}px"', 1)
        broken = sum(width(line) // _WIDEST for line in part.split("\n"))
        lines = part.count("\n") + 1 + broken
        yield Piece(html, code_height(lines), group, longest, part.count("\n") + 1)
