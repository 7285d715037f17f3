"""tests/tinybook/ uses every construct, and is as it should be."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from library_fixtures import library_text

sys.path.insert(0, str(Path(__file__).parents[1]))

from test_dialect import ROWS

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.model import Book

TINYBOOK = Path(__file__).parents[1] / "tinybook"
# What a correct book cannot hold, and spellings that others there stand for.
LEFT_OUT = {"```{.json .output n=1}", "#@tab mxnet, pytorch", "# @TAB", "#@tab all"}


@pytest.fixture(scope="module")
def opened() -> tuple[Book, Config]:
    messages = Messages()
    config = load(TINYBOOK / "config.ini", messages)
    book = load_book(config, messages)
    check_book(book, config, messages)
    assert [str(message) for message in messages] == []
    return book, config


def test_it_uses_every_construct(opened: tuple[Book, Config]) -> None:
    text = "\n".join(page.document.text for page in opened[0].pages)
    assert [row for row in ROWS if row not in text and row not in LEFT_OUT] == []
    assert len(opened[0].pages) == 6


@pytest.mark.parametrize("tab", ["plain", "exact", "whole"])
def test_its_libraries_are_up_to_date(opened: tuple[Book, Config], tab: str) -> None:
    messages = Messages()
    assert library_text(*opened, tab, messages) == (TINYBOOK / "tiny" / f"{tab}.py").read_text(encoding="utf-8")
    assert list(messages) == []
