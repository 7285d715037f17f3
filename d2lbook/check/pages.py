"""What a page shows: figures without alternative texts, listings in unknown languages."""

from __future__ import annotations

import re
from collections.abc import Collection

from d2lbook.book.assets import EXTERNAL
from d2lbook.diagnostics import Messages
from d2lbook.model import Document, Figure, Listing, Prose
from d2lbook.parse.listing_language import fence_word, is_known

_FENCE = re.compile(r"(?P<before>(?:[ \t>]|(?:[-+*]|\d+[.)])(?=[ \t]))*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")


def check_figures(document: Document, messages: Messages) -> None:
    for block in document.walk():
        if isinstance(block, Figure) and EXTERNAL.match(block.target):
            what = f"'{block.target}' is on another site; keep a copy in the book"
            messages.warning(document.path, block.span.line, block.span.column, what, "figure-remote")
        if isinstance(block, Figure) and not block.alt.strip():
            what = f"the figure '{block.target}' has no alternative text"
            what += "; say what it shows in a line ':alt:`…`' below it"
            messages.warning(document.path, block.span.line, block.span.column, what, "figure-alt")


def check_fence_languages(document: Document, handled: Collection[str], messages: Messages) -> None:
    """Report languages that Pygments does not know, and fences in lists and quotations that nobody draws."""
    for block in document.walk():
        if isinstance(block, Listing):
            if fence_word(block.info).lower() in handled and not block.info.startswith("{"):
                continue
            _fence_language(document, block.info, block.span.line, block.span.column, messages)
        elif isinstance(block, Prose) and ("```" in block.text or "~~~" in block.text):
            closing = ""
            for number, line in enumerate(block.text.split("\n"), block.span.line):
                found = _FENCE.match(line)
                if found is None:
                    continue
                if closing:
                    closing = "" if found["fence"].startswith(closing) and not found["info"].strip() else closing
                    continue
                closing = found["fence"]
                if (word := fence_word(found["info"])).lower() in handled:
                    what = f"'{word}' is not drawn in a list or quotation, but shown as code; move it out of it"
                    column = len(found["before"]) + 1
                    messages.warning(document.path, number, column, what, "fence-inside")
                    continue
                _fence_language(document, found["info"], number, len(found["before"]) + 1, messages)


def _fence_language(document: Document, info: str, line: int, column: int, messages: Messages) -> None:
    word = fence_word(info)
    if not is_known(word) and word.startswith("{"):
        what = f"'{word}' is no fence of ours, so the block is shown as plain text"
        hint = "for a cell write '{.python .input}', for a box '> [!NOTE]', else the language alone"
        messages.warning(document.path, line, column, f"{what}; {hint}", "fence-language")
    elif not is_known(word):
        what = f"'{word}' is no language that Pygments knows, so the block is shown as plain text"
        messages.warning(document.path, line, column, f"{what}; mend the name, or write 'text'", "fence-language")
