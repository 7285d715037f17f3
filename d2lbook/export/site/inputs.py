"""What a site is made of, as hashes: to know quickly that nothing changed, and which pages did."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from d2lbook.config import Config
from d2lbook.model import Book, Figure, Page, Role
from d2lbook.references import link_text

PACKAGE = Path(__file__).resolve().parent.parent.parent
BACKENDS = ("sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "pygments", "docutils")


def everything(config: Config, tabs: Iterable[str], pending_ok: bool) -> str:
    """Hash of every file that could matter to the site of a book, and of the builder."""
    digest = hashlib.sha256(f"{_builder()} {sorted(tabs)} {pending_ok}".encode())
    for path in sorted(_files(config)):
        digest.update(path.relative_to(config.root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(config.path.read_bytes())
    return digest.hexdigest()


def _files(config: Config) -> Iterator[Path]:
    """The book's files: not what is hidden, built, or another environment's."""
    for directory, folders, names in os.walk(config.root):
        here = Path(directory)
        folders[:] = [
            name
            for name in folders
            if not name.startswith((".", "__")) and here / name != config.output_dir and name not in {"node_modules", "tests"}
            and not (here / name / "pyvenv.cfg").exists()
        ]  # fmt: skip
        yield from (here / name for name in names if not name.startswith(".") and (here / name).is_file())


@lru_cache(maxsize=1)
def _builder() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    for name in BACKENDS:
        digest.update(importlib.metadata.version(name).encode())
    return digest.hexdigest()


def book_wide(book: Book, config: Config) -> str:
    """Hash of what every page shows or is made with: titles in the contents, configuration, builder."""
    titles = [(page.document.name, page.number, page.document.title, page.children) for page in book.pages]
    return _hash(_builder(), config.path.read_text(encoding="utf-8"), titles)


def page_fingerprint(page: Page, book: Book, config: Config, shared: str, results: Iterable[bytes]) -> str:
    """Hash of all that one page's HTML depends on."""
    document = page.document
    refers = [link_text(role.kind, key, book) for role in _roles(page) for key in role.keys]
    numbers = [(target.label, target.number) for target in book.targets.values() if target.page == document.name]
    figures = [
        hashlib.sha256(path.read_bytes()).hexdigest()
        for block in document.walk()
        if isinstance(block, Figure)
        for path in [(config.root / document.path).parent / block.target]
        if path.is_file()
    ]
    cited = book.citations if any(type(block).__name__ == "Bibliography" for block in document.walk()) else {}
    return _hash(
        shared, document.text, page.number, refers, numbers, figures, cited, [hashlib.sha256(r).hexdigest() for r in results]
    )


def _roles(page: Page) -> Iterator[Role]:
    for block in page.document.walk():
        yield from getattr(block, "roles", ())


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()
