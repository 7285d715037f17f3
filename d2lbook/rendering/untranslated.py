"""What of a page is not in the book's language: stretches of it, or all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from d2lbook.model import Block, Container, Figure, Heading, Prose, Table

_WITHOUT_WORDS = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$", re.DOTALL)  # code, roles' targets, formulas
_WORD = re.compile(r"[^\W\d_]{3}")


def stretches(blocks: Iterable[Block]) -> Iterator[tuple[str, list[Block]]]:
    """Consecutive blocks that share a language, with it; "" for the book's."""
    for lang, found in groupby(blocks, lambda block: block.lang):
        yield lang, list(found)


def has_words(block: Block) -> bool:
    """Whether a block can be in a language: not so code, or a paragraph that is a formula."""
    match block:
        case Heading():
            text = block.title
        case Prose() | Table():
            text = block.text
        case Figure():
            text = f"{block.caption} {block.alt}"
        case _:
            return False
    return _WORD.search(_WITHOUT_WORDS.sub(" ", text)) is not None


def with_words(blocks: Iterable[Block]) -> Iterator[Block]:
    """The blocks that can be in a language, those inside others too."""
    for block in blocks:
        if isinstance(block, Container):
            yield from with_words(block.blocks)
        elif has_words(block):
            yield block


def is_untranslated(blocks: Iterable[Block]) -> bool:
    """Whether nothing of a page is in the book's language."""
    found = [block.lang for block in with_words(blocks)]
    return bool(found) and all(found)


def is_partly_untranslated(blocks: Iterable[Block]) -> bool:
    """Whether something of a page, or all of it, is not in the book's language."""
    return any(block.lang for block in with_words(blocks))
