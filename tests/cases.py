"""Reads fixture files: Markdown in which each `## ` heading names a case, and each block

    ~~~~ NAME
    text
    ~~~~

is one of its texts. What stands between is for people to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

BLOCK = re.compile(r"^~~~~ (?P<name>.+)\n(?P<text>(?:.*\n)*?)~~~~$", re.MULTILINE)
_CASE = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


@dataclass
class Case:
    title: str
    texts: dict[str, str] = field(default_factory=dict)


def read_cases(directory: Path) -> list[Case]:
    """The cases of all files of a directory, titled `file: heading`."""
    return [case for path in sorted(directory.glob("*.md")) for case in _cases(path)]


def _cases(path: Path) -> list[Case]:
    text = path.read_text(encoding="utf-8")
    blocks = [(match.start(), match["name"], match["text"]) for match in BLOCK.finditer(text)]
    inside = [(match.start(), match.end()) for match in BLOCK.finditer(text)]
    cases: list[tuple[int, Case]] = []
    for match in _CASE.finditer(text):
        if not any(start < match.start() < end for start, end in inside):
            cases.append((match.start(), Case(f"{path.stem}: {match['title']}")))
    for start, name, body in blocks:
        owner = [case for place, case in cases if place < start][-1]
        if name in owner.texts:
            raise ValueError(f"{path}: '{owner.title}' has two texts '{name}'")
        owner.texts[name] = body
    return [case for _, case in cases]
