"""Link definitions, `[name]: address`: written once on a page, used in any of its blocks."""

from __future__ import annotations

from typing import Any

from d2lbook.model import Document, Prose
from d2lbook.parse.markdown import markdown


def link_definitions(document: Document) -> dict[str, Any]:
    """The environment with which `markdown().parse(text, environment)` resolves the links of a block of the page."""
    texts = [block.text for block in document.walk() if isinstance(block, Prose) and "]:" in block.text]
    environment: dict[str, Any] = {}
    if texts:
        markdown().parse("\n\n".join(texts), environment)
    return {"references": environment.get("references", {})}
