"""Versions of a framework's packages: as pinned by the book, as installed, as recorded."""

from __future__ import annotations

import importlib.metadata
import platform
import re
from dataclasses import dataclass
from pathlib import Path

# What decides a framework's results. TensorFlow goes by one of two names; the first that is there counts.
PACKAGES: dict[str, tuple[tuple[str, ...], ...]] = {
    "pytorch": (("torch",),),
    "mxnet": (("mxnet", "mxnet-cu112"), ("numpy",)),
    "jax": (("jax",), ("jaxlib",), ("flax",)),
    "tensorflow": (("tensorflow-cpu", "tensorflow"), ("keras",)),
}
PIN = re.compile(r"^\s*([A-Za-z0-9_.-]+)==([^\s;#]+)")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(root: Path) -> dict[str, str]:
    """What the book's `requirements/*.txt` pin."""
    pins: dict[str, str] = {}
    for path in sorted((root / "requirements").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := PIN.match(line):
                pins[canonical(match[1])] = match[2]
    return pins


def installed(tab: str) -> dict[str, str]:
    """Versions of a framework's packages here, without local parts such as "+cpu"; what is lacking is left out."""
    versions: dict[str, str] = {}
    for names in PACKAGES.get(tab, ()):
        for name in names:
            try:
                version = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
            versions[names[0]] = version.split("+")[0]
            break
    return versions


def lacking(tab: str) -> list[str]:
    """Packages of a framework that are not installed here."""
    found = installed(tab)
    return [names[0] for names in PACKAGES.get(tab, ()) if names[0] not in found]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What decides the versions that a framework's fresh results have: asked once, for any number of pages."""

    tab: str
    pins: dict[str, str]
    here: dict[str, str]

    @classmethod
    def now(cls, tab: str, root: Path) -> Wanted:
        return cls(tab, pinned(root), installed(tab))

    def versions(self, recorded: dict[str, str]) -> dict[str, str]:
        """What the book pins, else what is installed, else what the result had."""
        names = [names[0] for names in PACKAGES.get(self.tab, ())]
        wanted = {name: self.pins.get(name) or self.here.get(name) or recorded.get(name, "") for name in names}
        return {name: version for name, version in wanted.items() if version}


def expected(tab: str, root: Path, recorded: dict[str, str]) -> dict[str, str]:
    """The versions that a fresh result must have."""
    return Wanted.now(tab, root).versions(recorded)


def described(tab: str) -> dict[str, str]:
    """What is stored with a result: the framework's packages, NumPy and Python."""
    versions = installed(tab) | {"python": platform.python_version()}
    try:
        versions["numpy"] = importlib.metadata.version("numpy")
    except importlib.metadata.PackageNotFoundError:
        return versions
    return versions


def different(tab: str, root: Path) -> dict[str, tuple[str, str]]:
    """Packages of a framework whose installed version is not the pinned one: name -> (installed, pinned)."""
    pins = pinned(root)
    here = installed(tab)
    return {name: (here[name], pins[name]) for name in here if name in pins and pins[name] != here[name]}
