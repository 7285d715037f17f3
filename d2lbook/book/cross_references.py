"""How references, citations and slide marks read where they are resolved: in notebooks, titles, docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it.token import Token

from d2lbook.model import Book, UiStrings
from d2lbook.parse import markdown
from d2lbook.parse.inline import MARKS, ROLE, inline_tokens, pair_marks
from d2lbook.parse.prose import API, CITATIONS

Link = Callable[[str, str], str]  # (page name, anchor) -> address; empty where there is none: the text stays alone
PlaceOf = Callable[[str], tuple[str, str] | None]  # what an API role names -> page name and anchor of its description
_EXPLICIT = re.compile(r"(?P<title>.+?)\s*<(?P<target>[^>]+)>$", re.DOTALL)
_BLANK_LINE = re.compile(r"^[ \t]*$")


def citation_anchor(key: str) -> str:
    """The id of a bibliography's entry on its page."""
    return "cite-" + re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-").lower()


def link_text(kind: str, key: str, book: Book | None, words: UiStrings | None = None) -> str:
    """What a reference or a citation of one key shows, such as "Section 1.2"; the key itself when it is undefined.

    `words`: in which it is said, the book's without any.
    """
    if book is None:
        return key
    if kind in CITATIONS:
        fields = book.citations.get(key)
        if fields and book.citation_style is not None:
            return book.citation_style.cited[key]
        return f"{fields['short_author']}, {fields['short_year']}" if fields else key
    target = book.targets.get(key)
    if target is None:
        return key
    text = target.text(words or book.words)
    return target.title or text if kind == "ref" else text


def api_text(text: str) -> str:
    """What an API reference shows: `~torch.nn.Linear` is `Linear`, `title <name>` is `title`."""
    if explicit := _EXPLICIT.match(text):
        return explicit["title"]
    return text.rsplit(".", 1)[-1] if text.startswith("~") else text


def api_name(text: str) -> str:
    """The name that an API reference is about: of `title <d2l.f>` or `~d2l.f()` it is `d2l.f`."""
    explicit = _EXPLICIT.match(text)
    return (explicit["target"] if explicit else text).strip().removeprefix("~").removesuffix("()")


def plain_text(inline_markdown: str, book: Book | None) -> str:
    """Inline Markdown as text: references resolved, marks and markup gone, math as its source."""
    words: list[str] = []
    tokens = markdown().parseInline(inline_markdown)[0].children or []
    _add_words(tokens, book, words)
    return " ".join("".join(words).split())


def _add_words(tokens: list[Token], book: Book | None, words: list[str]) -> None:
    hidden = 0
    for token in tokens:
        if token.type in {"d2l_mark_open", "d2l_mark_close"} and token.meta["only_slides"]:
            hidden += token.nesting
        elif hidden:
            continue
        elif token.type == "d2l_role":
            words.append(_role_text(token.meta["kind"], token.content, book))
        elif token.type == "image":
            _add_words(token.children or [], book, words)
        elif token.type in {"softbreak", "hardbreak"}:
            words.append(" ")
        else:
            words.append(token.content)


def _role_text(kind: str, text: str, book: Book | None) -> str:
    if kind in API:
        return api_text(text)
    keys = [key.strip() for key in text.split(",")]
    return _cited(kind, keys, book) if kind in CITATIONS else ", ".join(link_text(kind, key, book) for key in keys)


def _cited(kind: str, keys: list[str], book: Book | None) -> str:
    """Citations in their brackets: "(Li et al., 2014; Dean, 2012)", as text "Li et al. (2014)"."""
    return _enclosed(kind, [_one_cited(kind, key, book) for key in keys], book)


def _one_cited(kind: str, key: str, book: Book | None) -> str:
    text = link_text(kind, key, book)
    if kind != "citet":
        return text
    fields = book.citations.get(key) if book is not None else None
    if book is not None and book.citation_style is not None and fields:
        return book.citation_style.narrative(key, fields["short_author"], fields)
    return re.sub(r", ([^,]+)$", r" (\1)", text)


def _enclosed(kind: str, texts: list[str], book: Book | None) -> str:
    if kind == "citet":
        return "; ".join(texts)
    if book is not None and book.citation_style is not None:
        return book.citation_style.enclosed(texts)
    return f"({'; '.join(texts)})"


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    text: str


def resolve_markdown(text: str, book: Book, link: Link, place_of: PlaceOf = lambda _: None) -> str:
    """A block's Markdown with references as links, citations as text, slide marks taken off.

    `link(page, anchor)` gives the address of a place in the book; `place_of(text)` where the libraries' reference tells
    of what `:class:` or `:func:` names.
    """
    found = list(inline_tokens(text))
    edits = [
        _Edit(piece.start, piece.end, _linked(text[piece.start : piece.end], book, link, place_of))
        for piece in found
        if piece.kind == "role"
    ]
    marks, _ = pair_marks(text, [piece for piece in found if piece.kind == "mark"])
    for mark in marks:
        if mark.opener.endswith("~~"):
            start, end = _with_its_line(text, mark.start, mark.end)
            edits = [edit for edit in edits if not start <= edit.start < end]
            edits.append(_Edit(start, end, ""))
        else:
            length = len(MARKS[mark.opener])
            edits += [_Edit(mark.start, mark.start + length, ""), _Edit(mark.end - length, mark.end, "")]
    return _edited(text, edits)


def _with_its_line(text: str, start: int, end: int) -> tuple[int, int]:
    """A range widened over the space before it, and over its line when nothing else stands there."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    if _BLANK_LINE.match(text[line_start:start]) and _BLANK_LINE.match(text[end:line_end]):
        return line_start, min(line_end + 1, len(text))
    if start == line_start:
        return start, end + len(text[end:line_end]) - len(text[end:line_end].lstrip(" "))
    return line_start + len(text[line_start:start].rstrip(" ")), end


def _linked(role: str, book: Book, link: Link, place_of: PlaceOf) -> str:
    match = ROLE.match(role)
    if match is None:
        return role
    kind, text = match[1], match[2]
    if kind in API:
        place = place_of(text) if kind != "mod" else None
        shown = f"`{api_text(text)}`"
        return linked(shown, link(*place)) if place is not None else shown
    keys = [key.strip() for key in text.split(",")]
    if kind in CITATIONS:
        home = book.bibliography_page
        return _cited(kind, keys, book) if not home else _linked_citations(kind, keys, book, home, link)
    return ", ".join(_link(link_text(kind, key, book), book, key, link) for key in keys)


def _link(shown: str, book: Book, key: str, link: Link) -> str:
    target = book.targets.get(key)
    if target is None:
        return f"`{key}`"
    return linked(_escaped(shown), link(target.page, target.anchor))


def linked(shown: str, address: str) -> str:
    """Markdown as a link; as it is without an address."""
    return f"[{shown}]({address})" if address else shown


def _linked_citations(kind: str, keys: list[str], book: Book, home: str, link: Link) -> str:
    texts = []
    for key in keys:
        shown = _one_cited(kind, key, book)
        known = key in book.citations
        texts.append(linked(_escaped(shown), link(home, citation_anchor(key))) if known else f"`{key}`")
    return _enclosed(kind, texts, book)


def _escaped(shown: str) -> str:
    return re.sub(r"([\[\]])", r"\\\1", shown)


def _edited(text: str, edits: list[_Edit]) -> str:
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[position : edit.start], edit.text]
        position = max(position, edit.end)
    return "".join([*parts, text[position:]])
