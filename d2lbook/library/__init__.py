"""The library `d2l/<tab>.py`: what the pages' cells mark with `#@save`, and what a page uses of it."""

from __future__ import annotations

from d2lbook.config import Config
from d2lbook.model import Book


def used_sources(book: Book, config: Config, tab: str, code: str) -> tuple[str, ...]:
    """The library's definitions that `code` uses, directly or through others, each as normalised source, sorted."""
    return ()
