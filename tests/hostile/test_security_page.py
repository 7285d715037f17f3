"""SECURITY.md names codes, files and commands that exist."""

from __future__ import annotations

import re
from pathlib import Path

import tomllib

from d2lbook.commands.table import COMMANDS
from d2lbook.make.targets import TARGETS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text()
CODES = tomllib.loads((ROOT / "d2lbook" / "codes.toml").read_text())


def test_each_code_is_one_of_the_builder() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    named = {word for row in rows for word in re.findall(r"`([a-z]+-[a-z]+)`", row.rsplit("|", 2)[1])}
    assert len(named) > 10 and named <= set(CODES)


def test_each_file_is_there() -> None:
    for name in re.findall(r"`((?:d2lbook|tests|requirements)/[\w/.]*)`", TEXT):
        assert (ROOT / name).exists(), name


def test_each_command_is_there() -> None:
    known = {row.name for row in COMMANDS}
    assert set(re.findall(r"d2lbook (\w+)`", TEXT)) <= known
    assert set(re.findall(r"`make ([\w-]+)`", TEXT)) <= set(TARGETS)
