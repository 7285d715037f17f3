"""When the sources of a book were committed, which dates what is built of them."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

from d2lbook.files import git

EARLIEST = 315532800  # 1980-01-01: zip knows no time before
_LATEST = 2**32 - 1  # in 2106: gzip has four bytes for a date, zip ends in 2107


def epoch(root: Path) -> int:
    """When the sources were committed, in seconds since 1970: the date of what is built. 0 without a history.

    A date that no archive can hold, which a wrong clock may have made, counts as the last one that they can.
    """
    moment = git(root, "log", "-1", "--format=%ct")
    return min(int(moment), _LATEST) if moment.isdigit() else 0


def zipped(files: Iterable[tuple[str, bytes]], moment: int, stored: str = "") -> bytes:
    """A zip of files in their order, dated as the sources are; `stored`: the one that is not compressed."""
    date = time.gmtime(max(moment, EARLIEST))[:6]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, date)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name == stored else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
