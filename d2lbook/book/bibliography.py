"""Reads bibliographies: each entry's fields as plain text, and how a citation of it reads."""

from __future__ import annotations

import re
from collections import Counter
from string import ascii_lowercase

from pybtex.database import BibliographyData, Entry, Person, parse_string
from pybtex.exceptions import PybtexError
from pybtex.richtext import Text

from d2lbook.book.citations import short_author
from d2lbook.diagnostics import Messages
from d2lbook.model import UiStrings

_NO_LATEX = re.compile(r"[A-Za-z0-9 .,;:()/]*")  # as most fields are, which LaTeX's own reader takes long for
_INSTEAD = ("organization", "institution", "howpublished", "key", "url")
_WEB = re.compile(r"https?://", re.IGNORECASE)


def read_bibliography(text: str, path: str, messages: Messages) -> dict[str, dict[str, str]]:
    """Key -> fields. Beside those of the file, as plain text, each has

    - `type`: "article", "book", …; `author`, `editor`: full names joined by " and ";
    - `short_author` and `short_year`: how a citation names it: "Li et al.", "2014a";
    - `short_names`: the last names that `short_author` is made of, one a line.
    """
    try:
        data: BibliographyData = parse_string(text, "bibtex")
    except PybtexError as error:
        line = getattr(error, "lineno", None) or 0
        reason = re.sub(r"^syntax error in line \d+: ", "", str(error)).replace("\n", " ")
        messages.error(
            path, line, 1 if line else 0, f"the bibliography cannot be read: {reason}", "bibliography-syntax"
        )
        return {}
    entries = {str(key): _fields(entry) for key, entry in data.entries.items()}
    _tell_years_apart(entries)
    for key, fields in entries.items():
        if fields.get("url") and not _WEB.match(fields["url"]):
            what = f"the url of '{key}' is no address of the web; begin it with https://"
            messages.error(path, *_place(text, key), what, "bibliography-url")
            del fields["url"]
        if lacking := _lacking(fields):
            what = f"'{key}' has no {' and no '.join(lacking)}; add it, so that readers can tell which work it is"
            messages.warning(path, *_place(text, key), what, "bibliography-field")
    return entries


def _lacking(fields: dict[str, str]) -> list[str]:
    """What a reader misses in an entry. Where there is no author, an organization may stand for it."""
    names = fields["short_names"] or any(fields.get(name) for name in _INSTEAD)
    return [name for name, there in (("author", names), ("title", fields.get("title"))) if not there]


def _place(text: str, key: str) -> tuple[int, int]:
    """Line and column of the entry of a key."""
    found = re.search(rf"@[^@{{}}]*\{{\s*{re.escape(key)}\s*,", text)
    start = found.start() if found is not None else 0
    return text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)


def _fields(entry: Entry) -> dict[str, str]:
    fields = {str(name).lower(): _plain(value) for name, value in entry.fields.items()}
    fields["type"] = str(entry.type).lower()
    for role, persons in entry.persons.items():
        fields[str(role).lower()] = " and ".join(_full_name(person) for person in persons)
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    fields["short_names"] = "\n".join(_last_name(person) for person in people)
    fields["short_author"] = short_author(fields, UiStrings())
    fields["short_year"] = fields.get("year", "n.d.")
    return fields


def _plain(latex: str) -> str:
    text = latex if _NO_LATEX.fullmatch(latex) else str(Text.from_latex(latex))
    return " ".join(text.split())


def _full_name(person: Person) -> str:
    parts = (person.first_names, person.middle_names, person.prelast_names, person.last_names, person.lineage_names)
    return _plain(" ".join(name for names in parts for name in names))


def _last_name(person: Person) -> str:
    return _plain(" ".join([*person.prelast_names, *person.last_names]))


def _tell_years_apart(entries: dict[str, dict[str, str]]) -> None:
    """Adds a, b, … to the years of entries that would be cited in the same words."""
    same = Counter((fields["short_author"], fields["short_year"]) for fields in entries.values())
    seen: Counter[tuple[str, str]] = Counter()
    for fields in entries.values():
        cited = (fields["short_author"], fields["short_year"])
        if same[cited] > 1:
            fields["short_year"] += ascii_lowercase[seen[cited] % len(ascii_lowercase)]
            seen[cited] += 1
