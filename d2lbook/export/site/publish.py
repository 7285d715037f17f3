"""Puts a finished site in place of the last one, at once: whoever reads `html/` sees the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def publish(files: Mapping[str, Path], target: Path) -> None:
    """Makes `target` hold exactly `files` (path in the site -> file). Stopped anywhere, it is the old site or the new."""
    recover(target)
    fresh = target.with_name(f".{target.name}.new")
    if fresh.exists():
        shutil.rmtree(fresh)
    fresh.mkdir(parents=True)
    _copy(files, fresh, target)
    if not target.exists():
        fresh.rename(target)
        return
    if not _exchange(fresh, target):
        old = target.with_name(f".{target.name}.old")
        target.rename(old)
        fresh.rename(target)
        fresh = old
    shutil.rmtree(fresh)


def recover(target: Path) -> None:
    """Where two renames were needed and only the first was done, takes it back."""
    old = target.with_name(f".{target.name}.old")
    if old.exists():
        if target.exists():
            shutil.rmtree(old)
        else:
            old.rename(target)


def _copy(files: Mapping[str, Path], target: Path, previous: Path) -> None:
    """Copies; a file that did not change since the previous site is shared with it by a hard link."""
    made: set[Path] = set()
    for name, source in files.items():
        place = target / name
        if place.parent not in made:
            place.parent.mkdir(parents=True, exist_ok=True)
            made.add(place.parent)
        if not (_same(source, previous / name) and _linked(previous / name, place)):
            shutil.copy2(source, place)


def _linked(old: Path, place: Path) -> bool:
    try:
        os.link(old, place)
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
            return False
        raise
    return True


def _same(new: Path, old: Path) -> bool:
    try:
        here, there = new.stat(), old.stat()
    except FileNotFoundError:
        return False
    return here.st_size == there.st_size and here.st_mtime_ns == there.st_mtime_ns


def _exchange(first: Path, second: Path) -> bool:
    """Swaps two directories in one step where the system can (Linux); False where it cannot."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if renameat2 is None:
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(done == 0)
