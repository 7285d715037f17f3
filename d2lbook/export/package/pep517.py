"""Makes a project's source archive and, from that archive, its wheel, as pip would and without network."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import partial
from pathlib import Path

import tomllib

from d2lbook.files import is_file
from d2lbook.rendering.epoch import EARLIEST

_NOT_THE_PACKAGE = ("_build", "build", "dist", "outputs", "tests", "node_modules", "__pycache__", "*.egg-info")
# Calls a hook of the project's build backend (PEP 517), as pip does, in the environment that is there.
_CALL = """
import importlib, sys
hook, backend, target = sys.argv[1:]
module, _, inner = backend.partition(":")
found = importlib.import_module(module)
for name in filter(None, inner.split(".")):
    found = getattr(found, name)
getattr(found, hook)(target)
"""


class PackageError(Exception):
    """A package that cannot be built; the text says why and what to do."""


def distributions(project: Path, output: Path, moment: int) -> dict[str, bytes]:
    """Name and content of the archive and of the wheel, in this order, of the project in a directory.

    `output` is the directory of what is built, which is left out; `moment` dates what is in them, in seconds since
    1970. What the project's build backend asks for has to be installed. The same sources give the same bytes. Raises
    PackageError.
    """
    moment = max(moment, EARLIEST)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        backend, copy = _backend(project), folder / "project"  # building leaves files beside the sources
        shutil.copytree(project, copy, ignore=partial(_left_out, output), symlinks=True)
        archive = _called("build_sdist", backend, copy, folder / "sdist", moment)
        content = _normalised(archive.read_bytes(), moment)
        (unpacked,) = _unpacked(content, folder / "unpacked").iterdir()
        wheel = _called("build_wheel", backend, unpacked, folder / "wheel", moment)
        return {archive.name: content, wheel.name: wheel.read_bytes()}


def _backend(project: Path) -> str:
    path = project / "pyproject.toml"
    if not is_file(path):
        raise PackageError("there is no pyproject.toml; add one that names the package")
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8")).get("build-system", {})
    except tomllib.TOMLDecodeError as error:
        raise PackageError(f"pyproject.toml cannot be read: {error}") from error
    return str(found.get("build-backend", "setuptools.build_meta"))


def _left_out(output: Path, directory: str, names: list[str]) -> set[str]:
    """Names in a directory that are no part of a package, or are large and built."""
    here = Path(directory)
    hidden = {name for name in names if name.startswith(".") or (here / name / "pyvenv.cfg").exists()}
    hidden |= {name for name in names if here / name == output}
    return hidden | shutil.ignore_patterns(*_NOT_THE_PACKAGE)(directory, names)


def _called(hook: str, backend: str, project: Path, target: Path, moment: int) -> Path:
    """The one file that a hook of the backend writes into the new directory `target`."""
    target.mkdir()
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment), "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", _CALL, hook, backend, str(target)],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        umask=0o022 if os.name == "posix" else -1,  # permissions are in the wheel
    )
    made = sorted(target.iterdir())
    if done.returncode or len(made) != 1:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise PackageError(f"{hook} of {backend}: {reason}; mend it, or install the module that is missing")
    return made[0]


def _unpacked(archive: bytes, folder: Path) -> Path:
    """`folder` with the files of a `.tar.gz`.

    Raises PackageError for anything else in it, and for a name that leads out. (`extractall` has its filter for this
    since Python 3.11.4; Debian 12 has 3.11.2.)
    """
    root = folder.resolve()
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        for entry in packed:
            path, content = (root / entry.name).resolve(), packed.extractfile(entry) if entry.isfile() else None
            if not path.is_relative_to(root) or not (entry.isdir() or content):
                raise PackageError(f"the source archive holds {entry.name!r}, which is no file below it; leave it out")
            (path.parent if content else path).mkdir(parents=True, exist_ok=True)
            if content:
                path.write_bytes(content.read())
                path.chmod(entry.mode)
    return folder


def _normalised(archive: bytes, moment: int) -> bytes:
    """A `.tar.gz` with the same files in order, all dated `moment`, without owners and this machine's permissions."""
    buffer = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as old,
        gzip.GzipFile(filename="", fileobj=buffer, mode="wb", mtime=moment) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for entry in sorted(old.getmembers(), key=lambda entry: entry.name):
            clean = tarfile.TarInfo(entry.name)
            clean.type, clean.size, clean.mtime, clean.linkname = entry.type, entry.size, moment, entry.linkname
            clean.mode = 0o755 if entry.isdir() else 0o644
            new.addfile(clean, old.extractfile(entry) if entry.isfile() else None)
    return buffer.getvalue()
