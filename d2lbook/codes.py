"""The codes of messages: what each means, and what to do about it.

`codes.toml` is the table; a test holds it to the codes that the sources use, and the manual lists it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomllib


@dataclass(frozen=True, slots=True)
class Code:
    """One code: a sentence on what is wrong, and one on what to do."""

    meaning: str
    remedy: str


@cache
def codes() -> dict[str, Code]:
    """Return every code with its explanation, in the table's order."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {name: Code(*sentences) for name, sentences in tomllib.loads(text).items()}
