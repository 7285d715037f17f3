"""Row 13: no page takes the place of another one, of a language or of a file that the builder makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import write_book

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages

CONFIG = "[project]\nlanguages = ko, pt-BR\n[build]\ntabs = pytorch\neval_notebook = false\n"


def found(root: Path, *names: str) -> list[str]:
    write_book(root, dict.fromkeys(names, "Text.\n"), CONFIG)
    messages = Messages()
    load_book(load(root / "config.ini", messages), messages)
    return [str(message) for message in messages if message.code == "page-name"]


@pytest.mark.parametrize(
    ("names", "place"),
    [
        (("a/b", "a-b"), "a-b.md"),
        (("a-b", "a/b"), "a/b.md"),
        (("p0", "P0"), "P0.md"),
        (("INDEX",), "INDEX.md"),
        (("contents",), "contents.md"),
        (("title-page",), "title-page.md"),
        (("title/page",), "title/page.md"),
        (("404",), "404.md"),
        (("ko/p1",), "ko/p1.md"),
        (("pt-br/p1",), "pt-br/p1.md"),
        (("_static/p1",), "_static/p1.md"),
        (("downloads/p1",), "downloads/p1.md"),
    ],
)
def test_a_name_that_something_else_has_is_an_error(tmp_path: Path, names: tuple[str, ...], place: str) -> None:
    (message,) = found(tmp_path, *names)
    assert message.startswith(f"{place}: error: ")


def test_other_names_are_fine(tmp_path: Path) -> None:
    assert found(tmp_path, "ko", "a/b", "a/c", "b-a", "part/404", "part/ko") == []
