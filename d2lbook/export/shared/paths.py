"""Addresses that pages write: out of the book, or beside the page."""

from __future__ import annotations

import posixpath

from d2lbook.book.assets import EXTERNAL, file_of

__all__ = ["EXTERNAL", "beside", "file_of"]


def beside(page: str, path: str) -> str:
    """A path written on a page, from the book's root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
