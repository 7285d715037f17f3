"""The reference of a framework's library as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from d2lbook.book.cross_references import Link, linked
from d2lbook.export.notebook.syntax import code_span, escaped
from d2lbook.model import Book, UiStrings
from d2lbook.rendering.api import Api, Name, anchor_of, literal_prose, page_title, signature_words

Resolve = Callable[[str], str]  # the book's Markdown -> that of notebooks


def definitions(api: Api, book: Book, tab: str, resolve: Resolve, link: Link) -> str:
    """The names that pages define, page by page."""
    parts = []
    for page, names in api.pages.items():
        items = [line for name in names for line in _entry(name, "", tab, resolve, link, book.words)]
        title = linked(escaped(page_title(book, page)), link(page, ""))
        parts += [f"**{title}**", "\n".join(items)] if items else []
    return "\n\n".join(parts)


def _entry(name: Name, owner: str, tab: str, resolve: Resolve, link: Link, words: UiStrings) -> Iterator[str]:
    """The lines of a list item for a name, with those of its methods below it."""
    entry = name.variants.get(tab)
    if entry is None:
        return
    word, signature = signature_words(entry, words)
    head = f"{word} {code_span(signature)}".strip()
    where = ""
    if entry.section is not None and not owner:
        section = linked(escaped(entry.section.text(words)), link(entry.page, entry.section.anchor))
        where = f" ({section})"
    margin = "    " if owner else ""
    yield f'{margin}* <a id="{anchor_of(f"{owner}{name.name}")}"></a>{head}{where}'
    doc = resolve(literal_prose(entry.doc))
    yield from (f"{margin}  {line}".rstrip() for line in (["", *doc.split("\n")] if doc else []))
    for method in name.methods:
        yield from _entry(method, f"{name.name}.", tab, resolve, link, words)


def aliases(api: Api, tab: str, words: UiStrings) -> str:
    rows = [f"| {code_span(alias.call)} | {code_span(alias.meaning)} |" for alias in api.aliases_of(tab)]
    head = f"| {words('Name')} | {words('Stands for')} |"
    return "\n".join([head, "|:--|:--|", *rows]) if rows else ""
