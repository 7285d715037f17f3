"""tests/messages/*.md: small books and exactly what is said about them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from cases import Case, read_cases

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.view import make_view

CASES = read_cases(Path(__file__).parent / "messages")


def messages_about(case: Case, root: Path) -> str:
    files = {"config.ini": "[build]\ntabs = a, b\n", **case.texts}
    expected = files.pop("messages", "")
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    messages = Messages()
    try:
        book = load_book(load(root / "config.ini", messages), messages)
        for page in book.pages:
            make_view(page.document, book.tabs[0], book.tabs, messages)
    except BookError as error:
        messages.extend(error.messages)
    assert expected or "messages" not in case.texts
    return "".join(f"{message}\n" for message in messages)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_messages(case: Case, tmp_path: Path) -> None:
    assert messages_about(case, tmp_path) == case.texts.get("messages", "")
