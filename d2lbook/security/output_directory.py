"""The directory that a book is built in: ours alone, used by one command at a time, trusted only if this user made it.

Its caches hold what ends up in pages and in this process, so one that came with the book, or with a build service's
cache, is emptied before anything is read from it. And because `output_dir` may name anything, a directory that we did
not make is neither emptied nor written to.
"""

from __future__ import annotations

import errno
import hmac
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from d2lbook.diagnostics import BookError, error_at
from d2lbook.security.key import sealed

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MARK, LOCK = ".d2lbook", ".lock"
WAIT_SECONDS = 10.0
_STEP_SECONDS = 0.1
_BEYOND = 1 << 30  # the byte that Windows locks: nobody else can read it, so it is none of the holder's number
_SAID = "This directory is made by d2lbook: whatever is in it may be removed at any time."
_MADE = {
    *("html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker", "dist", "deploy", "latex"),
    *("manual", "site", "locales", ".cache", MARK, LOCK),
}


# ---- whose directory it is ------------------------------------------------------------------------------------------


def check(output: Path, root: Path, place: tuple[str, int]) -> None:
    """Raises BookError for a directory that is not ours. `place`: where messages say that `output_dir` stands."""
    if output == root or output in root.parents:
        raise _refused(place, f"output_dir is {output}, which holds the book itself; name a directory of its own")
    if tracked := _tracked(output, root):
        what = f"'{tracked}' of output_dir is in Git, and nothing that was built may come with a book"
        raise _refused(place, f"{what}; run: git rm -r --cached {output.name}", "output-tracked")
    names = _names(output) - {LOCK}
    if names and not is_marked(output) and not _is_made(names):
        what = f"output_dir is {output}, which holds '{min(names - _MADE or names)}' and was not made by d2lbook"
        raise _refused(place, f"{what}; name another directory, or remove it")


def _claim(output: Path) -> None:
    """Marks the directory as ours. What another user or machine made in it is removed before anything is read."""
    if is_marked(output):
        return
    for name in _names(output) - {LOCK}:
        if not is_marked(output / name):  # as the manual's directory is, in the book's
            _remove(output / name)
    nonce = secrets.token_hex(16)
    (output / MARK).write_text(f"{_SAID}\n{nonce} {sealed(nonce.encode()).hex()}\n", encoding="ascii")


def _names(output: Path) -> set[str]:
    return {entry.name for entry in output.iterdir()} if output.is_dir() else set()


def _is_made(names: set[str]) -> bool:
    """Whether these are names of what d2lbook makes, and not by chance."""
    known = {name for name in names if name.partition("-")[0] in _MADE or name.endswith((".spare", ".old"))}
    return names == known and bool(names & {MARK, ".cache", "manual"})


def is_marked(output: Path) -> bool:
    """Whether this user's d2lbook made the directory."""
    try:
        nonce, seal = (output / MARK).read_text(encoding="ascii").splitlines()[1].split()
    except (OSError, ValueError, IndexError):
        return False
    return hmac.compare_digest(seal, sealed(nonce.encode()).hex())


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _tracked(output: Path, root: Path) -> str:
    """A file of the directory that the book's repository holds; "" when there is none."""
    if not output.is_dir() or not output.is_relative_to(root):
        return ""
    command = ["git", "ls-files", "-z", "--", output.relative_to(root).as_posix()]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
    except OSError:  # no Git, no repository
        return ""
    return os.fsdecode(done.stdout.split(b"\0")[0]) if not done.returncode else ""


def _refused(place: tuple[str, int], text: str, code: str = "output-foreign") -> BookError:
    return error_at(place[0], place[1], 1 if place[1] else 0, text, code)


# ---- one at a time --------------------------------------------------------------------------------------------------


@contextmanager
def locked(output: Path, root: Path, place: tuple[str, int], seconds: float = 0.0) -> Iterator[None]:
    """Has the directory for this process alone. Raises BookError when another one keeps it, or it is not ours.

    The system drops the lock of a process that ended, however it did.
    """
    check(output, root, place)
    handle = _acquire(output, seconds or WAIT_SECONDS)
    try:
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()}\n".encode())
        _claim(output)
        yield
    finally:
        os.close(handle)


def _acquire(output: Path, seconds: float) -> int:
    """The open and locked file. Raises BookError that names who has it."""
    end = time.monotonic() + seconds
    while True:
        output.mkdir(parents=True, exist_ok=True)
        handle = os.open(output / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        if not _took(handle):
            os.lseek(handle, 0, os.SEEK_SET)
            holder = os.read(handle, 32).decode(errors="replace").strip()
            os.close(handle)
            if time.monotonic() >= end:
                who = f"process {holder}" if holder.isdecimal() else "another process"
                what = f"{who} is building in this directory; wait for it, or end it"
                raise error_at(output.as_posix(), 0, 0, what, "output-locked") from None
            time.sleep(_STEP_SECONDS)
            continue
        if _is_still_there(handle, output / LOCK):
            return handle
        os.close(handle)  # `clear` removed the directory meanwhile


def _took(handle: int) -> bool:
    """Whether the lock on the file is this process's now; false when another one has it."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, _BEYOND, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return False
        os.close(handle)
        raise
    return True


def remove(output: Path) -> None:
    """Removes the directory, which is locked. Windows keeps the open file of the lock, and with it the directory."""
    for name in _names(output) - {LOCK}:
        _remove(output / name)
    with suppress(PermissionError):
        (output / LOCK).unlink()
        output.rmdir()


def _is_still_there(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
