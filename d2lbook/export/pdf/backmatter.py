"""What the pages of a book give to its parts: the text, and the solutions, bibliography and index at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from d2lbook.book.cross_references import citation_anchor
from d2lbook.export.pdf.escape import escape, escape_address, escape_breakable
from d2lbook.export.pdf.prose import address
from d2lbook.model import Book
from d2lbook.rendering.bibliography_style import entry_address, entry_text, in_style, work_text


@dataclass(slots=True)
class BookText:
    """The parts of one framework's book, filled page by page."""

    notes: int = 0  # footnotes of the chapter at work
    body: list[str] = field(default_factory=list)
    solutions: list[str] = field(default_factory=list)
    saved: dict[str, str] = field(default_factory=dict)  # name -> label of its cell
    cited: set[str] = field(default_factory=set)


def bibliography(book: Book, cited: set[str]) -> str:
    by_text = [key for _, key in sorted((entry_text(book.citations[key], book.words), key) for key in cited)]
    keys = by_text if book.citation_style is None else in_style(by_text, book.citation_style)
    lines = [f"%@ {book.bibliography_page}.md:0\n"] if keys else []
    for key in keys:
        shown = work_text(key, book, escape, r"\emph{", "}")
        words = re.sub(r"/|\\_", r"\g<0>\\cb{}", shown)  # titles may be paths and names
        where = entry_address(book.citations[key])
        link = " " + address(where, rf"\inlinecode{{{escape_address(where)}}}") if where else ""
        lines.append(f"\\bibentry{{{citation_anchor(key)}}}{{{words}{link}}}\n")
    # Works are called as they are in every edition: most of their words are of the source's language.
    return f"\\begin{{untranslated}}\n{''.join(lines)}\\end{{untranslated}}\n" if lines else ""


def index_of(saved: dict[str, str]) -> str:
    """Saved names in alphabetical order, each with its page."""
    names = sorted(saved, key=lambda name: (name.lower(), name))
    return "".join(f"\\indexentry{{{escape_breakable(name)}}}{{{saved[name]}}}\n" for name in names)
