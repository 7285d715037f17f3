"""Addresses that pages write: out of the book, or beside the page."""

from __future__ import annotations

import posixpath
import re

EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


def beside(page: str, path: str) -> str:
    """A path written on a page, from the book's root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
