"""Code on slides: without comments, at most `LINES` lines in one piece."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

from d2lbook.pycode import Comment, PythonCell, comments, docstring_node, lines_inside_strings, parse_cell

LINES = 15  # of code on a slide
_SCRIPT = re.compile(r"%%writefile\b[^\n]*\.py\s*\n")
_GONE = "\0"  # a line to leave out


def _parse(code: str) -> PythonCell:
    """As `parse_cell`, and a script that a cell writes is Python as well. Raises SyntaxError."""
    if _SCRIPT.match(code):
        code = "pass" + code[code.index("\n") :]
    return parse_cell(code)


def without_comments(code: str) -> str:
    """The code without its comments, `#@save` among them: on a slide the teacher says what they say."""
    try:
        source = _parse(code).source
        found: Mapping[int, Comment] = comments(source) if source.strip() else {}
    except SyntaxError:  # a cell of another language
        return code
    kept = []
    for number, line in enumerate(code.split("\n"), 1):
        comment = found.get(number)
        if comment is None:
            kept.append(line)
        elif before := line[: comment.column].rstrip():
            kept.append(before)
    return "\n".join(kept).strip("\n")


def short_docstrings(code: str) -> str:
    """The code with the first line only of each docstring that has several."""
    try:
        cell = _parse(code)
    except SyntaxError:
        return code
    lines = code.split("\n")
    for node in ast.walk(cell.tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        doc = docstring_node(node)
        if doc is None or doc.end_lineno is None or doc.end_lineno == doc.lineno:
            continue
        first = lines[doc.lineno - 1]
        quotes = next((mark for mark in ('"""', "'''") if mark in first), "")
        rest = lines[doc.end_lineno - 1].strip()
        if quotes and rest.endswith(quotes) and first.split(quotes, 1)[1].strip():
            lines[doc.lineno - 1] = first.rstrip() + quotes
            lines[doc.lineno : doc.end_lineno] = [_GONE] * (doc.end_lineno - doc.lineno)
    return "\n".join(line for line in lines if line != _GONE)


def pieces(code: str, most: int = LINES) -> list[str]:
    """The code in parts of about the same length and at most `most` lines, cut where the nesting is least deep.

    Code that is too long by its blank lines only comes without them.
    """
    lines = code.split("\n")
    starts = _statements(code)
    if len(lines) > most and len(filled := _without_blank_lines(lines)) <= most:
        return ["\n".join(filled)]
    parts = []
    begin = 0
    while len(lines) - begin > most:
        left = len(lines) - begin
        even = left / -(-left // most)
        cut = min(
            range(begin + 1, begin + most + 1), key=lambda place: _cost(lines, starts, place, place - begin - even)
        )
        parts.append(_joined(lines[begin:cut]))
        begin = cut
    parts.append(_joined(lines[begin:]))
    return [part for part in parts if part]


def _without_blank_lines(lines: list[str]) -> list[str]:
    """Of Python: those inside strings stay."""
    try:
        inside = lines_inside_strings(_parse("\n".join(lines)).source)
    except SyntaxError:
        return lines
    return [line for number, line in enumerate(lines, 1) if line.strip() or number in inside]


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n")


def _cost(lines: list[str], starts: set[int] | None, place: int, off: float) -> float:
    """How bad it is to cut before the 0-based line `place`, which is `off` lines from the ideal."""
    line = lines[place]
    if starts is not None and place + 1 not in starts and line.strip():
        return 1000 + abs(off)
    depth = len(line) - len(line.lstrip()) if line.strip() else 0
    blank_before = not lines[place - 1].strip()
    # Short parts mean one part more, which costs as much as eight columns of nesting.
    return depth + abs(off) - (2 if blank_before else 0) + (8 if off < -4 else 0)


def _statements(code: str) -> set[int] | None:
    """1-based lines at which statements start; None for code that is no Python."""
    try:
        tree = _parse(code).tree
    except SyntaxError:
        return None
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            found.add(min([node.lineno, *(decorator.lineno for decorator in decorators)]))
    return found
