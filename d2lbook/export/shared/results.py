"""Which frozen result is a cell's, what it holds, and what is said of one that only a browser shows."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from d2lbook.config import Config
from d2lbook.execute.frozen import CellResult, Run
from d2lbook.execute.key import cell_hash
from d2lbook.model import Document, ViewCell


def result_of(cell: ViewCell, run: Run | None) -> CellResult | None:
    """The result of the cell's code, which in a stale run may stand at another position; None when there is none."""
    if run is None:
        return None
    wanted = cell_hash(cell.runs)
    here = run.cells[cell.number : cell.number + 1]
    return next((result for result in (*here, *run.cells) if result.hash == wanted), None)


def printed_in(document: Document, config: Config) -> str:
    """The language of what a page prints, where it is not the page's: languages share results until one has its own."""
    return "" if document.results or config.lang == config.source_lang else config.source_lang


def texts_of(data: Mapping[str, object]) -> dict[str, str]:
    """What an output holds, by its MIME type; nbformat may keep a text as a list of lines."""
    return {mime: "".join(value) if isinstance(value, list) else str(value) for mime, value in data.items()}


def bitmap(encoded: str) -> bytes:
    """The bytes of a bitmap that an output holds in base64. Raises ValueError for what is none."""
    try:
        return base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError as error:
        raise ValueError("is not written in base64") from error


def left_out(tab: str, kinds: Iterable[str]) -> str:
    """The message on an output that has a form on the site at most: the same in each format that leaves it out."""
    only = ", ".join(sorted(kinds))
    return f"[{tab}] PDF, ePub and slides leave out an output that is only {only}; let the cell give text as well"
