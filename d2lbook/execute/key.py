"""The key of a result: it changes when, and only when, what could change the outputs does."""

from __future__ import annotations

import hashlib
import json

from d2lbook.config import Config
from d2lbook.library import Surroundings, code_of, hash_of, surroundings, used_sources
from d2lbook.model import Book, Document, View
from d2lbook.pycode import normalise
from d2lbook.view import make_view

# SHA-256 of Fashion-MNIST's decompressed files: training images and labels, test images and labels.
FASHION_MNIST = (
    "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
    "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
    "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
)
# The data that pages use, by the name whose use declares it.
DATA = {"load_data_fashion_mnist": FASHION_MNIST, "FashionMNIST": FASHION_MNIST}
DEFINITIONS = ("used", "modules", "packages")
KEY_PARTS = ("code", "definitions", "data")


def result_key(view: View, book: Book, config: Config, versions: dict[str, str] | None) -> str:
    """SHA-256 over a page's code for a framework, the saved definitions it uses, versions and data.

    A page that uses the library depends on all that is loaded with it: the hand-written modules, too, and what they
    and the library import. Comments, docstrings, line ends, prose and other frameworks' cells do not count. Without
    `versions`, it is the key of a result from another machine, whose versions cannot be those that the book pins.
    """
    parts = key_parts(view, book, config)
    return _digest(parts if versions is None else {**parts, "versions": versions})


def key_parts(view: View, book: Book, config: Config) -> dict[str, object]:
    """What of the book itself could change a page's outputs, under `code`, `data` and the names of `DEFINITIONS`."""
    code = [normalise(cell.runs) for cell in view.cells]
    used = used_sources(book, config, view.tab, [cell.runs for cell in view.cells])
    around = surroundings(book, config, view.tab) if used else Surroundings()
    everything = "\n".join((*code, *used))
    data = sorted({checksum for name, checksums in DATA.items() if name in everything for checksum in checksums})
    return {"code": code, "used": used, "modules": around.modules, "packages": around.packages, "data": data}


def part_digests(parts: dict[str, object]) -> dict[str, str]:
    """A SHA-256 each of a page's code, definitions and data: tells which of them made a key another one."""
    definitions = {name: parts[name] for name in DEFINITIONS}
    return {name: _digest(part) for name, part in {**parts, "definitions": definitions}.items() if name in KEY_PARTS}


def _digest(part: object) -> str:
    return hashlib.sha256(json.dumps(part, sort_keys=True).encode()).hexdigest()


def kept_key(document: Document, tab: str, book: Book, config: Config, versions: dict[str, str] | None) -> str:
    """The key of a page's result in a framework, computed only if something that it depends on changed."""
    cache, place = code_of(book), (document.result_name, tab if versions is not None else f"{tab}.")
    library = cache.fingerprint(book, config, tab)
    made_from = hash_of(cache.digest(document, tab, book.tabs).cells, library, sorted((versions or {}).items()))
    found = cache.keys.get(place)
    if found is None or found[0] != made_from:
        key = result_key(make_view(document, tab, book.tabs), book, config, versions)
        found = cache.keys[place] = made_from, key
    return found[1]


def cell_hash(code: str) -> str:
    """Short hash of a cell's code as normalised."""
    return hashlib.sha256(normalise(code).encode()).hexdigest()[:16]
