"""Builds the distributions of the book's package: an archive of its sources and, from that archive, a wheel."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import tomllib

from d2lbook.config import Config
from d2lbook.export.fresh import epoch
from d2lbook.files import remove_others, write_atomic
from d2lbook.messages import Messages

_EARLIEST = 315532800  # 1980-01-01: wheels know no time before
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


class _Failed(Exception):
    """A hook that did not succeed; the text says why."""


def dist_directory(config: Config) -> Path:
    return config.output_dir / "dist"


def build(config: Config, messages: Messages) -> list[Path]:
    """Writes `_build/dist/NAME-VERSION.tar.gz` and the wheel made from it; their paths.

    Needs no network: what the build asks for has to be installed. The same sources give the same bytes. With an error,
    which goes to `messages`, the last distributions stay.
    """
    try:
        backend = _backend(config.root)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            copy = folder / "project"  # building leaves files beside the sources
            shutil.copytree(config.root, copy, ignore=_left_out, symlinks=True)
            moment = max(epoch(config.root), _EARLIEST)
            archive = _called("build_sdist", backend, copy, folder / "sdist", moment)
            content = normalised(archive.read_bytes(), moment)
            with tarfile.open(fileobj=io.BytesIO(content)) as packed:
                packed.extractall(folder / "unpacked", filter="data")
            (unpacked,) = (folder / "unpacked").iterdir()
            wheel = _called("build_wheel", backend, unpacked, folder / "wheel", moment)
            files = {archive.name: content, wheel.name: wheel.read_bytes()}
    except (_Failed, tomllib.TOMLDecodeError) as error:
        messages.error("pyproject.toml", 0, 0, f"the package cannot be built: {error}", "dist-build")
        return []
    directory = dist_directory(config)
    paths = [directory / name for name in sorted(files)]
    for path in paths:
        write_atomic(path, files[path.name])
    remove_others(directory, paths)
    return paths


def _backend(project: Path) -> str:
    path = project / "pyproject.toml"
    if not path.is_file():
        raise _Failed("the book has no pyproject.toml; add one that names its package")
    found = tomllib.loads(path.read_text(encoding="utf-8")).get("build-system", {})
    return str(found.get("build-backend", "setuptools.build_meta"))


def _left_out(directory: str, names: list[str]) -> set[str]:
    hidden = {name for name in names if name.startswith(".") or (Path(directory) / name / "pyvenv.cfg").exists()}
    return hidden | shutil.ignore_patterns(*_NOT_THE_PACKAGE)(directory, names)


def _called(hook: str, backend: str, project: Path, target: Path, moment: int) -> Path:
    """The one file that a hook of the backend writes into the new directory `target`."""
    target.mkdir()
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment), "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", _CALL, hook, backend, str(target)], cwd=project, env=environment, capture_output=True,
        text=True, check=False, umask=0o022 if os.name == "posix" else -1,  # permissions are in the wheel
    )  # fmt: skip
    made = sorted(target.iterdir())
    if done.returncode or len(made) != 1:
        reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise _Failed(f"{hook} of {backend}: {reason}; mend it, or run make setup where a module is missing")
    return made[0]


def normalised(archive: bytes, moment: int) -> bytes:
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
