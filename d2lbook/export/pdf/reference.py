"""The reference of a framework's library as LaTeX."""

from __future__ import annotations

from collections.abc import Callable

from d2lbook.export.pdf.escape import escape, escape_breakable
from d2lbook.model import Book, UiStrings
from d2lbook.rendering.api import Api, Name, anchor_of, literal_prose, page_title, signature_words

Render = Callable[[str], str]  # Markdown -> LaTeX


def definitions(api: Api, book: Book, tab: str, render: Render) -> str:
    """The names that pages define, page by page."""
    parts = []
    for page, names in api.pages.items():
        entries = "".join(_entry(name, "", tab, render, book.words) for name in names)
        if entries:
            parts.append(f"\\apigroup{{{page}}}{{{escape(page_title(book, page))}}}\n{entries}")
    return "".join(parts)


def _entry(name: Name, owner: str, tab: str, render: Render, words: UiStrings) -> str:
    entry = name.variants.get(tab)
    if entry is None:
        return ""
    word, signature = signature_words(entry, words)
    kind = f"\\textcolor{{muted}}{{{escape(word)}}} " if word else ""
    where = ""
    if entry.section is not None and not owner:
        section = entry.section
        where = f"\\hyperref[{section.page}:{section.anchor}]{{{escape(section.text(words))}}}"
    label = anchor_of(f"{owner}{name.name}")
    head = f"\\apientry{{{label}}}{{{kind}\\inlinecode{{{escape_breakable(signature)}}}}}{{{where}}}\n"
    methods = "".join(_entry(method, f"{name.name}.", tab, render, words) for method in name.methods)
    doc = render(literal_prose(entry.doc)) if entry.doc else ""
    return f"{head}\\begin{{apitext}}\n{doc}{methods}\\end{{apitext}}\n" if doc or methods else head


def aliases(api: Api, tab: str, words: UiStrings) -> str:
    rows = [
        f"\\inlinecode{{{escape_breakable(alias.call)}}} & \\inlinecode{{{escape_breakable(alias.meaning)}}} \\\\\n"
        for alias in api.aliases_of(tab)
    ]
    name, meaning = escape(words("Name")), escape(words("Stands for"))
    head = f"\\textbf{{{name}}} & \\textbf{{{meaning}}} \\\\ \\midrule\\endhead\n"
    return f"\\begin{{booktable}}{{L{{0.45}}L{{0.52}}}}\n{head}{''.join(rows)}\\end{{booktable}}\n\n" if rows else ""
