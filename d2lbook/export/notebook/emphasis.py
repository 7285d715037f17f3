"""Emphasis that other readers of Markdown do not see, such as `**`f`**는`: our pages may have it, theirs may not."""

from __future__ import annotations

import re

from d2lbook.parse.inline import inline_tokens
from d2lbook.parse.rules import is_cjk, is_punctuation

_EMPHASIS = re.compile(
    r"(?<![*\\])(?P<stars>\*{1,2})(?![\s*])(?P<inside>(?:[^*\n]|\n(?!\s*\n))+?)(?<![\s\\])(?P=stars)(?!\*)"
)
_TAGS = {"*": "em", "**": "strong"}


def plain_emphasis(text: str) -> str:
    """Markdown whose emphasis beside a Korean, Chinese or Japanese letter is HTML, where CommonMark sees none."""
    if "*" not in text:
        return text
    # What is in code or a formula is none, and is as long as before.
    masked = text
    for piece in inline_tokens(text):
        if piece.kind in {"code", "math", "display", "role"}:
            masked = f"{masked[: piece.start]}`{'x' * (piece.end - piece.start - 2)}`{masked[piece.end :]}"
    parts: list[str] = []
    position = 0
    for found in _EMPHASIS.finditer(masked):
        if _is_seen(masked, found):
            continue
        tag = _TAGS[found["stars"]]
        start, end = found.span("inside")
        parts += [text[position : found.start()], f"<{tag}>{text[start:end]}</{tag}>"]
        position = found.end()
    return "".join([*parts, text[position:]])


def _is_seen(text: str, found: re.Match[str]) -> bool:
    """Whether CommonMark takes both runs of asterisks as emphasis (0.31, 6.2: left- and right-flanking)."""
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    first, last = found["inside"][0], found["inside"][-1]
    opens = not (is_punctuation(first) and is_cjk(before))
    closes = not (is_punctuation(last) and is_cjk(after))
    return opens and closes
