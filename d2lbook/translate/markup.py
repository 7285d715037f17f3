"""The HTML and the addresses in a text, as the parser of pages finds them: a translation may bring none along."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from markdown_it.token import Token

from d2lbook.parse import raw_markdown


@lru_cache(maxsize=8192)
def tokens_of(text: str) -> Counter[str]:
    """Tags, blocks of HTML, and where links and images lead, in whatever place of a page the text stands."""
    if not any(sign in text for sign in ("<", "](", "]:")):
        return Counter()
    found = [Counter(_names(tokens)) for tokens in (raw_markdown().parse(text), raw_markdown().parseInline(text))]
    return found[0] | found[1]


def brought_along(msgid: str, text: str) -> list[str]:
    """What a translation has of these and its source has not."""
    return sorted(tokens_of(text) - tokens_of(msgid))


def _names(tokens: list[Token]) -> list[str]:
    names = []
    for token in tokens:
        names += _names(token.children or [])
        if token.type in {"html_inline", "html_block"}:
            names.append(" ".join(token.content.split()))
        elif token.type in {"link_open", "image"}:
            names.append(str(token.attrs.get("href") or token.attrs.get("src") or ""))
    return names
