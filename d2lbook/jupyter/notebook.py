"""Pages to notebooks of Jupyter's format, and back."""

from __future__ import annotations

from typing import Any

from d2lbook.jupyter.pieces import CODE, FENCE, MARKDOWN, NotebookCell, read_page
from d2lbook.jupyter.splice import spliced

_OURS = "d2lbook"  # the key of what a cell's metadata keep for its page
_KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


class NoPlaceError(Exception):
    """For what a notebook can hold and a page cannot; the text says what to do with it."""


def notebook_of(text: str, path: str) -> dict[str, Any]:
    """A page as a notebook without outputs."""
    cells = [_cell(place.piece, number) for number, place in enumerate(read_page(text, path).places)]
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def text_of(notebook: dict[str, Any], text: str, path: str) -> str:
    """The page with a notebook's cells in it, where `text` is what its file holds now. Outputs are left out.

    Raises NoPlaceError.
    """
    return spliced(read_page(text, path), [_piece(cell) for cell in notebook["cells"]])


def _cell(piece: NotebookCell, number: int) -> dict[str, Any]:
    cell = {"cell_type": piece.kind, "id": f"page-{number}", "metadata": {}, "source": piece.source}
    if piece.kind == MARKDOWN:
        return cell
    kept = {_OURS: {"fence": piece.fence}} if piece.fence != FENCE else {}
    return {**cell, "metadata": kept, "execution_count": None, "outputs": []}


def _piece(cell: dict[str, Any]) -> NotebookCell:
    source = "".join(cell["source"]).replace("\r\n", "\n")
    if cell["cell_type"] == CODE:
        kept = cell["metadata"].get(_OURS, {})
        return NotebookCell(CODE, source, str(kept.get("fence", FENCE)) if isinstance(kept, dict) else FENCE)
    if cell.get("attachments"):
        raise NoPlaceError("a picture inside a cell has no place in a page; save it as a file and link to that")
    return NotebookCell(MARKDOWN, source)
