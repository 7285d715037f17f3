"""Small books to run: written from a dictionary of pages, each page's cells given as code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from d2lbook.book import load_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import CellResult, Produced, Run, store_run
from d2lbook.execute.key import cell_hash, result_key
from d2lbook.execute.versions import expected
from d2lbook.model import Book, View
from d2lbook.view import make_view

GPU = "NVIDIA H100 80GB HBM3"
CONFIG = "[build]\ntime_limit = 60\n"


def cell(code: str, tab: str = "") -> str:
    mark = f"#@tab {tab}\n" if tab else ""
    return f"```{{.python .input}}\n{mark}{code}\n```\n"


def write_book(root: Path, pages: dict[str, str], config: str = CONFIG) -> None:
    """`pages`: name -> Markdown below the title."""
    root.mkdir(exist_ok=True)
    (root / "config.ini").write_text(config)
    toc = "\n".join(pages)
    (root / "index.md").write_text(f"# Book\n\n```toc\n:numbered:\n\n{toc}\n```\n")
    for name, text in pages.items():
        (root / f"{name}.md").parent.mkdir(exist_ok=True)
        (root / f"{name}.md").write_text(f"# The Page\n:label:`sec_{Path(name).name}`\n\n{text}", newline="")


def open_book(root: Path) -> tuple[Book, Config]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    assert [str(message) for message in messages] == []
    return book, config


def view_of(book: Book, page: str, tab: str) -> View:
    found = book.page(page)
    assert found is not None
    return make_view(found.document, tab, book.tabs)


def freeze(root: Path, page: str, tab: str, output: str = "frozen", versions: dict[str, str] | None = None) -> None:
    """Stores a result that is fresh, without running anything: every cell has printed `output`.

    `versions`: of packages beside the framework's, as recorded with the result.
    """
    _freeze(root, page, tab, printed(output), versions or {})


def printed(text: str) -> dict[str, Any]:
    """What a cell puts out that prints one line."""
    return {"output_type": "stream", "name": "stdout", "text": f"{text}\n"}


def freeze_on_gpu(root: Path, page: str, tab: str, output: dict[str, Any], stale: bool = False) -> None:
    """Stores a GPU's result beside the CPU's: every cell has put out `output`."""
    book, config = open_book(root)
    view = view_of(book, page, tab)
    cells = tuple(CellResult(cell_hash(cell.code), 0.1, (output,)) for cell in view.cells)
    produced = Produced({"python": "3.12"}, GPU, "2026-02-03", 0.1)
    key = "of other code" if stale else result_key(view, book, config, None)
    store_run(root, page, tab, Run(key, cells, produced), "cuda")


def freeze_output(root: Path, page: str, tab: str, data: dict[str, str]) -> None:
    """The same with cells that have displayed something, given by its kinds."""
    _freeze(root, page, tab, {"output_type": "display_data", "data": data, "metadata": {}})


def _freeze(root: Path, page: str, tab: str, output: dict[str, Any], versions: dict[str, str] | None = None) -> None:
    book, config = open_book(root)
    view = view_of(book, page, tab)
    cells = tuple(CellResult(cell_hash(cell.code), 0.1, (output,)) for cell in view.cells)
    key = result_key(view, book, config, expected(tab, root, versions or {}))
    produced = Produced({"python": "3.11", **(versions or {})}, "CPU, 2 cores", "2026-01-02", 0.1)
    store_run(root, page, tab, Run(key, cells, produced))
