"""How an entry of the bibliography reads, as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from d2lbook.model import Book, CitationStyle, UiStrings


def entry_text(fields: dict[str, str], words: UiStrings | None = None) -> str:
    """Authors, year, title, where it stood; with `words` in the book's language, but for names and titles."""
    words = words or UiStrings()
    authors = _authors(fields.get("author") or fields.get("editor") or fields["short_author"], words)
    parts = [f"{authors} ({fields['short_year']}).", _sentence(fields.get("title", ""))]
    places = ("journal", "booktitle", "howpublished", "publisher")
    venue = next((fields[place] for place in places if fields.get(place)), "")
    details = [venue, fields.get("volume", ""), _pages(fields.get("pages", ""), words)]
    parts.append(_sentence(", ".join(detail for detail in details if detail)))
    return " ".join(part for part in parts if part)


def in_style(keys: Iterable[str], style: CitationStyle) -> list[str]:
    """The works in the order of the book's own style."""
    wanted = set(keys)
    return [key for key in style.entries if key in wanted]


def work_text(key: str, book: Book, escape: Callable[[str], str], before: str, after: str) -> str:
    """An entry as a format writes it, which says how it escapes, and what stands around words in italics."""
    style = book.citation_style
    if style is None:
        return escape(entry_text(book.citations[key], book.words))
    opening, closing = CitationStyle.ITALIC
    return escape(style.entries[key]).replace(opening, before).replace(closing, after)


def entry_address(fields: dict[str, str]) -> str:
    """Where the work is to be found; empty when the entry does not say."""
    if fields.get("url"):
        return fields["url"]
    return f"https://doi.org/{fields['doi']}" if fields.get("doi") else ""


def _authors(names: str, words: UiStrings) -> str:
    people = names.split(" and ")
    if people[-1] == "others" and len(people) > 1:
        return words("{author} et al.", author=", ".join(people[:-1]))
    if len(people) > 1:
        return words("{authors} and {last}", authors=", ".join(people[:-1]), last=people[-1])
    return people[0]


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def _pages(pages: str, words: UiStrings) -> str:
    return words("pp. {pages}", pages=pages.replace("--", "–")) if pages else ""
