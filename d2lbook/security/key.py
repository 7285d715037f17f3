"""A key that only this user has: what is signed with it was made here, by this user's commands."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

_OF_THIS_PROCESS = secrets.token_bytes(32)


def sealed(content: bytes) -> bytes:
    """32 bytes that only this user can have made for this content."""
    return hmac.digest(_key(), content, hashlib.sha256)


def _key() -> bytes:
    """This user's key, outside every book; where it cannot be kept, one of this process alone."""
    try:
        path = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "d2lbook" / "key"
        if not path.exists():
            _make(path)
        key = path.read_bytes()
    except (OSError, RuntimeError):  # a home that is read-only, or none
        return _OF_THIS_PROCESS
    return key if len(key) == len(_OF_THIS_PROCESS) else _OF_THIS_PROCESS


def _make(path: Path) -> None:
    """Writes a new key, unless another command has just done so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=path.parent)  # for this user only
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(len(_OF_THIS_PROCESS)))
        os.link(beside, path)
    except FileExistsError:
        pass
    finally:
        Path(beside).unlink()
