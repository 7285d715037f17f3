"""requirements/: what is pinned, with hashes and licences."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

REQUIREMENTS = Path(__file__).parents[1] / "requirements"
ENTRY = re.compile(r"[a-z0-9][\w.-]*==\S+(?: \\\n +--hash=sha256:[0-9a-f]{64})+")


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, REQUIREMENTS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_builds_the_site_is_pinned_with_hashes() -> None:
    """pip asks for a hash of every file as soon as one requirement has one."""
    text = (REQUIREMENTS / "html.txt").read_text(encoding="utf-8")
    assert (
        ENTRY.sub("", text).split("\n", 1)[1].strip() == ""
    )  # nothing but the first line, which says where it is from


def test_all_that_is_asked_for_is_pinned() -> None:
    asked = re.findall(r"^[\w.-]+", (REQUIREMENTS / "html.in").read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {name.lower().replace("_", "-") for name, _ in pins("html.txt")}
    assert {name.lower() for name in asked} <= pinned


def test_the_licences_are_those_of_what_is_pinned() -> None:
    """Mend it with `.venv/bin/python requirements/licenses.py`."""
    assert script("licenses").text() == (REQUIREMENTS / "LICENSES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", ["html.txt", "torch.txt", "mxnet.txt", "test.txt"])
def test_the_list_of_licences_has_every_pin(file: str) -> None:
    listed = (REQUIREMENTS / "LICENSES.md").read_text(encoding="utf-8")
    assert pins(file)
    assert [pin for pin in pins(file) if f"| {pin[0]} | {pin[1]} |" not in listed] == []


def pins(file: str) -> list[tuple[str, str]]:
    return re.findall(r"^([\w.-]+)==([^\s\\]+)", (REQUIREMENTS / file).read_text(encoding="utf-8"), re.MULTILINE)
