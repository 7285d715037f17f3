"""What a machine has to know of a page to run it in one framework."""

from __future__ import annotations

import json
from typing import Any

from d2lbook.config import Config
from d2lbook.execute.device import probe_code
from d2lbook.execute.gpus import gpus_asked_for
from d2lbook.execute.key import cell_hash, key_parts, part_digests, result_key
from d2lbook.execute.outputs import SIZE_LIMIT
from d2lbook.frameworks import packages_of
from d2lbook.library import surroundings
from d2lbook.model import Book, View, ViewCell


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
