"""Lines of library code that remember where in the pages they come from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from d2lbook.model import ViewCell
from d2lbook.pycode import character_column, docstring_node, lines_inside_strings, parse_cell

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, for a message."""

    path: str
    line: int  # 1-based
    column: int  # 1-based


@dataclass(frozen=True, slots=True)
class Line:
    """A code line, and the position of its first character on the page, before it was dedented."""

    text: str
    path: str
    number: int  # 1-based line of the page or file
    shift: int = 0  # what to add to a column here to get the column there
    made: bool = False  # from an entry of another form, whose place it has as a whole

    def place(self, column: int) -> Place:
        """The place of a 0-based column of this line."""
        return Place(self.path, self.number, max(self.shift if self.made else column + self.shift, 0) + 1)

    def place_of_byte(self, offset: int) -> Place:
        return self.place(character_column(self.text, offset))


def cell_lines(cell: ViewCell, path: str, page_lines: Sequence[str]) -> list[Line]:
    """The code of a cell; a line that the view moved to the side is found again in the page."""
    result = []
    for text, number in zip(cell.code.split("\n"), cell.line_map, strict=False):
        bare = text.lstrip()
        there = page_lines[number - 1].find(bare) if bare and number <= len(page_lines) else -1
        shift = there - (len(text) - len(bare)) if there >= 0 else 0
        result.append(Line(text, path, number, shift))
    return result


def text_of(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


def first_line(node: ast.stmt) -> int:
    """1-based line on which a statement begins, decorators included."""
    if isinstance(node, DEFINITIONS) and node.decorator_list:
        return min(node.lineno, *(decorator.lineno for decorator in node.decorator_list))
    return node.lineno


def last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def indent_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def indent(lines: Sequence[Line], margin: str) -> list[Line]:
    """Lines moved right by `margin`, but for those inside strings, which that would change (docstrings aside)."""
    source = text_of(lines)
    fixed = lines_inside_strings(source)
    for node in ast.walk(parse_cell(source).tree):
        docstring = docstring_node(node) if isinstance(node, DEFINITIONS) else None
        if docstring is not None:
            fixed -= set(range(docstring.lineno + 1, (docstring.end_lineno or docstring.lineno) + 1))
    return [
        line
        if number in fixed or not line.text.strip()
        else replace(line, text=margin + line.text, shift=line.shift - len(margin))
        for number, line in enumerate(lines, 1)
    ]
