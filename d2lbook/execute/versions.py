"""Versions of a framework's packages: as pinned by the book, as installed, as recorded."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from d2lbook.frameworks import packages_of

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


def installed(tab: str, imported: Iterable[str] = ()) -> dict[str, str]:
    """Versions of a framework's packages here, and of those of the modules `imported` by its library.

    Without local parts such as "+cpu"; what is lacking is left out.
    """
    versions: dict[str, str] = {}
    for names in (*packages_of(tab), *_distributions(tab, imported)):
        if version := next(filter(None, map(_version, names)), ""):
            versions[names[0]] = version
    return versions


def _version(distribution: str) -> str:
    """The version without its local part; "" for one that is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # takes its time

    try:
        return version(distribution).split("+")[0]
    except PackageNotFoundError:
        return ""


def _distributions(tab: str, imported: Iterable[str]) -> list[tuple[str, ...]]:
    """The distributions that installed the modules `imported`, the framework's own aside."""
    if not (modules := set(imported)):
        return []
    from importlib.metadata import packages_distributions

    base = {name for names in packages_of(tab) for name in names}
    providers = packages_distributions()
    found = {canonical(name) for module in modules for name in providers.get(module, ())}
    return [(name,) for name in sorted(found - base)]


def lacking(tab: str, imported: Iterable[str] = ()) -> list[str]:
    """Packages of a framework, and modules `imported` by its library, that are not installed here."""
    base = packages_of(tab)
    found = installed(tab)
    known = {name for names in base for name in names}
    modules = [name for name in imported if name not in known and importlib.util.find_spec(name) is None]
    return [*(names[0] for names in base if names[0] not in found), *modules]


@dataclass(frozen=True)
class Wanted:
    """What decides the versions that a framework's fresh results have: asked once, for any number of pages."""

    tab: str
    pins: dict[str, str]

    @classmethod
    def now(cls, tab: str, root: Path) -> Wanted:
        return cls(tab, pinned(root))

    @cached_property
    def here(self) -> dict[str, str]:
        """What is installed, which counts where the book pins nothing."""
        return installed(self.tab)

    def versions(self, recorded: dict[str, str]) -> dict[str, str]:
        """The version of each package that a result was made with: as pinned, else as installed, else as recorded."""
        names = {names[0] for names in packages_of(self.tab)} | recorded.keys() - {"python"}
        wanted = {
            name: self.pins.get(name) or self.here.get(name) or _version(name) or recorded.get(name, "")
            for name in names
        }
        return {name: version for name, version in wanted.items() if version}


def expected(tab: str, root: Path, recorded: dict[str, str]) -> dict[str, str]:
    """The versions that a fresh result must have."""
    return Wanted.now(tab, root).versions(recorded)


def described(tab: str, imported: Iterable[str] = ()) -> dict[str, str]:
    """What is stored with a result: the framework's packages, those that its library imports, and Python."""
    import platform

    return installed(tab, imported) | {"python": platform.python_version()}


def different(versions: Mapping[str, str], pins: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Packages whose version is not the pinned one: name -> (version, pinned)."""
    return {name: (version, pins[name]) for name, version in versions.items() if pins.get(name, version) != version}
