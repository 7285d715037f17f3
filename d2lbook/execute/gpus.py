"""How many GPUs a page asks for."""

from __future__ import annotations

import ast

from d2lbook.model import View
from d2lbook.pycode import parse_cell


def gpus_asked_for(view: View) -> int:
    """How many GPUs a page can use: the largest number that it gives `devices`; two for a link between a pair."""
    return max((1, *(number for cell in view.cells for number in _asked(cell.runs))))


def _asked(code: str) -> list[int]:
    try:
        calls = [node for node in ast.walk(parse_cell(code).tree) if isinstance(node, ast.Call)]
    except SyntaxError:
        return []
    return [number for call in calls if (number := _number(call))]


def _number(call: ast.Call) -> int:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name == "link_pair":
        return 2
    first = call.args[0] if call.args else None
    if name == "devices" and isinstance(first, ast.Constant) and isinstance(first.value, int):
        return first.value
    return 0
