"""Puts a finished site in place of the last one, at once: whoever reads `html/` sees the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from d2lbook.files import everything_below

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2


def publish(files: Mapping[str, Path], target: Path) -> None:
    """Makes `target` hold exactly `files` (path in the site -> file). Stopped anywhere, it is the old site or the new.

    The site before stays beside it as `.NAME.spare`, to be brought up to date and swapped in the next time: what did
    not change is neither copied nor removed.
    """
    recover(target)
    spare = _spare(target)
    _update(files, spare, target)
    if not target.exists():
        spare.rename(target)
    elif not _exchange(spare, target):
        old = target.with_name(f".{target.name}.old")
        target.rename(old)
        spare.rename(target)
        old.rename(spare)


def stage(files: Mapping[str, Path], target: Path) -> None:
    """Copies what will be published, as far as it is known: `publish` then has less to do."""
    spare = _spare(target)
    for name, source in files.items():
        place = spare / name
        try:
            if not _same(source, place):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)  # the site before may share it
                _put(source, place, target / name)
        except (FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError):
            continue  # a folder was a file before, or the other way round: `publish` sees to it


def recover(target: Path) -> None:
    """Where several renames were needed and not all were done, mends that."""
    old = target.with_name(f".{target.name}.old")
    if old.exists():
        if target.exists():
            shutil.rmtree(old)
        else:
            old.rename(target)


def _update(files: Mapping[str, Path], place: Path, previous: Path) -> None:
    """Brings `place` up to date; what the previous site has already is shared with it by hard links."""
    place.mkdir(parents=True, exist_ok=True)
    here = dict(everything_below(place))
    folders = {""}
    for name in files:
        while (name := name.rpartition("/")[0]) not in folders:
            folders.add(name)
    for name in sorted(here, reverse=True):
        entry = here[name]
        is_folder = entry.is_dir(follow_symlinks=False)
        if name in folders if is_folder else name in files and _same(files[name], entry):
            continue
        (Path(entry).rmdir if is_folder else Path(entry).unlink)()
        del here[name]
    for folder in folders - here.keys():
        (place / folder).mkdir(parents=True, exist_ok=True)
    for name, source in files.items():
        if name not in here:
            _put(source, place / name, previous / name)


def _put(source: Path, place: Path, previous: Path) -> None:
    """Puts a file in its place, shared with the previous site if that has the same."""
    if not (_same(source, previous) and _linked(previous, place)):
        shutil.copy2(source, place)


def _spare(target: Path) -> Path:
    return target.with_name(f".{target.name}.spare")


def _linked(old: Path, place: Path) -> bool:
    try:
        os.link(old, place)
    except OSError as error:
        if error.errno in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
            return False
        raise
    return True


def _same(new: Path, old: Path | os.DirEntry[str]) -> bool:
    try:
        here, there = new.stat(), old.stat()
    except (FileNotFoundError, NotADirectoryError):  # a folder above it was a file before
        return False
    return here.st_size == there.st_size and here.st_mtime_ns == there.st_mtime_ns


def _exchange(first: Path, second: Path) -> bool:
    """Swaps two directories in one step where the system can (Linux); False where it cannot."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if renameat2 is None:
        return False
    done = renameat2(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE)
    return bool(done == 0)
