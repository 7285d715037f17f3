"""What frozen results hold that no format shows, since it would run, load from elsewhere or cover the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from d2lbook.book.unsafe import html_in
from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute.frozen import Run, frozen_devices, load_run, run_path
from d2lbook.files import read_text
from d2lbook.frameworks import with_free
from d2lbook.model import Book
from d2lbook.security.markup import clean_tags
from d2lbook.security.svg import clean_svg

# pandas puts a style into each table, and the site has one of its own: losing it tells nothing about an author.
_USUAL = {"<style>"}


def check_results(book: Book, config: Config, messages: Messages) -> None:
    """Report it at its place in the file of the result, and files that cannot be read."""
    for page in book.pages if config.eval_notebook else ():
        name = page.document.result_name
        for tab in with_free(book.tabs):
            for device in ("cpu", *frozen_devices(book.root, name, tab)):
                _check_run(book, name, tab, device, messages)


def _check_run(book: Book, name: str, tab: str, device: str, messages: Messages) -> None:
    try:
        run = load_run(book.root, name, tab, device)
    except BookError as error:
        messages.extend(error.messages)
        return
    for number, what in _left_out(run) if run is not None else ():
        path = run_path(book.root, name, tab, device)
        line, column = _place(read_text(path), run.cells[number].hash if run is not None else "", what)
        text = f"{what} is not shown in a book that others may change; run: d2lbook eval {name} --tab {tab}"
        messages.error(path.relative_to(book.root).as_posix(), line, column, text, "result-unsafe")


def _left_out(run: Run) -> Iterator[tuple[int, str]]:
    """The number of a cell, and what is left out of its outputs."""
    for number, cell in enumerate(run.cells):
        for output in cell.outputs:
            for what in _unsafe(output.get("data", {})):
                yield number, what


def _unsafe(data: Mapping[str, str]) -> Iterator[str]:
    for markup in (data.get("text/html", ""), *html_in(data.get("text/markdown", ""))):
        yield from (what for what in clean_tags(markup)[1] if what not in _USUAL)
    if svg := data.get("image/svg+xml"):
        try:
            yield from clean_svg(svg)[1]
        except (ValueError, ElementTree.ParseError):
            yield "a damaged drawing"


def _place(text: str, cell: str, what: str) -> tuple[int, int]:
    """Line and column of the first thing of this kind in the result of the cell, else of that result."""
    start = max(text.find(f'"{cell}"'), 0)
    word = re.search(r"[\w:-]+", what.removeprefix("the attribute "))
    found = text.lower().find(word[0].lower(), start + len(cell)) if word is not None else -1
    place = found if found >= 0 else start
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
