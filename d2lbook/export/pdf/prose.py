"""Markdown of a block as LaTeX."""

from __future__ import annotations

import re
from typing import ClassVar, Protocol

from markdown_it.tree import SyntaxTreeNode

from d2lbook.export.pdf.code import code_lines
from d2lbook.export.pdf.escape import escape, escape_breakable, escape_url
from d2lbook.parse.footnotes import Note
from d2lbook.rendering import renderer
from d2lbook.rendering.paths import file_of
from d2lbook.rendering.width import width

_TAG = re.compile(r"<\s*(/?)\s*([A-Za-z][\w-]*)")
_TAGS = {
    "br": r"\\ ",
    "b": r"\textbf{",
    "strong": r"\textbf{",
    "i": r"\emph{",
    "em": r"\emph{",
    "kbd": r"\texttt{",
    "sub": r"\textsubscript{",
    "sup": r"\textsuperscript{",
    "code": r"\texttt{",
}
_ALIGNED = {"center": "c", "right": "r", "left": "l"}
_OWN_DISPLAY = re.compile(r"\\begin\{(align|gather|multline|equation)\*?\}")
_REFERENCE = 12  # characters of "Section 1.10", which is not broken
_MOST_FIXED = 0.8  # of a table's width: what columns of references may keep to themselves
NARROW = 72  # characters of a table's row that fit without breaking its cells


class Context(renderer.Context, Protocol):
    """What prose needs to know of its page and book."""

    def image(self, target: str) -> str: ...

    def formula(self, tex: str, display: bool) -> str: ...


def display(tex: str, number: str = "") -> str:
    """A formula that stands alone; what KaTeX takes, amsmath takes."""
    tag = rf"\tag*{{({number})}}" if number else ""
    tex = tex.strip()
    if _OWN_DISPLAY.match(tex):
        return f"{tex}\n"
    return f"\\[{tex}{tag}\\]\n"


def code_block(code: str, language: str) -> str:
    return f"\\begin{{code}}\n{code_lines(code, language)}\n\\end{{code}}\n"


class LatexProse(renderer.Renderer[Context]):
    """Renders the Markdown of one page."""

    wrapped: ClassVar = {
        "paragraph": ("", "\n\n"),
        "em": (r"\emph{", "}"),
        "strong": (r"\textbf{", "}"),
        "s": (r"\sout{", "}"),
        "bullet_list": ("\\begin{itemize}\n", "\\end{itemize}\n\n"),
        "dl": ("\\begin{description}\n", "\\end{description}\n\n"),
        "dt": ("\\item[{", "}] "),
        "dd": ("", ""),
        "blockquote": ("\\begin{quote}\n", "\\end{quote}\n\n"),
    }
    unknown = ("the PDF has no form for Markdown's '{type}'; it is left out", "pdf-unhandled")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.first_note = 0  # how many notes stand before those of this page in its chapter
        self._noted: set[int] = set()
        self._waiting: list[Note] = []
        self._is_apart = False  # whether the text at work is a title, a caption or a table
        self._in_note = False  # whether it is a footnote's

    def code_block(self, code: str, language: str) -> str:
        return code_block(code, language)

    def code_span(self, code: str) -> str:
        return rf"\inlinecode{{{escape_breakable(code)}}}"

    def callout(self, kind: str, title: str, body: str) -> str:
        return f"\\begin{{callout}}{{{title}}}\n{body}\\end{{callout}}\n\n"

    def footnote(self, note: Note) -> str:
        """The note itself, which TeX sets at the foot of the page, or its number where it was or will be there."""
        number = self.first_note + note.number
        if note.number in self._noted:
            return rf"\footnotemark[{number}]"
        self._noted.add(note.number)
        if self._is_apart or self._in_note:
            self._waiting.append(note)
            return rf"\footnotemark[{number}]"
        return rf"\footnote[{number}]{{{self._body(note)}}}"

    def waiting_notes(self) -> str:
        """The notes of titles, captions, tables and other notes, behind the block that refers to them."""
        notes = ""
        while self._waiting:
            note = self._waiting.pop(0)
            notes += rf"\footnotetext[{self.first_note + note.number}]{{{self._body(note)}}}"
        return notes

    def _body(self, note: Note) -> str:
        self._in_note, before = True, self._in_note
        body = self.blocks(note.block.text).strip()
        self._in_note = before
        return body

    def inline(self, text: str) -> str:
        self._is_apart = True
        shown = super().inline(text)
        self._is_apart = False
        return shown

    def _list_item(self, token: SyntaxTreeNode) -> str:
        if "checked" not in token.meta:
            return rf"\item{{}} {self._children(token)}"
        return rf"\item[\{'taskdone' if token.meta['checked'] else 'tasktodo'}] {self._children(token)}"

    def _text(self, token: SyntaxTreeNode) -> str:
        return escape(token.content)

    def _hardbreak(self, token: SyntaxTreeNode) -> str:
        return "\\\\\n"

    def _hr(self, token: SyntaxTreeNode) -> str:
        return "\n\\bigskip\\hrule\\bigskip\n\n"

    def _html_inline(self, token: SyntaxTreeNode) -> str:
        tag = _TAG.match(token.content)
        if tag is None or tag[2].lower() not in _TAGS:
            return ""  # a comment, or markup that means something to a browser only
        return "}" if tag[1] else _TAGS[tag[2].lower()]

    _html_block = _html_inline

    def _math_inline(self, token: SyntaxTreeNode) -> str:
        return self.context.formula(token.content, display=False)

    def _math_inline_double(self, token: SyntaxTreeNode) -> str:
        return self.context.formula(token.content, display=True)

    _math_block = _math_inline_double

    def _image(self, token: SyntaxTreeNode) -> str:
        return self.context.image(file_of(str(token.attrs["src"])))

    def _ordered_list(self, token: SyntaxTreeNode) -> str:
        start = int(token.attrs.get("start", 1))
        begin = f"[start={start}]" if start != 1 else ""
        return f"\\begin{{enumerate}}{begin}\n{self._children(token)}\\end{{enumerate}}\n\n"

    def _table(self, token: SyntaxTreeNode) -> str:
        self._is_apart = True
        table = self._rows(token)
        self._is_apart = False
        return table

    def _rows(self, token: SyntaxTreeNode) -> str:
        rows = [row for part in token.children for row in part.children]
        words = [[_length(cell) for cell in row.children] for row in rows]
        columns = _columns(
            words,
            [str(cell.attrs.get("style", "")) for cell in rows[0].children],
            [any(map(_refers, column)) for column in zip(*(row.children for row in rows), strict=True)],
        )
        written = [" & ".join(self._children(cell) for cell in row.children) for row in rows]
        if not any(_length(cell) for cell in rows[0].children):
            head = ""
        else:
            head = " & ".join(rf"\textbf{{{self._children(cell)}}}" for cell in rows[0].children)
            head = rf"{head} \\ \midrule\endhead" + "\n"
        body = "".join(f"{row} \\\\\n" for row in written[1:])
        return f"\\begin{{booktable}}{{{columns}}}\n{head}{body}\\end{{booktable}}\n\n"


def _length(cell: SyntaxTreeNode) -> int:
    """Characters that a cell shows, more or less."""
    if _is_reference(cell):
        return _REFERENCE * len(cell.content.split(","))  # what is written is a label, not what is shown
    if not cell.children:
        return width(cell.content)
    return sum(_length(child) for child in cell.children)


def _is_reference(token: SyntaxTreeNode) -> bool:
    return token.type == "d2l_role" and token.meta["kind"] not in {"class", "func", "mod"}


def _refers(token: SyntaxTreeNode) -> bool:
    return _is_reference(token) or any(map(_refers, token.children))


def _columns(words: list[list[int]], styles: list[str], references: list[bool]) -> str:
    widest = [max(column) for column in zip(*words, strict=True)]
    aligned = [_ALIGNED.get(style.removeprefix("text-align:"), "l") for style in styles]
    if sum(widest) + 2 * len(widest) <= NARROW:
        return "".join(aligned)
    # Columns share the width: each at least what its longest word may need, at most what its longest cell has.
    room = [min(max(width + 4, 9), 60) for width in widest]
    least = [(_REFERENCE + 2) / NARROW if refers else 0.0 for refers in references]
    fixed = [share if share > width / sum(room) else 0.0 for share, width in zip(least, room, strict=True)]
    if sum(fixed) > _MOST_FIXED:
        fixed = [0.0] * len(fixed)
    rest = sum(width for width, share in zip(room, fixed, strict=True) if not share)
    shares = [share or (1 - sum(fixed)) * width / rest for share, width in zip(fixed, room, strict=True)]
    return "".join(
        rf"{'R' if side == 'r' else 'L'}{{{0.97 * share:.3f}}}" for share, side in zip(shares, aligned, strict=True)
    )


def address(target: str, shown: str) -> str:
    """A link out of the book."""
    return rf"\href{{{escape_url(target)}}}{{{shown}}}"
