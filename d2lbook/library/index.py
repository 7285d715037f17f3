"""The names that a cell saves, as an index lists them."""

from __future__ import annotations

import ast

from d2lbook.library.item import class_extended
from d2lbook.library.saved import cell_saves, has_marks
from d2lbook.model import ViewCell
from d2lbook.pycode import parse_cell


def saved_names(cell: ViewCell) -> list[str]:
    """Functions, classes and methods (`Class.method`) that a cell saves."""
    if not has_marks(cell.code) or not _parses(cell.code):
        return []
    names = []
    for saved in cell_saves(cell.lines, "").statements:
        if isinstance(saved.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            extended = class_extended(saved.node)
            names.append(f"{extended[0]}.{saved.node.name}" if extended is not None else saved.node.name)
    return names


def _parses(code: str) -> bool:
    try:
        parse_cell(code)
    except SyntaxError:
        return False
    return True
