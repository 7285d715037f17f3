"""What a page shows or links to of the book's files: the one list for whoever copies, packs, checks or hashes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from d2lbook.model import Block, Figure, markdown_of
from d2lbook.parse import markdown

IMAGE, SCRIPT, FILE = "image", "script", "file"
ON_WEB = re.compile(r"(?:https?:)?//", re.IGNORECASE)
EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is written on a page, relative to it; `FILE` is what a link leads to, which may be another page."""

    kind: str  # IMAGE, SCRIPT or FILE
    target: str
    block: Block


def assets_of(blocks: Iterable[Block]) -> Iterator[Asset]:
    """The assets of blocks, of each one once, in order; what is on another site is none. Looks into no container."""
    for block in blocks:
        if isinstance(block, Figure):
            if not EXTERNAL.match(block.target):
                yield Asset(IMAGE, block.target, block)
            if block.interactive:
                yield Asset(SCRIPT, block.interactive, block)
        found = dict.fromkeys(pair for text in markdown_of(block) if "](" in text for pair in _written(text))
        yield from (Asset(kind, target, block) for kind, target in found)


def file_of(address: str) -> str:
    """The file that an address of Markdown names: markdown-it writes a space and `ä` in it as `%20` and `%C3%A4`."""
    path = unquote(address)
    return address if EXTERNAL.match(address) or "\0" in path else path


@lru_cache(maxsize=20_000)  # several stages ask for the same texts
def _written(text: str) -> tuple[tuple[str, str], ...]:
    """Kind and target of the images and links in Markdown."""
    found = []
    for token in markdown().parse(text):
        for child in token.children or ():
            if child.type in {"image", "link_open"}:
                kind = IMAGE if child.type == "image" else FILE
                target = str(child.attrs["src" if kind == IMAGE else "href"])
                target = target if kind == IMAGE else target.partition("#")[0]
                if target and not EXTERNAL.match(target):
                    found.append((kind, file_of(target)))
    return tuple(found)
