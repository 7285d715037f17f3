"""The tiny book built as a site, for tests: some of its cells with results, the others not run yet."""

from __future__ import annotations

from pathlib import Path

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import CellResult, Produced, Run, store_run
from d2lbook.execute.key import cell_hash
from d2lbook.export.site.build import build
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.view import make_view

TINYBOOK = Path(__file__).parent / "tinybook"
PLOT = (
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' width="90pt" height="60pt" viewBox="0 0 90 60"><defs><path id="tick" d="M0 0V9" stroke="#222222"/></defs>'
    '<use xlink:href="#tick"/><path d="M0 30H90" stroke="#cccccc"/><text x="9" y="50" fill="#222222">loss</text></svg>'
)
LONG_LINE = "wide " * 200
LONG_TEXT = "\n".join(f"line {number}" for number in range(60))


def freeze_means(root: Path, book: Book) -> None:
    """Results of the page on means: a wide line, a plot, a long text, each naming its framework."""
    found = book.page("chapter_numbers/means")
    assert found is not None
    for tab in book.tabs:
        outputs = (
            ({"output_type": "stream", "name": "stdout", "text": f"ran in {tab}\n{LONG_LINE}\n"},),
            (
                {
                    "output_type": "display_data",
                    "data": {"image/svg+xml": PLOT, "text/plain": "<Figure>"},
                    "metadata": {},
                },
            ),
            ({"output_type": "stream", "name": "stdout", "text": LONG_TEXT},),
        )
        cells = tuple(
            CellResult(cell_hash(cell.code), 0.1, outputs[number % len(outputs)])
            for number, cell in enumerate(make_view(found.document, tab, book.tabs).cells)
        )
        produced = Produced({"python": "3.11.7"}, "CPU, 2 cores", "2026-01-02", 1.0)
        store_run(root, found.document.name, tab, Run("not of this code", cells, produced))


def build_site(root: Path, freeze: bool = True) -> Path:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    if freeze:
        freeze_means(root, book)
    site = build(BookContext.of(book, config, book.tabs, messages), pending_ok=True)
    assert [str(message) for message in messages] == []
    return site
