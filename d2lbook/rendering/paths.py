"""Addresses that pages write: out of the book, or beside the page."""

from __future__ import annotations

import posixpath
from pathlib import Path

from d2lbook.book.assets import EXTERNAL, ON_WEB, file_of
from d2lbook.files import is_file
from d2lbook.model import Book
from d2lbook.rendering.figures import BadPicture
from d2lbook.security.inside import OutsideBook, inside, place_of

__all__ = ["EXTERNAL", "ON_WEB", "beside", "file_of", "picture_path", "shown_file"]


def beside(page: str, path: str) -> str:
    """A path written on a page, from the book's root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))


def shown_file(book: Book, page: str, target: str) -> Path | None:
    """The file that a picture of a page is, or is made as (`Book.drawings`); None when the book has no such picture."""
    try:
        path = picture_path(book.root, page, target)
    except BadPicture:
        return None
    return path if path in book.drawings or is_file(path) else None


def picture_path(root: Path, page: str, target: str) -> Path:
    """Where a picture written on a page lies in the book. Raises BadPicture for one that is not in the book."""
    try:
        return inside(root, place_of(page, target))
    except OutsideBook as error:
        raise BadPicture(str(error), error.code) from None
