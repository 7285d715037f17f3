"""Markdown as Jupyter shows it: fences, code spans, anchors, characters that mean themselves."""

from __future__ import annotations

from collections.abc import Iterable

_SPECIAL = "\\`*_[]<>$"


def anchors(names: Iterable[str]) -> str:
    """A line of targets for links; empty without names."""
    found = "".join(f'<a id="{name}"></a>' for name in names)
    return f"{found}\n" if found else ""


def code_span(text: str) -> str:
    """Text as code, also inside a table."""
    return f"`{text}`".replace("|", "\\|")


def fenced(info: str, text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{info}\n{text.rstrip()}\n{fence}"


def image(target: str, alt: str) -> str:
    alt = alt.replace("[", "\\[").replace("]", "\\]")
    return f"![{alt}]({f'<{target}>' if ' ' in target else target})"


def escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in _SPECIAL else character for character in text)
