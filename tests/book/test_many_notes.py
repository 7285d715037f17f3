"""A page of very many footnotes takes as much work for each of them as a short one: work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from books import write_book
from markdown_it import MarkdownIt
from markdown_it.token import Token

from d2lbook.book import load_book
from d2lbook.book.faults import build_showing
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.parse import markdown_blocks


def notes(number: int) -> str:
    return "".join(f"[^n{one}]: Note {one}.\n\n" for one in range(number))


def calls(work: Callable[[], object]) -> int:
    """How many functions of Python are called, and generators resumed."""
    found = 0

    def counted(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal found
        found += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


class Counted(list[Token]):
    """Tokens that count how often one of them is handed out."""

    taken = 0

    def __iter__(self) -> Iterator[Token]:
        for token in super().__iter__():
            self.taken += 1
            yield token

    def __getitem__(self, place: Any) -> Any:
        self.taken += 1
        return super().__getitem__(place)


def tokens_taken(number: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of markdown-it's tokens are looked at where a page of notes is split into its blocks."""
    made: list[Counted] = []
    parse = MarkdownIt.parse

    def counted(parser: MarkdownIt, text: str) -> Counted:
        made.append(Counted(parse(parser, text)))
        return made[-1]

    with monkeypatch.context() as patched:
        patched.setattr(MarkdownIt, "parse", counted)
        assert sum(block.kind == "footnote" for block in markdown_blocks.split_markdown(notes(number))) == number
    return sum(one.taken for one in made)


def test_twice_the_notes_are_split_with_twice_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tokens_taken(400, monkeypatch) < 2.2 * tokens_taken(200, monkeypatch)


def test_twice_the_findings_are_told_apart_with_twice_the_work(tmp_path: Path) -> None:
    def work(number: int) -> int:
        root = tmp_path / str(number)
        root.mkdir()
        write_book(root, {"notes": notes(number)})
        messages = Messages()
        book = load_book(load(root / "config.ini", messages), messages)
        assert sum(found.code == "footnote-unused" for found in messages) == number
        return calls(lambda: build_showing(book, messages, lambda shown: len(shown.pages)))

    assert work(400) < 2.5 * work(200)  # they are sorted, too
