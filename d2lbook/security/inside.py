"""The one way from a path that a book's file writes to a file of the book: it never leads out of the book.

A page, a table of contents, a catalog or the configuration may come from a stranger, and what it names is read and
often published. So a path is relative, has no backslash, does not climb above the book's root, does not name Git's
own directory, and still lies in the book when symbolic links are followed.
"""

from __future__ import annotations

import os
import posixpath
import re
from functools import lru_cache
from pathlib import Path

from d2lbook.files import is_file

CODE = "path-outside"
_DRIVE = re.compile(r"[A-Za-z]:")


class OutsideBook(Exception):
    """A path that leads out of the book; the text says how, and what to do."""

    code = CODE


def place_of(page: str, target: str) -> str:
    """A path written in the file `page`, from the book's root. Raises OutsideBook."""
    if "\\" in target:
        raise OutsideBook(f"'{target}' has a backslash; write paths of the book with '/'")
    if target.startswith("/") or _DRIVE.match(target):
        raise OutsideBook(f"'{target}' is an absolute path; keep the file in the book and write its path from here")
    place = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if place == ".." or place.startswith("../"):
        raise OutsideBook(f"'{target}' leads out of the book; keep the file in the book")
    if ".git" in place.lower().split("/"):
        raise OutsideBook(f"'{target}' lies in Git's own directory, which may hold passwords; keep the file elsewhere")
    return place


def inside(root: Path, place: str) -> Path:
    """The path of a place of the book, whether or not anything is there. Raises OutsideBook."""
    path = root / place_of("", place)
    if not is_inside(root, path):
        raise OutsideBook(f"'{place}' leads out of the book through a symbolic link; keep the file itself in the book")
    return path


def is_inside(root: Path, path: Path) -> bool:
    """Whether a path lies below `root` once symbolic links are followed."""
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):  # a name that the system does not take: nothing is there
        return True
    home = _real(root)
    return real == home or real.startswith(home.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=64)
def _real(root: Path) -> str:
    return os.path.realpath(root)


def book_file(root: Path, page: str, target: str) -> Path | None:
    """The file that `target`, written in the file `page`, names; None when the book has no such file."""
    try:
        path = inside(root, place_of(page, target))
    except OutsideBook:
        return None
    return path if is_file(path) else None


def why_outside(root: Path, page: str, target: str) -> str:
    """What is wrong with a path written in the file `page`; "" for one that stays in the book."""
    try:
        inside(root, place_of(page, target))
    except OutsideBook as error:
        return str(error)
    return ""
