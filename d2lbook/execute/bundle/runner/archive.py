"""Archives of a bundle and of results: zip files whose manifest lists every other member with its SHA-256.

The reader trusts nothing: it looks at names, numbers and sizes before it unpacks, and unpacks into memory only.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9._+-]+(?:/[A-Za-z0-9._+-]+)*")
_STORED = (".gz", ".whl", ".png", ".zip")  # what compressing again makes no smaller
_DATE = (1980, 1, 1, 0, 0, 0)


class ArchiveError(Exception):
    """For an archive that is damaged or none of ours; the text says how."""


def packed(manifest: Mapping[str, Any], members: Mapping[str, bytes], manifest_name: str) -> bytes:
    """The bytes of an archive: the same for the same content. The manifest comes first."""
    files = {name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in members.items()}
    text = json.dumps({**manifest, "format": FORMAT, "files": files}, indent=1, sort_keys=True, ensure_ascii=False)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in [(manifest_name, text.encode() + b"\n"), *sorted(members.items())]:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)
    return file.getvalue()


def unpacked(
    path: Path, manifest_name: str, kind: str, limit: int, most: int
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The manifest and the members of an archive of a kind.

    Raises ArchiveError when it is damaged, another kind, has more than `most` members, or grows beyond `limit` bytes.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check_entries(entries, limit, most)
            content = {entry.filename: _read(archive, entry) for entry in entries}
    except FileNotFoundError as error:
        raise ArchiveError("there is no such file") from error
    except OSError as error:
        raise ArchiveError(f"cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise ArchiveError(f"is damaged, or no zip file ({error})") from error
    if manifest_name not in content:
        raise ArchiveError(f"has no {manifest_name}")
    manifest = _manifest(content.pop(manifest_name), manifest_name, kind)
    _check_members(manifest["files"], content)
    return manifest, content


def _check_entries(entries: list[zipfile.ZipInfo], limit: int, most: int) -> None:
    names = [entry.filename for entry in entries]
    if len(names) > most:
        raise ArchiveError(f"has {len(names)} members, more than the {most} that it may have")
    if len(set(names)) < len(names):
        raise ArchiveError("has two members of one name")
    for name in names:
        if not _NAME.fullmatch(name) or {".", ".."}.intersection(name.split("/")):
            raise ArchiveError(f"has a member of the name {name!r}, which leads elsewhere")
    if sum(entry.file_size for entry in entries) > limit:
        raise ArchiveError(f"would grow beyond {limit >> 20} MiB")


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        data = file.read(entry.file_size + 1)  # what an entry says of its size need not be true
    if len(data) != entry.file_size:
        raise ArchiveError(f"is damaged: {entry.filename} is not as long as it says")
    return data


def _manifest(data: bytes, name: str, kind: str) -> dict[str, Any]:
    try:
        manifest = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"is damaged: its {name} cannot be read ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != kind or not isinstance(manifest.get("files"), dict):
        raise ArchiveError(f"is no file of {kind}")
    if manifest.get("format") != FORMAT:
        raise ArchiveError(f"has format {manifest.get('format')}; this reads {FORMAT}")
    return manifest


def _check_members(files: Mapping[str, Any], content: Mapping[str, bytes]) -> None:
    if files.keys() != content.keys():
        raise ArchiveError("is damaged: its members are not those that its manifest lists")
    for name, data in content.items():
        known = files[name]
        if not isinstance(known, dict) or known.get("sha256") != hashlib.sha256(data).hexdigest():
            raise ArchiveError(f"is damaged: {name} does not have the SHA-256 that the manifest says")


def write(path: Path, data: bytes) -> None:
    """Writes a file beside its place and renames it; whoever reads it has the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
