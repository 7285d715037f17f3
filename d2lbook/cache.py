"""What is fresh: all that commands remember from one to the next, below `_build/.cache`.

Whatever is remembered was made of something, and counts only as long as that is the same: `made_of`, a digest that the
caller has of its inputs, to which the builder itself is added here. There are two kinds. Values, such as parsed pages,
are for the next command. Outputs, such as a PDF, are for readers: it is remembered which files they are.

Values are pickled, and reading a pickle does what it says. A build directory may come from elsewhere, a repository or
the cache of a CI service, so each value is signed with a key that only this user has; without the key it is not read.
"""

from __future__ import annotations

import hmac
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from d2lbook.config import Config
from d2lbook.fences import versions
from d2lbook.files import everything_below, is_file, write_atomic
from d2lbook.security.key import sealed

PACKAGE = Path(__file__).resolve().parent
# Packages that leave their mark on what is built.
BACKENDS = ("jinja2", "pygments", "accessible-pygments", "markdown-it-py", "pagefind")
CATALOGS, INTERFACE = "locales", "interface.po"
_NOT_THE_BOOK = {"node_modules", "tests", "benchmarks"}
_SIGNATURE = sha256().digest_size
_TICK = 100_000_000  # nanoseconds within which two changes of a file may leave the same time


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache of a book's build directory."""

    output_dir: Path

    def load(self, name: str, made_of: str = "") -> Any:
        """The value that this builder stored, made of the same; None without one, or with one of another hand."""
        try:
            data = self._value_path(name).read_bytes()
        except FileNotFoundError:
            return None
        import pickle

        signature, content = data[:_SIGNATURE], data[_SIGNATURE:]
        return pickle.loads(content) if hmac.compare_digest(signature, self._signed(name, made_of, content)) else None

    def store(self, name: str, value: object, made_of: str = "") -> None:
        import pickle

        content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        write_atomic(self._value_path(name), self._signed(name, made_of, content) + content, durable=False)

    def outputs(self, name: str, made_of: str) -> list[Path] | None:
        """The files that were made of the same, if all of them are still there."""
        try:
            known = json.loads(self._outputs_path(name).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(known, dict) or known.get("made of") != made_of:
            return None
        files = [self.output_dir / file for file in known["files"]]
        return files if all(map(is_file, files)) else None

    def mark(self, name: str, made_of: str, files: Iterable[Path]) -> None:
        """Remembers what outputs were made of."""
        named = [file.relative_to(self.output_dir).as_posix() for file in files]
        write_atomic(self._outputs_path(name), json.dumps({"made of": made_of, "files": named}), durable=False)

    def forget(self, name: str) -> None:
        """Has outputs made again: while they are at work, and as long as there are findings to be told again."""
        self._outputs_path(name).unlink(missing_ok=True)

    def _value_path(self, name: str) -> Path:
        return self.output_dir / ".cache" / f"{name}.pickle"

    def _outputs_path(self, name: str) -> Path:
        return self.output_dir / ".cache" / "outputs" / f"{name}.json"

    def _signed(self, name: str, made_of: str, content: bytes) -> bytes:
        """Says that this user's builder, as it is now, stored a value under a name."""
        about = "\0".join((builder_digest(self.output_dir), name, made_of)).encode()
        return sealed(about + b"\0" + content)


class PageValues:
    """What takes its time to make of parts of one page: coloured code, drawings without what runs.

    Values are known by all that they are made of. Of those from an earlier command the page keeps what it still has.
    """

    def __init__(self, known: dict[str, str] | None = None) -> None:
        self._known, self.used = known or {}, dict[str, str]()

    def of(self, make: Callable[..., str], *made_of: str) -> str:
        """What `make` makes of these words."""
        name = sha256("\0".join((make.__name__, *made_of)).encode("utf-8", "surrogatepass")).hexdigest()
        if name not in self.used:
            self.used[name] = self._known[name] if name in self._known else make(*made_of)
        return self.used[name]

    @property
    def changed(self) -> bool:
        return self.used.keys() != self._known.keys()


class FileHashes:
    """Hashes of files, each read again only when what the system says of it has changed."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._known = _read_hashes(place)
        self._stored = dict(self._known)

    def of(self, file: Path | os.DirEntry[str]) -> str:
        """The SHA-256 of a file. Raises OSError where there is none."""
        stat, path = file.stat(), os.fspath(file)
        signature = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
        settled = max(stat.st_mtime_ns, stat.st_ctime_ns) < time.time_ns() - _TICK
        return self.remembered(
            path, signature if settled else None, lambda: sha256(Path(path).read_bytes()).hexdigest()
        )

    def remembered(self, name: str, signature: object, make: Callable[[], str]) -> str:
        """A value as long as its signature stays; without one it is not remembered."""
        known = self._known.get(name)
        if signature is None or known is None or known[0] != signature:
            known = self._known[name] = [signature, make()]
        return str(known[1])

    def store(self) -> None:
        if self._known != self._stored and self._place.parent.is_dir():
            self._stored = {name: known for name, known in self._known.items() if known[0] is not None}
            write_atomic(self._place, json.dumps(self._stored), durable=False)


def _read_hashes(place: Path) -> dict[str, list[Any]]:
    """What was stored: by each name its signature and value; nothing of a file that is missing or damaged."""
    try:
        read = json.loads(place.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    known = read.items() if isinstance(read, dict) else ()
    return {name: pair for name, pair in known if isinstance(pair, list) and len(pair) == 2}


@lru_cache(maxsize=1)
def hashes_in(output_dir: Path) -> FileHashes:
    return FileHashes(output_dir / ".cache" / "files.json")


@lru_cache(maxsize=1)
def builder_digest(output_dir: Path) -> str:
    """Hash of the builder and of what it builds with."""
    hashes, digest = hashes_in(output_dir), sha256(sys.version.encode())
    files = dict(everything_below(PACKAGE, lambda folder: folder.name == "__pycache__"))
    for name in sorted(files):
        if is_file(files[name]):
            digest.update(f"{name} {hashes.of(files[name])}".encode())
    folders = [[place, Path(place).stat().st_mtime_ns] for place in sys.path if place.endswith("-packages")]
    digest.update(hashes.remembered("packages", folders, _versions).encode())
    return digest.hexdigest()


def _versions() -> str:
    from importlib.metadata import version  # takes its time

    return " ".join(map(version, BACKENDS))


def sources_digests(config: Config, tabs: Iterable[str], pending_ok: bool = False) -> dict[str, str]:
    """For each language, hash of every file that could matter to its edition of a book, and of the builder."""
    known, builder = hashes_in(config.output_dir), builder_digest(config.output_dir)
    hashes = sorted((name, known.of(file)) for name, file in _files(config))
    found = {}
    for lang in config.all_languages:
        digest = sha256(f"{builder} {sorted(tabs)} {pending_ok} {lang}".encode())
        for name, content in hashes:
            if _matters(name, lang):
                digest.update(f"{name}\0{content}".encode("utf-8", "surrogateescape"))
        digest.update(config.path.read_bytes() + versions(config).encode())
        found[lang] = digest.hexdigest()
    known.store()
    return found


def _matters(name: str, lang: str) -> bool:
    """Whether a file counts for a language: of catalogs its own, and what pages say of the other editions."""
    if not name.startswith(f"{CATALOGS}/"):
        return True
    return name.startswith(f"{CATALOGS}/{lang}/") or name.endswith(f"/{INTERFACE}")


def _files(config: Config) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The book's files by their place in it: not what is hidden, built, or another environment's."""

    def skipped(folder: os.DirEntry[str]) -> bool:
        hidden = folder.name.startswith((".", "__")) or folder.name in _NOT_THE_BOOK
        return hidden or Path(folder) == config.output_dir or Path(folder, "pyvenv.cfg").exists()

    for name, file in everything_below(config.root, skipped):
        if not file.name.startswith(".") and is_file(file):
            yield name, file
