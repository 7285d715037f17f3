"""When the sources of a book were committed, which dates what is built of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

EARLIEST = 315532800  # 1980-01-01: zip knows no time before
_LATEST = 2**32 - 1  # in 2106: gzip has four bytes for a date, zip ends in 2107


def epoch(root: Path) -> int:
    """When the sources were committed, in seconds since 1970: the date of what is built. 0 without a history.

    A date that no archive can hold, which a wrong clock may have made, counts as the last one that they can.
    """
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return min(int(done.stdout), _LATEST) if done.returncode == 0 and done.stdout.strip().isdigit() else 0
