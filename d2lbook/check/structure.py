"""How a page is put together: the levels of its headings, its HTML elements, the addresses of its links."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Document, Figure, Heading, Prose, Table, markdown_of
from d2lbook.parse import raw_markdown
from d2lbook.parse.inline import inline_tokens

SCHEMES = ("https", "http", "mailto", "ftp", "tel", "data", "doi")
# Elements that need an end tag; without it, they hold the rest of the page.
# fmt: off
_PAIRED = frozenset({
    "a", "abbr", "article", "aside", "b", "blockquote", "button", "center", "cite", "code", "del", "details",
    "div", "em", "figcaption", "figure", "font", "h1", "h2", "h3", "h4", "h5", "h6", "i", "iframe", "ins",
    "kbd", "mark", "ol", "pre", "q", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup",
    "table", "u", "ul", "var", "video",
})
# fmt: on
_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9]*)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?(?P<empty>/?)>""")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SCHEME = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9+.-]*):(?P<slashes>//)?")
_NO_COLON = re.compile(r"(?P<name>https?)(?://|:/(?!/))", re.IGNORECASE)


def check_structure(document: Document, messages: Messages) -> None:
    _check_levels(document, messages)
    _check_elements(document, messages)
    for block in document.walk():
        for text in markdown_of(block):
            for target in _targets(text) if "](" in text or "<" in text else ():
                _check_scheme(document, block, target, messages)


def _check_levels(document: Document, messages: Messages) -> None:
    """Report a second title, and headings more than one level below the one before."""
    before, titles = 0, 0
    for block in document.walk():
        if not isinstance(block, Heading):
            continue
        place = document.path, block.span.line, block.span.column
        titles += block.level == 1
        if block.level == 1 and titles > 1:
            what = "a second heading of the first level; a page has one title, so write '##', or make it a page"
            messages.warning(*place, what, "heading-title")
        elif before and block.level > before + 1:
            what = f"a heading of level {block.level} below one of level {before}"
            messages.warning(*place, f"{what}; write {'#' * (before + 1)}", "heading-level")
        before = block.level


def _check_elements(document: Document, messages: Messages) -> None:
    """Report HTML elements without an end, and ends without an element."""
    opened: list[tuple[str, int]] = []
    for name, is_end, offset in _tags(document):
        if not is_end:
            opened.append((name, offset))
            continue
        if name not in (other for other, _ in opened):
            _tell(document, offset, f"</{name}> ends nothing; remove it, or add <{name}> before it", messages)
            continue
        while opened[-1][0] != name:
            _tell_unclosed(document, *opened.pop(), messages)
        opened.pop()
    for name, offset in opened:
        _tell_unclosed(document, name, offset, messages)


def _tags(document: Document) -> Iterator[tuple[str, bool, int]]:
    """The tags of paired elements outside code and formulas: name, whether an end, offset."""
    for block in document.walk():
        if not isinstance(block, Prose | Table | Heading | Figure):
            continue
        text = document.source(block)
        if "<" not in text:
            continue
        taken = [(piece.start, piece.end) for piece in inline_tokens(text) if piece.kind != "mark"]
        taken += [found.span() for found in _COMMENT.finditer(text)]
        for tag in _TAG.finditer(text):
            name = tag["name"].lower()
            if name in _PAIRED and not tag["empty"] and not any(start <= tag.start() < end for start, end in taken):
                yield name, bool(tag["end"]), block.span.start + tag.start()


def _tell_unclosed(document: Document, name: str, offset: int, messages: Messages) -> None:
    _tell(document, offset, f"<{name}> has no end; add </{name}>", messages)


def _tell(document: Document, offset: int, what: str, messages: Messages) -> None:
    messages.warning(document.path, *document.place(offset), what, "html-unclosed")


def _targets(text: str) -> Iterator[str]:
    for token in raw_markdown().parse(text):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"])


def _check_scheme(document: Document, block: Block, target: str, messages: Messages) -> None:
    scheme = _SCHEME.match(target)
    mistyped = _NO_COLON.match(target)
    if mistyped is None and (scheme is None or scheme["name"].lower() in SCHEMES):
        return
    name = mistyped["name"] if mistyped is not None else scheme["name"] if scheme is not None else ""
    close = difflib.get_close_matches(name.lower(), SCHEMES, n=1)
    if not close and scheme is not None and scheme["slashes"] is None:
        return  # a file with a colon in its name, or an address that some program knows
    place = document.place(block.span.start + max(document.source(block).find(target), 0))
    hint = f"did you mean '{close[0]}://'?" if close else f"there are {', '.join(SCHEMES)}"
    messages.warning(document.path, *place, f"'{target}' is no address of the web; {hint}", "link-scheme")
