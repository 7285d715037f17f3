"""The manifest: from which commit a folder was built, by which builder, and every file with its checksum."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from d2lbook import __version__
from d2lbook.export.deploy.assets import content_of
from d2lbook.export.offer import Files
from d2lbook.files import git

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Sources:
    """The state of a book's sources; empty where there is no history."""

    commit: str = ""
    date: str = ""  # of the commit, with its time zone
    modified: bool = False  # whether tracked files differ from the commit


def sources(root: Path) -> Sources:
    found = git(root, "log", "-1", "--format=%H %cI").split()
    if len(found) != 2:
        return Sources()
    changed = git(root, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return Sources(found[0], found[1], bool(changed))


def manifest(files: Files, root: Path) -> bytes:
    """The manifest of a folder that holds `files` and was built from the sources in `root`."""
    state = sources(root)
    listed = {}
    for name in sorted(files):
        content = content_of(files[name])
        listed[name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    data = {
        "builder": f"d2lbook {__version__}",
        "commit": state.commit or None,
        "date": state.date or None,
        "modified": state.modified,
        "files": listed,
    }
    return (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()


def listed_files(text: bytes) -> dict[str, str]:
    """Checksums by path from a manifest; empty when it is none."""
    try:
        data: Any = json.loads(text)
    except ValueError:
        return {}
    files = data.get("files") if isinstance(data, dict) else None
    if not isinstance(files, Mapping) or not str(data.get("builder", "")).startswith("d2lbook "):
        return {}
    return {
        str(name): str(facts.get("sha256", ""))
        for name, facts in files.items()
        if isinstance(facts, Mapping) and not Path(name).is_absolute() and ".." not in Path(name).parts
    }
