"""Fetch a URL into a file: the whole of it, as it should be, or nothing."""

from __future__ import annotations

import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

TIMEOUT = 30.0  # seconds without a byte before a download is given up
LARGEST = 16 * 1024**3  # bytes: no data set or model of a book is larger, and an endless answer would fill the disk
_PIECE = 1024**2  # bytes read at a time


@contextmanager
def arriving(target: Path) -> Iterator[tuple[IO[bytes], Path]]:
    """A file of its own beside `target`, to be written, and its path; it becomes `target` unless something fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with partial.open("xb") as file:
            yield file, partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def fetch(url: str, target: Path, check: Callable[[Path], object] | None = None, largest: int = LARGEST) -> None:
    """Download `url`, of https, to `target`, which appears only when the download is complete.

    `check`, if given, is called with the path of the complete file before it gets its name, and refuses it by raising
    an exception. An OSError says what failed on the way or that more than `largest` bytes arrive, a ValueError that
    `url` is not of https.
    """
    _require_https(url)
    with arriving(target) as (file, partial):
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            _require_https(response.url)  # where it was sent on to
            expected = response.headers.get("Content-Length")
            _copy(response, file, largest, url)
        if expected is not None and file.tell() != int(expected):
            raise OSError(f"{url}: {file.tell()} of {expected} bytes arrived")
        file.flush()
        if check is not None:
            check(partial)


def _copy(response: IO[bytes], file: IO[bytes], largest: int, url: str) -> None:
    while piece := response.read(_PIECE):
        if file.tell() + len(piece) > largest:
            raise OSError(f"{url}: more than {largest} bytes arrive, the limit of this download")
        file.write(piece)


def _require_https(url: str) -> None:
    if not url.lower().startswith("https://"):
        raise ValueError(f"{url} is not fetched: only addresses that begin with https:// are")
