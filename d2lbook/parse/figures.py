"""Figures: a paragraph that is one image, `![caption](file)`."""

from __future__ import annotations

import re

_TITLE = re.compile(r"""\s+(?:"[^"]*"|'[^']*')$""")
_BRACKET = re.compile(r"\\.|[\[\]]", re.DOTALL)


def split_image(text: str) -> tuple[str, str] | None:
    """Caption and file of a text that is one image and nothing else; None for any other text."""
    text = text.strip()
    middle = text.rfind("](")
    if not text.startswith("![") or not text.endswith(")") or middle < 0:
        return None
    caption, target = text[2:middle], _TITLE.sub("", text[middle + 2 : -1].strip())
    if target.startswith("<") and target.endswith(">"):
        target = target[1:-1]
    elif re.search(r"[\s()]", target):
        return None
    return (caption, target) if _balanced(caption) else None


def _balanced(caption: str) -> bool:
    depth = 0
    for match in _BRACKET.finditer(caption):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if depth < 0:
            return False
    return depth == 0
