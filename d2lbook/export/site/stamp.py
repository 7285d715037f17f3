"""Remembers from which inputs the published site was built. Beside the site, so that publishing never mixes the two."""

from __future__ import annotations

from pathlib import Path

from d2lbook.config import Config
from d2lbook.files import write_atomic


def _path(config: Config, lang: str) -> Path:
    return config.output_dir / ".cache" / f"site-inputs-{lang}"


def read_stamp(config: Config, lang: str) -> str:
    """The hash that `write_stamp` kept for a language; empty when there is none."""
    try:
        return _path(config, lang).read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


def write_stamp(config: Config, lang: str, inputs: str) -> None:
    write_atomic(_path(config, lang), inputs)


def remove_stamp(config: Config, lang: str) -> None:
    _path(config, lang).unlink(missing_ok=True)
