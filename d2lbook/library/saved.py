"""Finds the statements that a page's cells mark with `#@save`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from d2lbook.diagnostics import Message, Messages
from d2lbook.library.lines import DEFINITIONS, first_line, indent_of, last_line, text_of
from d2lbook.library.syntax import report_syntax
from d2lbook.model import Book, Heading, Line, Page, View, ViewCell
from d2lbook.pycode import Comment, PythonCell, character_column, comments, parse_cell

_MARK = re.compile(r"#\s*@save\b")
_NAMED = re.compile(r"\s*(?:class|def|async def)\s+(\w+)|(\w+)\s*=[^=]")


@dataclass(frozen=True, slots=True)
class Saved:
    """One marked statement, without the mark."""

    node: ast.stmt  # its positions count from the first of `lines`
    lines: tuple[Line, ...]
    origin: str  # "Section 1.3 (GPUs), chapter_computation/use-gpu.md"


@dataclass(frozen=True, slots=True)
class PageSaves:
    statements: tuple[Saved, ...]
    unread: tuple[str, ...]  # names that cells with syntax errors seem to save


def has_marks(code: str) -> bool:
    return _MARK.search(code) is not None


def saved_in(view: View, book: Book, page: Page, messages: Messages) -> PageSaves:
    """What a page saves for one framework."""
    statements: list[Saved] = []
    unread: list[str] = []
    for cell in view.cells:
        if not has_marks(cell.code):
            continue
        try:
            parse_cell(cell.code)
        except SyntaxError as error:
            report_syntax(error, cell.lines, messages)
            unread += _names_by_sight(cell.code)
            continue
        found = cell_saves(cell.lines, _origin(cell, book, page))
        statements += found.statements
        messages.extend(found.messages)
    return PageSaves(tuple(statements), tuple(unread))


@dataclass(frozen=True, slots=True)
class _Found:
    statements: tuple[Saved, ...]
    messages: tuple[Message, ...]


@lru_cache(maxsize=20_000)
def cell_saves(lines: tuple[Line, ...], origin: str) -> _Found:
    """What a cell saves; the same for all frameworks that share its code."""
    messages = Messages()
    statements = _CellSaves(parse_cell(text_of(lines)), list(lines), origin, messages).find()
    return _Found(tuple(statements), tuple(messages))


def _names_by_sight(code: str) -> list[str]:
    matches = (_NAMED.match(line) for line in code.split("\n"))
    return [match[1] or match[2] for match in matches if match]


def _origin(cell: ViewCell, book: Book, page: Page) -> str:
    """The nearest labelled heading above a cell, else the page."""
    number, title = page.number, page.document.title
    for block in page.document.walk():
        if block.span.start >= cell.cell.span.start:
            break
        if not isinstance(block, Heading):
            continue
        target = next((book.targets[label.name] for label in block.labels if label.name in book.targets), None)
        if target is not None and target.page == page.document.name:
            number, title = target.number, target.title
    section = f"Section {number} ({title})" if number else title
    return f"{section}, {page.document.path}" if section else page.document.path


@dataclass(slots=True)
class _CellSaves:
    python: PythonCell
    lines: list[Line]
    origin: str
    messages: Messages

    def find(self) -> list[Saved]:
        marked: dict[int, ast.stmt] = {}
        for number, comment in sorted(comments(self.python.source).items()):
            found = _MARK.search(comment.text)
            if found is None:
                continue
            column = comment.column + found.start()
            statements = list(self._statements_at(number, column))
            marked.update((self.python.tree.body.index(node), node) for node in statements)
        saved = (self._saved(node) for _, node in sorted(marked.items()))
        return [one for one in saved if one is not None]

    def _statements_at(self, number: int, column: int) -> Iterator[ast.stmt]:
        around = [node for node in self.python.tree.body if first_line(node) <= number <= last_line(node)]
        for node in around:
            if number > _last_header_line(node):
                what = "'#@save' stands inside a definition or block, not on a statement of the cell's outermost level"
                self._report(number, column, f"{what}; put it on the line of the whole definition", "save-misplaced")
            else:
                yield node
        if not around:
            yield from self._run_below(number, column)

    def _run_below(self, number: int, column: int) -> Iterator[ast.stmt]:
        """A mark on a line of its own: the next statement, and those right below it while each fits on its line."""
        end = 0
        for node in self.python.tree.body:
            if first_line(node) <= number:
                continue
            if end and (isinstance(node, ast.Expr) or self._blank_between(end, first_line(node))):
                return
            yield node
            end = last_line(node)
            if end > node.lineno or isinstance(node, DEFINITIONS):
                return
        if not end:
            self._report(number, column, "'#@save' has no statement below it to save; remove it", "save-nothing")

    def _blank_between(self, above: int, below: int) -> bool:
        return any(not line.text.strip() for line in self.lines[above : below - 1])

    def _report(self, number: int, column: int, text: str, code: str) -> None:
        place = self.lines[number - 1].place(column)
        self.messages.error(*place, text, code)

    def _saved(self, node: ast.stmt) -> Saved | None:
        first, last = first_line(node), self._with_last_comments(node)
        if not self._is_plain_python(first, last):
            return None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            place = self.lines[first - 1].place(node.col_offset)
            what = (
                "'#@save' on a call has it run whenever the library is imported; save a definition, or remove the mark"
            )
            self.messages.warning(*place, what, "save-call")
        lines = self._alone_on_its_lines(node, self.lines[first - 1 : last])
        notes = comments(self.python.source)
        kept = [_without_mark(line, notes.get(number)) for number, line in enumerate(lines, first)]
        lines = [line for line in kept if line is not None]
        return Saved(parse_cell(text_of(lines)).tree.body[0], tuple(lines), self.origin)

    def _is_plain_python(self, first: int, last: int) -> bool:
        python = self.python.lines
        for number in range(first, last + 1):
            line = self.lines[number - 1].text
            if line != python[number - 1]:
                what = "an IPython magic cannot be saved to the library; take it out of the saved definition"
                self._report(number, len(indent_of(line)), what, "save-magic")
                return False
        return True

    def _with_last_comments(self, node: ast.stmt) -> int:
        """The last line of a statement and of the indented comments that end its body."""
        last = last_line(node)
        if not isinstance(node, DEFINITIONS):
            return last
        notes = comments(self.python.source)
        for number in range(last + 1, len(self.lines) + 1):
            text = self.lines[number - 1].text
            if text.strip() and not (indent_of(text) and number in notes):
                break
            if text.strip():
                last = number
        return last

    def _alone_on_its_lines(self, node: ast.stmt, lines: list[Line]) -> list[Line]:
        """Cuts off what else stands on the statement's lines, as in `a = 1; b = 2`. Keeps the number of lines."""
        neighbours = [other for other in self.python.tree.body if other is not node]
        if any(other.lineno == last_line(node) for other in neighbours):
            line = lines[-1]
            end = character_column(line.text, node.end_col_offset or 0)
            lines[-1] = replace(line, text=line.text[:end])
        if any(last_line(other) == node.lineno for other in neighbours):
            line = lines[0]
            start = character_column(line.text, node.col_offset)
            lines[0] = replace(line, text=line.text[start:], shift=line.shift + start)
        return lines


def _last_header_line(node: ast.stmt) -> int:
    """The last line before a compound statement's body, which may be on the line of its header."""
    body: Sequence[ast.stmt] = getattr(node, "body", [])
    if not body:
        return last_line(node)
    return max(node.lineno, first_line(body[0]) - 1)


def _without_mark(line: Line, comment: Comment | None) -> Line | None:
    """None for a line that held the mark alone."""
    found = _MARK.search(comment.text) if comment else None
    if comment is None or found is None or not line.text.endswith(comment.text):
        return line
    text = line.text[: len(line.text) - len(comment.text) + found.start()].rstrip()
    return replace(line, text=text) if text else None
