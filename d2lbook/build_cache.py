"""What reading and checking a book found out, kept between commands: a page that stays is not read twice."""

from __future__ import annotations

import hashlib
import pickle
import sys
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from d2lbook.book import ParsedPages
from d2lbook.config import Config
from d2lbook.diagnostics import Message
from d2lbook.files import write_atomic
from d2lbook.library import KeptCode
from d2lbook.translate.unit_cache import KeptTranslations, Pages

# By the path of a page: a hash of all that its findings depend on, and the findings.
Findings = dict[str, tuple[str, tuple[Message, ...]]]
PACKAGE = Path(__file__).resolve().parent


@dataclass(slots=True)
class KeptPages:
    """Parsed pages and the findings of the check, by path; what is known of the code and the translations."""

    parsed: ParsedPages = field(default_factory=ParsedPages)
    checked: Findings = field(default_factory=dict)
    code: KeptCode = field(default_factory=KeptCode)
    translations: KeptTranslations = field(default_factory=KeptTranslations)


def _path(config: Config, lang: str = "") -> Path:
    """The file of what is kept; with `lang` that of the pages in a language, which are read when they are asked for."""
    return config.output_dir / ".cache" / f"pages{'-' * bool(lang)}{lang}.pickle"


@lru_cache(maxsize=1)
def _header() -> bytes:
    """Changes with the builder: what another version kept is of no use."""
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def load_kept(config: Config) -> KeptPages:
    """What the last command kept; nothing where there is none, or another builder's."""
    kept: KeptPages = _read(config, _path(config)) or KeptPages()
    kept.translations.load = partial(_load_language, config)
    return kept


def _load_language(config: Config, lang: str) -> Pages:
    pages: Pages = _read(config, _path(config, lang)) or {}
    return pages


def store_kept(config: Config, kept: KeptPages) -> None:
    """Keeps what a command found out; the pages of languages that it had nothing to do with stay as they are kept."""
    for lang, pages in kept.translations.pages.items():
        _write(config, _path(config, lang), pages)
    _write(config, _path(config), replace(kept, translations=replace(kept.translations, pages={}, load=None)))


def _read(config: Config, path: Path) -> Any:
    """What `_write` wrote; None where nothing whole of this builder is."""
    key = _header() + str(config.strict).encode()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if not data.startswith(key):
        return None
    checksum, content = data[len(key) : len(key) + 32], data[len(key) + 32 :]
    return pickle.loads(content) if hashlib.sha256(content).digest() == checksum else None


def _write(config: Config, path: Path, kept: object) -> None:
    content = pickle.dumps(kept, protocol=pickle.HIGHEST_PROTOCOL)
    key = _header() + str(config.strict).encode()
    write_atomic(path, key + hashlib.sha256(content).digest() + content, durable=False)
