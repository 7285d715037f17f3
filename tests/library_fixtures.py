"""Small books written down in one file each: `~~~~ NAME`, the text of file NAME, `~~~~`.

A block `~~~~ expect NAME` holds what the builder shall make; `expect messages` holds its messages, one a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.book import load_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.library import library_of
from d2lbook.model import Book

CONFIG = "[build]\ntabs = pytorch\n\n[library-pytorch]\nlib_file = d2l/torch.py\n"
_BLOCK = re.compile(r"^~~~~ (.+?)\n(.*?)^~~~~$", re.MULTILINE | re.DOTALL)


@dataclass
class Fixture:
    files: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)


def read_fixture(path: Path) -> Fixture:
    fixture = Fixture()
    for name, text in _BLOCK.findall(path.read_text(encoding="utf-8")):
        if name.startswith("expect "):
            fixture.expected[name.removeprefix("expect ")] = text
        else:
            fixture.files[name] = text
    return fixture


def write_book(root: Path, files: dict[str, str]) -> Path:
    """Writes a book's files and, where there is none, a configuration, whose path it returns, and an index."""
    pages = [name for name in files if name.endswith(".md")]
    toc = "\n".join(name.removesuffix(".md") for name in pages)
    index = f"# A Book\n:label:`chap_book`\n\n```toc\n:numbered:\n\n{toc}\n```\n"
    for name, text in {"config.ini": CONFIG, "index.md": index, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root / "config.ini"


def open_book(root: Path, files: dict[str, str]) -> tuple[Book, Config, Messages]:
    messages = Messages()
    config = load(write_book(root, files), messages)
    return load_book(config, messages), config, messages


def library_text(book: Book, config: Config, tab: str, messages: Messages) -> str:
    """The library of a tab; what is wrong with it goes to `messages`."""
    library = library_of(book, config, tab)
    messages.extend(library.found)
    return library.text


def page(*cells: str) -> str:
    """A page of cells."""
    fences = "".join(f"\n```{{.python .input}}\n{cell}\n```\n" for cell in cells)
    return f"# A Page\n:label:`sec_page`\n{fences}"
