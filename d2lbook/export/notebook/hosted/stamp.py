"""Remembers from what a platform's notebooks were built, so that nothing is done when nothing changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.site.inputs import everything
from d2lbook.files import is_file, is_folder, write_atomic


def inputs_of(config: Config, tabs: Sequence[str]) -> str:
    """Hash of all that the notebooks are made from; empty when some of it may lie outside of the book."""
    place = config.path.parent / config.d2l_address
    own = b""
    if config.d2l_address and (is_file(place) or is_folder(place)):
        if is_file(place):
            own = place.read_bytes()
        elif not place.resolve().is_relative_to(config.root):
            return ""
    return f"{everything(config, tabs, False)[config.lang]} {hashlib.sha256(own).hexdigest()}"


def unchanged(stamp: Path, directory: Path, inputs: str) -> list[Path]:
    """The notebooks that an earlier build made from the same `inputs`, if nothing of it is lacking; else none."""
    if not inputs or not stamp.is_file():
        return []
    kept = json.loads(stamp.read_text(encoding="utf-8"))
    files = [directory / name for name in kept["files"]]
    there = kept["inputs"] == inputs and all(path.is_file() for path in files)
    return [path for path in files if path.suffix == ".ipynb"] if there else []


def keep(stamp: Path, directory: Path, inputs: str) -> None:
    files = sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())
    write_atomic(stamp, json.dumps({"inputs": inputs, "files": files}))
