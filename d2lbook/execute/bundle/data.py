"""The data that pages need, found where the book's library finds them."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import error_at

# Asks the library itself, in a process of its own: its folders, in order, and the SHA-256 of its files.
_QUESTION = """import json, sys
sys.path.insert(0, sys.argv[1])
from d2l import fashion_mnist
print(json.dumps([[str(folder) for folder in fashion_mnist.folders()], fashion_mnist.SHA256]))"""
_LARGEST = 64 << 20  # bytes, unpacked, of one file


def data_files(config: Config, checksums: Iterable[str]) -> dict[str, bytes]:
    """The files with these checksums by their names in a bundle, compressed. Raises BookError for one that is not here.

    A checksum is that of the unpacked content.
    """
    wanted = set(checksums)
    if not wanted:
        return {}
    folders, known = _ask(config.root)
    names = {name: checksum for name, checksum in known.items() if checksum in wanted}
    found = {name: _find(folders, name, checksum) for name, checksum in names.items()}
    if missing := [name for name, content in found.items() if content is None] or wanted - set(names.values()):
        what = (
            f"{', '.join(sorted(missing))} of the pages' data is not in {', '.join(map(str, folders)) or 'any folder'}"
        )
        hint = "run: python -m d2l.fashion_mnist, or set D2L_DATA to a folder that has them"
        raise error_at(config.name_in_messages, 0, 0, f"{what}; {hint}", "bundle-data")
    return {f"data/fashion-mnist/{name}.gz": content for name, content in found.items() if content is not None}


def _ask(root: Path) -> tuple[list[Path], dict[str, str]]:
    command = [sys.executable, "-c", _QUESTION, str(root)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        return [], {}
    folders, known = json.loads(done.stdout)
    return [Path(folder) for folder in folders], known


def _find(folders: Iterable[Path], name: str, checksum: str) -> bytes | None:
    for folder in folders:
        for path in (folder / f"{name}.gz", folder / name):
            if path.is_file():
                data = path.read_bytes()
                compressed = data if path.suffix == ".gz" else gzip.compress(data, mtime=0)
                if _checksum(compressed) == checksum:
                    return compressed
    return None


def _checksum(compressed: bytes) -> str:
    """The SHA-256 of what is compressed; "" for what cannot be unpacked or is too large."""
    unpack = zlib.decompressobj(wbits=31)
    try:
        content = unpack.decompress(compressed, _LARGEST)
    except zlib.error:
        return ""
    return hashlib.sha256(content).hexdigest() if unpack.eof else ""
