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

from d2lbook.book.assets import assets_of
from d2lbook.book.cross_references import link_text
from d2lbook.config import Config
from d2lbook.execute.frozen import run_path
from d2lbook.export.shared.api import api_of
from d2lbook.files import is_file
from d2lbook.model import Bibliography, Book, Page, Role

PACKAGE = Path(__file__).resolve().parents[2]
BACKENDS = ("sphinx", "sphinx-book-theme", "pydata-sphinx-theme", "pygments", "docutils", "markdown-it-py", "pagefind")
CATALOGS, INTERFACE = "locales", "interface.po"
_NOT_THE_BOOK = {"node_modules", "tests", "benchmarks"}


def everything(config: Config, tabs: Iterable[str], pending_ok: bool) -> dict[str, str]:
    """For each language, hash of every file that could matter to its part of a book's site, and of the builder."""
    files = {path.relative_to(config.root).as_posix(): path for path in _files(config)}
    hashes = [(name, hashlib.sha256(files[name].read_bytes()).digest()) for name in sorted(files)]
    found = {}
    for lang in config.all_languages:
        digest = hashlib.sha256(f"{_builder()} {sorted(tabs)} {pending_ok} {lang}".encode())
        for name, content in hashes:
            if _matters(name, lang):
                digest.update(name.encode() + b"\0" + content)
        digest.update(config.path.read_bytes())
        found[lang] = digest.hexdigest()
    return found


def _matters(name: str, lang: str) -> bool:
    """Whether a file counts for a language: of catalogs its own, and what pages say of the other editions."""
    if not name.startswith(f"{CATALOGS}/"):
        return True
    return name.startswith(f"{CATALOGS}/{lang}/") or name.endswith(f"/{INTERFACE}")


def _files(config: Config) -> Iterator[Path]:
    """The book's files: not what is hidden, built, or another environment's."""
    for directory, folders, names in os.walk(config.root):
        here = Path(directory)
        folders[:] = [name for name in folders if not _skipped(here / name, config)]
        yield from (here / name for name in names if not name.startswith(".") and (here / name).is_file())


def _skipped(folder: Path, config: Config) -> bool:
    name = folder.name
    hidden = name.startswith((".", "__")) or name in _NOT_THE_BOOK
    return hidden or folder == config.output_dir or (folder / "pyvenv.cfg").exists()


@lru_cache(maxsize=1)
def _builder() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    for name in BACKENDS:
        digest.update(importlib.metadata.version(name).encode())
    return digest.hexdigest()


def book_wide(book: Book, config: Config, tabs: tuple[str, ...], pending_ok: bool, others: object) -> str:
    """Hash of what every page shows or is made with: titles in the contents, configuration, builder, words.

    `others` is what pages say of the book in other languages.
    """
    titles = [
        (page.document.name, page.number, page.document.title, page.children, page.document.title_lang)
        for page in book.pages
    ]
    written = config.path.read_text(encoding="utf-8")
    return _hash(_builder(), written, titles, tabs, pending_ok, book.words.known, repr(others))


def _languages(page: Page) -> list[tuple[str, str]]:
    """What an edition knows of a page's blocks beside their text."""
    return [(block.lang, getattr(block, "anchor_title", "")) for block in page.document.walk()]


def numbers_by_page(book: Book) -> dict[str, list[tuple[str, str]]]:
    """What is numbered on each page, and how: labels and places in the text, in an order of their own."""
    found: dict[str, list[tuple[str, str]]] = {}
    for target in book.targets.values():
        found.setdefault(target.page, []).append((target.label, target.number))
    for (name, place), number in sorted(book.numbers.items()):
        found.setdefault(name, []).append((str(place), number))
    return found


def page_fingerprint(
    page: Page, book: Book, config: Config, shared: str, numbers: list[tuple[str, str]], cited_on: object
) -> str:  # fmt: skip
    """Hash of all that one page's HTML depends on. `cited_on` counts for a page that has a bibliography."""
    document = page.document
    refers = [link_text(role.kind, key, book) + _where(role, key, book) for role in _roles(page) for key in role.keys]
    here = (config.root / document.path).parent
    paths = [Path(os.path.normpath(here / asset.target)) for asset in assets_of(document.walk())]
    figures = [(_file_hash(path), book.drawings.get(path, "")) for path in paths]
    has_list = any(isinstance(block, Bibliography) for block in document.walk())
    results = [_file_hash(run_path(config.root, document.result_name, tab)) for tab in book.tabs]
    listed = [book.citations, cited_on] if has_list else []
    reference = api_of(book, config).inputs(page)
    return _hash(
        shared, document.text, _languages(page), page.number, refers, numbers, figures, listed, results, reference
    )


def _where(role: Role, key: str, book: Book) -> str:
    target = book.targets.get(key)
    return f" {target.page}#{target.anchor}" if target is not None else f" {role.kind}"


def _file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if is_file(path) else ""


def _roles(page: Page) -> Iterator[Role]:
    for block in page.document.walk():
        yield from getattr(block, "roles", ())


def _hash(*parts: object) -> str:
    return hashlib.sha256(
        json.dumps(parts, sort_keys=True, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()
