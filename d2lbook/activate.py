"""Switches a page's cells on and off in its source, so that Jupyter runs one framework's cells only.

A cell that is off has a fence `{.python .inactive}`, which is no cell to Jupyter; nothing else of the page changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from d2lbook.config import Config
from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages, error_at
from d2lbook.files import read_text, write_atomic
from d2lbook.frameworks import needs_none
from d2lbook.model import Block, Cell, Listing
from d2lbook.parse import parse_document
from d2lbook.parse.cells import TAB_MARK, split_tabs

ALL, DEFAULT = "all", "default"
_BRACES = re.compile(r"(?P<open>\{[^}]*?)\.(?P<state>input|inactive)(?P<close>(?:\s[^}]*)?\})")
# d2lbook 1.0.3 left ```python of a cell that it switched off: one with a mark is a cell.
_BARE = re.compile(r"(?P<fence>[`~]{3,}[ \t]*)python[ \t]*$")


def activate(path: str, tab: str, config: Config, messages: Messages) -> bool:
    """Switches cells of `tab` on and the others off in the page `path`, all cells on for "all"; whether it changed.

    "default" is the book's first tab. A page that does not parse goes to `messages` and is left alone. Raises
    BookError for an unknown tab.
    """
    wanted = _known(tab, config)
    found = Messages()  # what is only a warning is no reason to leave the page alone, in a strict book either
    text = read_text(config.root / path)
    document = parse_document(text, path, found)
    if found.failed:
        messages.extend(message for message in found if message.level == "error")
        return False
    pieces: list[str] = []
    done = 0
    for block in document.walk():
        for end, line in _switched(block, text, wanted, config):
            pieces += [text[done : block.span.start], line]
            done = end
    new = "".join(pieces) + text[done:]
    return write_atomic(config.root / path, new) if new != text else False


def _known(tab: str, config: Config) -> str:
    name = tab.strip().lower()
    if name == DEFAULT and DEFAULT not in config.tabs:
        return config.tabs[0]
    if name != ALL and name not in config.tabs:
        hint = nearest(name, [*config.tabs, ALL])
        raise error_at("--tab", 0, 0, f"'{tab}' is not a tab of this book{hint}", "tab-unknown")
    return name


def _switched(block: Block, text: str, wanted: str, config: Config) -> Iterator[tuple[int, str]]:
    """End and new text of a cell's first line, when that has to change."""
    names = _tabs(block)
    if names is None:
        return
    start = block.span.start
    end = min((place for mark in "\r\n" if (place := text.find(mark, start)) >= 0), default=len(text))
    on = wanted == ALL or ALL in names or needs_none(names, config.tabs) or wanted in (names or config.tabs[:1])
    line = text[start:end]
    new = _BRACES.sub(rf"\g<open>.{'input' if on else 'inactive'}\g<close>", line, count=1)
    if on:
        new = _BARE.sub(r"\g<fence>{.python .input}", new)
    if new != line:
        yield end, new


def _tabs(block: Block) -> tuple[str, ...] | None:
    """The tabs in the mark of a cell, on or off, () without a mark; None for what is no cell.

    The cell in which a reader chooses a tab is never switched off.
    """
    if isinstance(block, Cell):
        return (ALL,) if block.interact else block.tabs or ()
    if not isinstance(block, Listing):
        return None
    first = next((line for line in block.text.splitlines() if line.strip()), "")
    mark = TAB_MARK.match(first)
    if _is_off(block) or (block.info == "python" and mark is not None):
        return split_tabs(mark["names"]) if mark is not None else ()
    return None


def _is_off(listing: Listing) -> bool:
    braces = _BRACES.match(listing.info)
    return braces is not None and braces["state"] == "inactive" and ".python" in braces[0].strip("{}").split()
