"""Remembers from which inputs the published site was built. Beside the site, so that publishing never mixes the two."""

from __future__ import annotations

from pathlib import Path

from d2lbook.config import Config
from d2lbook.files import write_atomic


def _path(config: Config) -> Path:
    return config.output_dir / ".cache" / "site-inputs"


def read_stamp(config: Config) -> str:
    """The hash that `write_stamp` kept; empty when there is none."""
    try:
        return _path(config).read_text(encoding="ascii")
    except FileNotFoundError:
        return ""


def write_stamp(config: Config, inputs: str) -> None:
    write_atomic(_path(config), inputs)
