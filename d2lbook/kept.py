"""What reading and checking a book found out, kept between commands: a page that stays is not read twice."""

from __future__ import annotations

import hashlib
import pickle
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from d2lbook.book import ParsedPages
from d2lbook.check import Kept
from d2lbook.config import Config
from d2lbook.files import write_atomic
from d2lbook.library import KeptCode
from d2lbook.translate.kept import KeptTranslations

PACKAGE = Path(__file__).resolve().parent


@dataclass(slots=True)
class KeptPages:
    """Parsed pages and the findings of the check, by path; what is known of the code and the translations."""

    parsed: ParsedPages = field(default_factory=ParsedPages)
    checked: Kept = field(default_factory=dict)
    code: KeptCode = field(default_factory=KeptCode)
    translations: KeptTranslations = field(default_factory=KeptTranslations)


def _path(config: Config) -> Path:
    return config.output_dir / ".cache" / "pages.pickle"


@lru_cache(maxsize=1)
def _header() -> bytes:
    """Changes with the builder: what another version kept is of no use."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def load_kept(config: Config) -> KeptPages:
    """What the last command kept; nothing where there is none, or another builder's."""
    key = _header() + str(config.strict).encode()
    try:
        data = _path(config).read_bytes()
    except FileNotFoundError:
        return KeptPages()
    if not data.startswith(key):
        return KeptPages()
    checksum, content = data[len(key) : len(key) + 32], data[len(key) + 32 :]
    if hashlib.sha256(content).digest() != checksum:
        return KeptPages()
    kept: KeptPages = pickle.loads(content)
    return kept


def store_kept(config: Config, kept: KeptPages) -> None:
    content = pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL)
    key = _header() + str(config.strict).encode()
    write_atomic(_path(config), key + hashlib.sha256(content).digest() + content, durable=False)
