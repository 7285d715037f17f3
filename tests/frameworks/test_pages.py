"""Every page runs from top to bottom in every framework, in short mode; and what is frozen is fresh."""

from pathlib import Path

import pytest

from d2lbook.book import load_book
from d2lbook.config import Config, load
from d2lbook.execute import evaluate, status
from d2lbook.messages import Messages
from d2lbook.model import Book

ROOT = Path(__file__).parent.parent.parent


def load_own_book() -> tuple[Book, Config, Messages]:
    messages = Messages()
    config = load(ROOT / "config.ini", messages)
    return load_book(config, messages), config, messages


@pytest.mark.parametrize("tab", ["pytorch", "mxnet", "jax", "tensorflow"])
def test_every_page_runs(tab: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("D2L_SHORT", "1")
    book, config, messages = load_own_book()
    pages = tuple(page.document.name for page in book.pages)
    lines: list[str] = []
    succeeded = evaluate(book, config, (tab,), pages, True, 2, messages, lines.append, store=False)
    told = "\n".join([*lines, *map(str, messages)])  # whole: what a process printed last says why it ended
    assert succeeded and not messages, told


def test_frozen_results_are_fresh_in_every_framework() -> None:
    book, config, _ = load_own_book()
    assert [row for row in status(book, config, book.tabs) if row[2] != "fresh"] == []
