"""The wheel of a book's library where the book has no project of its own: its Python files, and who they are by."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.package.pep517 import PackageError
from d2lbook.files import is_file

_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?")  # PEP 440, as far as books need it
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # zip knows no time before
_TAG = "py3-none-any"


def library_wheel(config: Config, package: str) -> tuple[str, bytes]:
    """Return file name and content of a wheel with the Python files of the library's package, or with its modules.

    Nothing of the book runs for it. The same files give the same bytes. Raises PackageError without any file.
    """
    files = _sources(config, package)
    if not files:
        raise PackageError(f"the library '{package}' has no file yet; run: d2lbook lib")
    name = f"{re.sub('[^a-z0-9]+', '_', config.name.lower()).strip('_') or 'book'}_library"
    version = config.release if _VERSION.fullmatch(config.release) else "0"
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = _metadata(config, name, version)
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: d2lbook\nRoot-Is-Purelib: true\nTag: {_TAG}\n".encode()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    return f"{name}-{version}-{_TAG}.whl", stored(files)


def stored(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files as they are, all of one date: what packs it afterwards packs it better so."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _FIRST_DAY)
            entry.external_attr, entry.create_system = 0o100644 << 16, 3  # the same on every system
            archive.writestr(entry, content)
    return buffer.getvalue()


def _sources(config: Config, package: str) -> dict[str, bytes]:
    """The library's Python files by their places in the wheel, without links that lead out of its folder."""
    home = config.path.parent
    folder = home / package
    paths = [path for path in folder.rglob("*.py") if _is_own(path, folder)] if folder.is_dir() else []
    names = {library.lib_file for library in config.libraries.values() if library.lib_file == f"{package}.py"}
    paths += [home / name for name in names if is_file(home / name)]
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in sorted(paths)}


def _is_own(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    return not hidden and is_file(path) and path.resolve().is_relative_to(folder.resolve())


def _metadata(config: Config, name: str, version: str) -> bytes:
    title = " ".join(config.title.split())
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: The library of {title}"]
    return ("\n".join(lines) + "\n").encode()


def _record(files: Mapping[str, bytes], own: str) -> bytes:
    rows = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items()]
    return "\n".join([*rows, f"{own},,", ""]).encode()


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
