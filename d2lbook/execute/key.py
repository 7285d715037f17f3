"""The key of a result: it changes when, and only when, what could change the outputs does."""

from __future__ import annotations

import hashlib
import json

from d2lbook.config import Config
from d2lbook.library import used_sources
from d2lbook.model import Book, View
from d2lbook.pycode import normalise

# The SHA-256 of the data that pages use, by the name whose use declares it.
DATA = {
    "load_data_fashion_mnist": "c59f468a bad3541b 5b4141f0 0402a96d",
    "FashionMNIST": "c59f468a bad3541b 5b4141f0 0402a96d",
}


def result_key(view: View, book: Book, config: Config, versions: dict[str, str]) -> str:
    """SHA-256 over a page's code for a framework, the saved definitions it uses, versions and data.

    Comments, docstrings, line ends, prose and other frameworks' cells do not count.
    """
    code = [normalise(cell.code) for cell in view.cells]
    used = used_sources(book, config, view.tab, "\n".join(cell.code for cell in view.cells))
    everything = "\n".join((*code, *used))
    data = sorted({checksums for name, checksums in DATA.items() if name in everything})
    parts = {"code": code, "used": used, "versions": versions, "data": data}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def cell_hash(code: str) -> str:
    """Short hash of a cell's code as normalised."""
    return hashlib.sha256(normalise(code).encode()).hexdigest()[:16]
