"""The wheel of the book's package: it lies beside the notebooks when the package has no address on the network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.fresh import epoch

_EARLIEST = 315532800  # 1980-01-01: archives know no time before
_NOT_THE_PACKAGE = ("_build", "build", "dist", "outputs", "tests", "node_modules", "__pycache__", "*.egg-info")


class BadPackage(Exception):
    """A package that cannot be built; the text says why and what to do."""


def own_wheel(config: Config) -> tuple[str, bytes]:
    """File name and content of the wheel at `[project] d2l_address`: a wheel, or a project's directory.

    Raises BadPackage. The same sources give the same bytes.
    """
    written = config.d2l_address
    if not written:
        raise BadPackage("[project] has no d2l_address: name a wheel, a repository or an index to install d2l from")
    place = (config.path.parent / written).resolve()
    if place.suffix == ".whl" and place.is_file():
        return place.name, place.read_bytes()
    if not (place / "pyproject.toml").is_file():
        raise BadPackage(
            f"d2l_address: '{written}' is neither an address on the network nor a directory with a pyproject.toml; "
            "name a wheel, a repository or an index"
        )
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"  # building leaves files beside the sources
        shutil.copytree(place, copy, ignore=partial(_left_out, config.output_dir), symlinks=True)
        return _built(copy, Path(folder) / "wheel", config)


def _left_out(output: Path, directory: str, names: list[str]) -> set[str]:
    """Names in a directory that are no part of a package, or are large and built."""
    here = Path(directory)
    hidden = {name for name in names if name.startswith(".") or (here / name / "pyvenv.cfg").exists()}
    hidden |= {name for name in names if here / name == output}
    return hidden | shutil.ignore_patterns(*_NOT_THE_PACKAGE)(directory, names)


def _built(project: Path, target: Path, config: Config) -> tuple[str, bytes]:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(max(epoch(config.root), _EARLIEST))}
    done = subprocess.run(
        [*command, "-w", str(target), str(project)], capture_output=True, text=True, check=False, env=environment
    )
    wheels = sorted(target.glob("*.whl")) if target.is_dir() else []
    if done.returncode or not wheels:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise BadPackage(f"d2l_address: pip cannot build the package: {reason}; mend it, or name where a wheel is")
    return wheels[0].name, wheels[0].read_bytes()
