"""Seats of a machine: cores and GPUs that tasks take, so that no two have the same, whichever workers run them.

A seat is a locked file. The system unlocks it when its process ends, however it ends.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

_UNUSUAL = re.compile(r"[^A-Za-z0-9-]")


@contextmanager
def seats(names: Sequence[str], wanted: int) -> Generator[tuple[str, ...], None, None]:
    """The first seats of these that are free, fewer where too few are; held until the block ends."""
    with ExitStack() as stack:
        taken: list[str] = []
        folder = _folder() if names and wanted else Path()
        for name in names:
            if len(taken) < wanted and _lock(folder / _UNUSUAL.sub("_", name), stack):
                taken.append(name)
        yield tuple(taken)


def _folder() -> Path:
    """This user's own; nobody else can lock its files."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"d2lbook-seats-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or (hasattr(os, "getuid") and folder.stat().st_uid != user):
        raise PermissionError(13, "belongs to another user", str(folder))
    return folder


def _lock(path: Path, stack: ExitStack) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: its kernels are not kept to cores
        return False
    file = stack.enter_context(path.open("a"))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
