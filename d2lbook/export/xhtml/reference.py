"""The reference of a framework's library as XHTML."""

from __future__ import annotations

from collections.abc import Callable

from d2lbook.export.shared.api import Api, Name, anchor_of, literal_prose, page_title, signature_words
from d2lbook.export.xhtml.prose import attribute, escape
from d2lbook.library.reference import ApiEntry
from d2lbook.model import Book, UiStrings

Address = Callable[[str, str], str]  # (page, anchor) -> where a link leads
Render = Callable[[str], str]  # Markdown -> XHTML


def definitions(api: Api, book: Book, tab: str, render: Render, address: Address) -> str:
    """The names that pages define, page by page."""
    parts = []
    for page, names in api.pages.items():
        entries = "".join(_entry(name, "", tab, render, address, book.words) for name in names)
        if entries:
            title = f'<a href="{attribute(address(page, ""))}">{escape(page_title(book, page))}</a>'
            parts.append(f'<p class="api-page">{title}</p>\n<dl>\n{entries}</dl>\n')
    return "".join(parts)


def _entry(name: Name, owner: str, tab: str, render: Render, address: Address, words: UiStrings) -> str:
    entry = name.variants.get(tab)
    if entry is None:
        return ""
    word, signature = signature_words(entry, words)
    where = _section(entry, address, words) if not owner else ""
    head = f"{escape(word)} <code>{escape(signature)}</code>{where}".strip()
    methods = "".join(_entry(method, f"{name.name}.", tab, render, address, words) for method in name.methods)
    doc = render(literal_prose(entry.doc)) if entry.doc else ""
    inner = f"<dl>\n{methods}</dl>\n" if methods else ""
    return f'<dt id="{anchor_of(f"{owner}{name.name}")}">{head}</dt>\n<dd>{doc}{inner}</dd>\n'


def _section(entry: ApiEntry, address: Address, words: UiStrings) -> str:
    section = entry.section
    if section is None:
        return ""
    there = attribute(address(section.page, section.anchor))
    return f' <a class="where" href="{there}">{escape(section.text(words))}</a>'


def aliases(api: Api, tab: str, words: UiStrings) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(alias.call)}</code></td><td><code>{escape(alias.meaning)}</code></td></tr>\n"
        for alias in api.aliases_of(tab)
    )
    name, meaning = escape(words("Name")), escape(words("Stands for"))
    head = f"<thead><tr><th>{name}</th><th>{meaning}</th></tr></thead>"
    return f"<table>\n{head}\n<tbody>\n{rows}</tbody>\n</table>\n" if rows else ""
