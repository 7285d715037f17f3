"""The command `words`: how much prose a page has in each framework's view."""

from __future__ import annotations

import re
from collections.abc import Iterator

from d2lbook.book.cross_references import resolve_markdown
from d2lbook.model import Block, Book, Heading, Prose, View
from d2lbook.parse.inline import inline_tokens
from d2lbook.session import Session
from d2lbook.view import make_view

EXERCISES = "Exercises"
_MARKER = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s", re.MULTILINE)  # of a list's item, of a quotation
_WORD = re.compile(r"\S*\w\S*")


def show_words(session: Session) -> bool:
    """Print a line for each page: its words in each framework, in the order of `[build] tabs`."""
    width = max(map(len, session.pages), default=0)
    session.say(f"{'':<{width}}  {'  '.join(session.tabs)}")
    for page in session.book.pages:
        if page.document.name in session.pages:
            views = (make_view(page.document, tab, session.book.tabs) for tab in session.tabs)
            counts = (f"{count_words(view, session.book):>{len(view.tab)}}" for view in views)
            session.say(f"{page.document.name:<{width}}  {'  '.join(counts)}")
    return True


def count_words(view: View, book: Book) -> int:
    """Words of headings and prose; not of code, tables, formulas, captions, exercises and solutions."""
    return sum(len(_WORD.findall(_words(text, book))) for text in _prose(view.blocks))


def _prose(blocks: tuple[Block, ...]) -> Iterator[str]:
    exercises = 0  # level of the heading above them, while they last
    for block in blocks:
        if isinstance(block, Heading):
            if exercises and block.level > exercises:
                continue
            exercises = block.level if EXERCISES in block.title else 0
            if not exercises:
                yield block.title
        elif isinstance(block, Prose) and not exercises:
            yield _MARKER.sub("", block.text)


def _words(text: str, book: Book) -> str:
    """Prose as readers see it, without its formulas."""
    shown = resolve_markdown(text, book, lambda page, anchor: "")
    for piece in reversed(list(inline_tokens(shown))):
        if piece.kind in {"math", "display"}:
            shown = shown[: piece.start] + shown[piece.end :]
    return shown
