"""What is fresh: all that commands remember from one to the next, below `_build/.cache`.

Whatever is remembered was made of something, and counts only as long as that is the same: `made_of`, a digest that the
caller has of its inputs, to which the builder itself is added here. There are two kinds. Values, such as parsed pages,
are for the next command. Outputs, such as a PDF, are for readers: it is remembered which files they are.

Values are pickled, and reading a pickle does what it says. A build directory may come from elsewhere, a repository or
the cache of a CI service, so each value is signed with a key that only this user has; without the key it is not read.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib.metadata
import json
import os
import pickle
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from d2lbook.config import Config
from d2lbook.files import is_file, write_atomic
from d2lbook.security.key import sealed

PACKAGE = Path(__file__).resolve().parent
# Packages that leave their mark on what is built.
BACKENDS = ("jinja2", "pygments", "accessible-pygments", "markdown-it-py", "pagefind")
CATALOGS, INTERFACE = "locales", "interface.po"
_NOT_THE_BOOK = {"node_modules", "tests", "benchmarks"}
_SIGNATURE = hashlib.sha256().digest_size


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
        signature, content = data[:_SIGNATURE], data[_SIGNATURE:]
        return pickle.loads(content) if hmac.compare_digest(signature, _signature(name, made_of, content)) else None

    def store(self, name: str, value: object, made_of: str = "") -> None:
        content = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        write_atomic(self._value_path(name), _signature(name, made_of, content) + content, durable=False)

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


def _signature(name: str, made_of: str, content: bytes) -> bytes:
    """Says that this user's builder, as it is now, stored a value under a name."""
    about = "\0".join((builder_digest(), name, made_of)).encode()
    return sealed(about + b"\0" + content)


@lru_cache(maxsize=1)
def builder_digest() -> str:
    """Hash of the builder and of what it builds with."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + path.read_bytes())
    for name in BACKENDS:
        digest.update(importlib.metadata.version(name).encode())
    return digest.hexdigest()


def sources_digests(config: Config, tabs: Iterable[str], pending_ok: bool = False) -> dict[str, str]:
    """For each language, hash of every file that could matter to its edition of a book, and of the builder."""
    files = {path.relative_to(config.root).as_posix(): path for path in _files(config)}
    hashes = [(name, hashlib.sha256(files[name].read_bytes()).digest()) for name in sorted(files)]
    found = {}
    for lang in config.all_languages:
        digest = hashlib.sha256(f"{builder_digest()} {sorted(tabs)} {pending_ok} {lang}".encode())
        for name, content in hashes:
            if _matters(name, lang):
                digest.update(name.encode() + b"\0" + content)
        digest.update(config.path.read_bytes())
        found[lang] = digest.hexdigest()
    return found


def _matters(name: str, lang: str) -> bool:
    """Whether a file counts for a language: of catalogs its own, and what pages say of the other editions."""
    if not name.startswith(f"{CATALOGS}/"):
        return True
    return name.startswith(f"{CATALOGS}/{lang}/") or name.endswith(f"/{INTERFACE}")


def _files(config: Config) -> Iterator[Path]:
    """The book's files: not what is hidden, built, or another environment's."""
    for directory, folders, names in os.walk(config.root):
        here = Path(directory)
        folders[:] = [name for name in folders if not _skipped(here / name, config)]
        yield from (here / name for name in names if not name.startswith(".") and (here / name).is_file())


def _skipped(folder: Path, config: Config) -> bool:
    name = folder.name
    hidden = name.startswith((".", "__")) or name in _NOT_THE_BOOK
    return hidden or folder == config.output_dir or (folder / "pyvenv.cfg").exists()
