"""The committed libraries are what the pages say."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_fixtures import library_text

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.files import read_text

ROOT = Path(__file__).parents[2]
TABS = ("pytorch", "mxnet", "jax", "tensorflow")


def test_every_tab_has_a_library() -> None:
    assert tuple(load(ROOT / "config.ini", Messages()).libraries) == TABS


@pytest.mark.parametrize("tab", TABS)
def test_generating_makes_no_difference(tab: str) -> None:
    config = load(ROOT / "config.ini", Messages())
    book = load_book(config, Messages())  # what else is wrong with the book, `check` says
    messages = Messages(strict=True)
    text = library_text(book, config, tab, messages)
    assert not messages.failed, "\n".join(map(str, messages))
    assert read_text(ROOT / config.libraries[tab].lib_file) == text, "run `python -m d2lbook build lib`"
