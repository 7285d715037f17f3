"""How an entry of the bibliography reads, as plain text."""

from __future__ import annotations

from d2lbook.model import UiStrings


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
