"""Which functions draw fences, where they come from, and what version they are."""

from __future__ import annotations

import importlib.util
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from d2lbook.config import Config
from d2lbook.security.inside import is_inside

SECTION = "fences"


@dataclass(frozen=True, slots=True)
class Handler:
    """The function that draws the fences of a language."""

    language: str  # in lower case
    module: str
    function: str

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]


def handled(config: Config) -> dict[str, Handler]:
    """The handlers that the configuration names, by language."""
    found = {}
    for section, language in config.values:
        written = config.value(section, language).strip()
        if section == SECTION and written:
            module, _, function = written.partition(":")
            found[language] = Handler(language, module.strip(), function.strip())
    return found


def lies_in_book(handler: Handler, config: Config) -> bool:
    """Whether the handler is a program of the book; what is installed is none, wherever its environment lies."""
    places = list(_places(handler.package))
    if not places:  # not installed: is it in the book?
        homes = (config.path.parent, config.root)
        return any((home / handler.package).with_suffix(end).exists() for home in homes for end in ("", ".py"))
    installed = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib", "stdlib")]
    return any(
        is_inside(home, place) and not any(is_inside(folder, place) for folder in installed)
        for home in (config.path.parent, config.root)
        for place in places
    )


def version(handler: Handler) -> str:
    """What changes when the package of a handler does: the sizes and times of its modules."""
    digest = sha256(f"{handler.module}:{handler.function}".encode())
    for place in _places(handler.package):
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            about = path.stat()
            digest.update(f"\0{path} {about.st_size} {about.st_mtime_ns}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def versions(config: Config) -> str:
    """The same of all handlers: part of what a book's pages are made of. Empty without handlers."""
    return " ".join(f"{name} {version(handler)}" for name, handler in sorted(handled(config).items()))


def _places(package: str) -> Iterator[Path]:
    """The file or the folders of a top-level package; nothing of it is run."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return
    if spec is not None and spec.submodule_search_locations:
        yield from map(Path, spec.submodule_search_locations)
    elif spec is not None and spec.has_location and spec.origin is not None:
        yield Path(spec.origin)
