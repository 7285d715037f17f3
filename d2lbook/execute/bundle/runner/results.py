"""The results of a machine: an archive that is written anew after each page, and read to go on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import archive

MANIFEST = "results.json"
KIND = "d2lbook results"
LIMIT = 256 << 20  # bytes, unpacked
MOST = 2000  # members


@dataclass
class Results:
    """What has been run of a bundle on this machine; `head` says of which bundle and on which machine."""

    path: Path
    head: dict[str, Any]
    members: dict[str, bytes] = field(default_factory=dict)

    def go_on_from(self, path: Path) -> None:
        """Takes over what an earlier run of the same bundle has finished. Raises ArchiveError."""
        manifest, members = archive.unpacked(path, MANIFEST, KIND, LIMIT, MOST)
        for name in ("bundle", "short"):
            if manifest.get(name) != self.head[name]:
                raise archive.ArchiveError("holds results of another bundle, or of short runs; name another file")
        self.members = members | self.members

    def state(self, page: str, tab: str) -> str:
        """ "done", "failed" or "limit"; "" for what has not been run."""
        data = self.members.get(_name(page, tab))
        return str(json.loads(data)["state"]) if data is not None else ""

    def keep(self, result: dict[str, Any]) -> None:
        """Adds the result of a page and writes the archive."""
        text = json.dumps(result, ensure_ascii=False, indent=1, sort_keys=True)
        self.members[_name(result["page"], result["tab"])] = text.encode("utf-8", "surrogatepass")
        self.write()

    def write(self) -> None:
        archive.write(self.path, archive.packed({**self.head, "kind": KIND}, self.members, MANIFEST))


def _name(page: str, tab: str) -> str:
    return f"results/{page}/{tab}.json"
