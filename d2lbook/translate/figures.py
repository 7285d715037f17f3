"""Text in the book's drawings: taken out of the SVG for a catalog, and put back in another language."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from xml.etree import ElementTree

from d2lbook.model import Document, Figure
from d2lbook.translate.catalog import Catalog
from d2lbook.translate.units import Unit, has_words

KIND = "figure text"
_TEXT = re.compile(r"<(?P<name>text|title|desc)\b[^>]*(?<!/)>(?P<inside>.*?)</(?P=name)\s*>", re.DOTALL)
_TAG = re.compile(r"<(?P<end>/?)tspan\b[^>]*>")
_OTHER_TAG = re.compile(r"<(?!/?\d+>)[^>]*>?")
_NUMBERED = re.compile(r"</?\d+>")


def drawings(documents: Iterable[Document]) -> list[str]:
    """Paths, from the book's root, of the drawings that pages show, in the order of their first use."""
    found: dict[str, None] = {}
    for document in documents:
        for block in document.walk():
            if isinstance(block, Figure) and block.target.lower().endswith(".svg") and ":" not in block.target:
                path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), block.target))
                found.setdefault(path)
    return list(found)


def drawing_name(path: str) -> str:
    """What a drawing's catalog is called: its path without ".svg"."""
    return PurePosixPath(path).with_suffix("").as_posix()


def drawing_units(svg: str) -> tuple[Unit, ...]:
    """The texts of a drawing that have words. What a `<tspan>` sets apart stands between `<1>` and `</1>`."""
    found = []
    for match in _TEXT.finditer(svg):
        text, _ = _numbered(match["inside"])
        if has_words(_NUMBERED.sub(" ", text)):
            found.append(Unit(match.start("inside"), match.end("inside"), KIND, KIND, text, form="drawing"))
    return tuple(found)


def _numbered(inside: str) -> tuple[str, dict[str, str]]:
    """A text with its tags as numbers, and the tag for each."""
    tags: dict[str, str] = {}
    open_tags: list[int] = []
    count = 0

    def number(match: re.Match[str]) -> str:
        nonlocal count
        if match["end"]:
            name = f"</{open_tags.pop() if open_tags else 0}>"
        else:
            count += 1
            open_tags.append(count)
            name = f"<{count}>"
        tags[name] = match[0]
        return name

    return " ".join(_TAG.sub(number, inside).split()), tags


def translate_svg(svg: str, catalog: Catalog, refused: Iterable[tuple[str, str]] = ()) -> str:
    """A drawing with the texts of a catalog; as it is, if one of them lacks a translation that can be used."""
    refused = set(refused)
    parts: list[str] = []
    position = 0
    for unit in drawing_units(svg):
        entry = catalog.get(unit)
        if entry is None or not entry.usable or entry.key in refused:
            return svg
        if entry.text != unit.msgid:
            parts += svg[position : unit.start], _tagged(entry.text, svg[unit.start : unit.end])
            position = unit.end
    return "".join([*parts, svg[position:]])


def _tagged(text: str, inside: str) -> str:
    """A translation with the tags of its source."""
    _, tags = _numbered(inside)
    return _NUMBERED.sub(lambda match: tags.get(match[0], match[0]), text.replace("\n", " "))


def check_drawing_text(msgid: str, text: str) -> Iterator[str]:
    """What makes a text unfit for its drawing."""
    if sorted(_NUMBERED.findall(msgid)) != sorted(_NUMBERED.findall(text)):
        yield "its marks <1> … </1> are not those of the source; put them around the same words"
        return
    if more := Counter(_OTHER_TAG.findall(text)) - Counter(_OTHER_TAG.findall(msgid)):
        yield f"'{min(more)[:60]}' is not in the source; a drawing's text has its marks <1> … </1> only, take it out"
        return
    named = re.sub(r"<(/?)(\d+)>", r"<\1n\2>", text)
    try:
        ElementTree.fromstring(f"<text>{named}</text>")
    except ElementTree.ParseError:
        yield "this is not well-formed in a drawing: write &lt; for < and &amp; for &, and close each mark"
