"""The plots in frozen results: what they are, and the same results with other words in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from d2lbook.config import Config
from d2lbook.diagnostics import BookError
from d2lbook.execute.frozen import CPU, Run, frozen_devices, load_run
from d2lbook.frameworks import with_free
from d2lbook.model import Book

SVG = "image/svg+xml"


def plots_of(book: Book, config: Config) -> dict[str, list[str]]:
    """By the name of a page, the drawings that its cells put out, in any framework and on any device."""
    return {page.document.name: list(_drawings(page.document.name, book, config)) for page in book.pages}


def _drawings(page: str, book: Book, config: Config) -> Iterator[str]:
    for tab in with_free(book.tabs):
        for kind in (CPU, *frozen_devices(config.root, page, tab)):
            try:
                run = load_run(config.root, page, tab, kind)
            except BookError:  # damaged, which whatever shows it reports
                continue
            for cell in run.cells if run is not None else ():
                yield from (_text(output) for output in cell.outputs if SVG in output.get("data", {}))


def redrawn(run: Run, change: Callable[[str], str]) -> Run:
    """A result with each of its drawings changed."""

    def output(old: dict[str, Any]) -> dict[str, Any]:
        return {**old, "data": {**old["data"], SVG: change(_text(old))}} if SVG in old.get("data", {}) else old

    return replace(run, cells=tuple(replace(cell, outputs=tuple(map(output, cell.outputs))) for cell in run.cells))


def _text(output: dict[str, Any]) -> str:
    written = output["data"][SVG]
    return "".join(written) if isinstance(written, list) else str(written)
