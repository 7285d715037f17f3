"""Statements as lines, which remember where in the pages they come from."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from d2lbook.model import Line
from d2lbook.pycode import docstring_node, lines_inside_strings, parse_cell

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
    for node in parse_cell(source).nodes:
        docstring = docstring_node(node) if isinstance(node, DEFINITIONS) else None
        if docstring is not None:
            fixed -= set(range(docstring.lineno + 1, (docstring.end_lineno or docstring.lineno) + 1))
    return [
        line
        if number in fixed or not line.text.strip()
        else replace(line, text=margin + line.text, shift=line.shift - len(margin))
        for number, line in enumerate(lines, 1)
    ]
