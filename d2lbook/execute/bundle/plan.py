"""What a machine has to know of a page to run it in one framework."""

from __future__ import annotations

import ast
import json
from typing import Any

from d2lbook.config import Config
from d2lbook.execute.device import probe_code
from d2lbook.execute.key import cell_hash, key_parts, part_digests, result_key
from d2lbook.execute.outputs import SIZE_LIMIT
from d2lbook.frameworks import packages_of
from d2lbook.library import surroundings
from d2lbook.model import Book, View, ViewCell
from d2lbook.pycode import parse_cell


def plan_of(view: View, book: Book, config: Config) -> bytes:
    """The plan of a page as JSON: its cells as they run, what their results are keyed by, the GPUs that it asks for."""
    plan = {
        "page": view.document.result_name,
        "path": view.document.path,
        "tab": view.tab,
        "cells": [_cell(cell) for cell in view.cells],
        "probe": probe_code(view.tab),
        "key": result_key(view, book, config, None),
        "parts": part_digests(key_parts(view, book, config)),
        "gpus": gpus_asked_for(view),
        "output_limit": SIZE_LIMIT,
        "packages": packages_of(view.tab),
        "modules": surroundings(book, config, view.tab).packages,
    }
    return json.dumps(plan, indent=1, sort_keys=True, ensure_ascii=False).encode()


def _cell(cell: ViewCell) -> dict[str, Any]:
    return {
        "code": cell.runs,
        "hash": cell_hash(cell.runs),
        "lines": [line.number for line in cell.lines] or [cell.cell.code_line],
        "alt": cell.alt,
        "hide_code": cell.hide_code,
        "hide_output": cell.hide_output,
    }


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
