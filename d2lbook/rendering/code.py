"""The code of a cell as a page to read shows it: its language, and its references in words."""

from __future__ import annotations

import re

from d2lbook.book.cross_references import link_text
from d2lbook.model import Book
from d2lbook.parse.inline import ROLE
from d2lbook.parse.prose import REFERENCES


def language_of(code: str) -> str:
    """What Pygments calls the language of a cell."""
    return "bash" if code.lstrip().startswith(("%%bash", "%%sh")) else "python"


def with_named_references(code: str, book: Book) -> str:
    """Code whose comments and docstrings say "Section 1.2" where their source says `:numref:`sec_x``."""

    def named(role: re.Match[str]) -> str:
        if role[1] not in REFERENCES:
            return role[0]
        return ", ".join(link_text(role[1], key.strip(), book) for key in role[2].split(","))

    return ROLE.sub(named, code)
