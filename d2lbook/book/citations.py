"""How citations name what they cite, in the words of a language."""

from __future__ import annotations

from d2lbook.model import UiStrings


def short_author(fields: dict[str, str], words: UiStrings) -> str:
    """The authors as a citation names them: one, two, or the first "et al."."""
    names = fields["short_names"].split("\n")
    if len(names) > 2 or "others" in names:
        return words("{author} et al.", author=names[0])
    if len(names) == 2:
        return words("{first} and {second}", first=names[0], second=names[1])
    return names[0] or fields.get("organization") or fields.get("title", "")


def citations_in(words: UiStrings, citations: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The entries as citations in another language name them."""
    return {key: fields | {"short_author": short_author(fields, words)} for key, fields in citations.items()}
