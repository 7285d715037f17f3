"""Fetch a URL into a file: the whole of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import urllib.request
from pathlib import Path

TIMEOUT = 30.0  # seconds without a byte before a download is given up


def fetch(url: str, target: Path) -> None:
    """Download `url` to `target`, which appears only when the download is complete; an OSError says what failed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file, urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            shutil.copyfileobj(response, file)
            expected = response.headers.get("Content-Length")
            if expected is not None and file.tell() != int(expected):
                raise OSError(f"{url}: {file.tell()} of {expected} bytes arrived")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
