"""Labels and what refers to them: every label's target, and references that lead nowhere."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from d2lbook.book.assets import EXTERNAL, IMAGE, Asset, assets_of
from d2lbook.book.cross_references import plain_text
from d2lbook.diagnostics import Messages, likely
from d2lbook.files import is_file, is_folder
from d2lbook.model import (
    Block,
    Book,
    Document,
    Equation,
    Figure,
    Heading,
    Label,
    Role,
    Span,
    Table,
    Target,
    labels_of,
    roles_of,
)
from d2lbook.parse.prose import CITATIONS, REFERENCES
from d2lbook.security.inside import CODE, why_outside


@dataclass(frozen=True, slots=True)
class _Labelled:
    kind: str
    labels: tuple[Label, ...]
    title: str  # inline Markdown


def _labelled(block: Block) -> _Labelled | None:
    match block:
        case Heading():
            return _Labelled("section", block.labels, block.title)
        case Figure():
            return _Labelled("figure", labels_of(block), block.caption)
        case Table():
            return _Labelled("table", labels_of(block), block.caption)
        case Equation():
            return _Labelled("equation", labels_of(block), "")
        case _:
            return None


def anchor_of(label: str) -> str:
    return re.sub(r"[^\w.-]+", "-", label.replace("_", "-"))


def find_targets(book: Book, messages: Messages) -> dict[str, Target]:
    """Every label's target; labels that are defined twice, or whose anchors clash on a page, are reported."""
    targets: dict[str, Target] = {}
    places: dict[str, tuple[str, Span]] = {}
    anchors: dict[tuple[str, str], str] = {}
    for page in book.pages:
        document = page.document
        for block in document.walk():
            labelled = _labelled(block)
            if labelled is None or not labelled.labels:
                continue
            anchor = anchor_of(labelled.labels[0].name)
            for label in labelled.labels:
                if label.name in targets:
                    _report_twice(document, label, places[label.name], messages)
                    continue
                if labelled.kind == "section":
                    anchor = anchor_of(label.name)
                places[label.name] = document.path, label.span
                _report_anchor(
                    document, label, anchors.setdefault((document.name, anchor), label.name), anchor, messages
                )
                number = book.number_of(document.name, block)
                is_page = labelled.kind == "section" and number == page.number
                targets[label.name] = Target(
                    label.name,
                    page.kind if is_page else labelled.kind,
                    document.name,
                    number,
                    plain_text(labelled.title, book),
                    anchor,
                )
    return targets


def _report_twice(document: Document, label: Label, first: tuple[str, Span], messages: Messages) -> None:
    path, span = first
    what = f"label '{label.name}' is already defined in {path}:{span.line}:{span.column}; rename one of the two"
    messages.error(document.path, label.span.line, label.span.column, what, "label-twice")


def _report_anchor(document: Document, label: Label, other: str, anchor: str, messages: Messages) -> None:
    if other != label.name and anchor_of(label.name) == anchor_of(other):
        what = (
            f"labels '{label.name}' and '{other}' have the same anchor '#{anchor}' on this page; rename one of the two"
        )
        messages.warning(document.path, label.span.line, label.span.column, what, "label-anchor")


def check_references(book: Book, messages: Messages) -> None:
    """Reports references to labels, citations of works and images that are not there."""
    for page in book.pages:
        for block in page.document.walk():
            for role in roles_of(block):
                _check_role(book, page.document, role, messages)
            outside = _check_places(book, page.document, block, messages)
            _check_images(book, page.document, block, outside, messages)
            if isinstance(block, Figure) and block.interactive and block.interactive not in outside:
                _check_script(book, page.document, block, messages)


def _check_role(book: Book, document: Document, role: Role, messages: Messages) -> None:
    if role.kind in CITATIONS:
        for key in role.keys:
            if key not in book.citations:
                text = f"'{key}' is not in the bibliography; {likely(key, book.citations, 'add it there')}"
                messages.error(document.path, role.span.line, role.span.column, text, "citation-undefined")
    elif role.kind in REFERENCES:
        for key in role.keys:
            _check_reference(book, document, role, key, messages)


def _check_reference(book: Book, document: Document, role: Role, key: str, messages: Messages) -> None:
    target = book.targets.get(key)
    if target is None:
        hint = likely(key, book.targets, "no page defines it")
        place = document.path, role.span.line, role.span.column
        messages.unfinished(*place, f"label '{key}' is not defined; {hint}", "label-undefined")
        return
    if role.kind == "eqref" and target.kind != "equation":
        text = f":eqref: leads to the {target.kind} '{key}'; use :numref: for it"
        messages.error(document.path, role.span.line, role.span.column, text, "label-kind")


def _check_places(book: Book, document: Document, block: Block, messages: Messages) -> set[str]:
    """Reports what a block shows or links to outside the book; the targets, which no format reads."""
    found = set()
    for asset in assets_of((block,)):
        if EXTERNAL.match(asset.target) or not (why := why_outside(book.root, document.path, asset.target)):
            continue
        found.add(asset.target)
        span = _asset_span(document, asset)
        messages.error(document.path, span.line, span.column, why, CODE)
    return found


def _check_images(book: Book, document: Document, block: Block, outside: set[str], messages: Messages) -> None:
    for asset in assets_of((block,)):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), asset.target))
        if asset.kind != IMAGE or asset.target.startswith("#") or asset.target in outside or is_file(book.root / path):
            continue
        span = _asset_span(document, asset)
        hint = likely(posixpath.basename(path), _names_beside(book, path), "add it, or correct the path")
        text = f"there is no file '{path}'; {hint}"
        messages.error(document.path, span.line, span.column, text, "figure-missing")


def _check_script(book: Book, document: Document, figure: Figure, messages: Messages) -> None:
    """Reports what keeps a figure from being interactive."""
    line, column = document.place(figure.span.start + document.source(figure).index(":interactive:"))
    path = posixpath.normpath(posixpath.join(posixpath.dirname(document.path), figure.interactive))
    if EXTERNAL.match(figure.interactive) or not path.endswith(".js"):
        text = f"'{figure.interactive}' is no script of the book; name a .js file beside the figure"
        messages.error(document.path, line, column, text, "interactive-kind")
    elif not figure.target.lower().endswith(".svg"):
        text = f"an interactive figure is a drawing, and '{figure.target}' is not SVG; draw its still as one"
        messages.error(document.path, line, column, text, "interactive-kind")
    elif not is_file(book.root / path):
        text = f"there is no script '{path}'; {likely(posixpath.basename(path), _names_beside(book, path), 'add it')}"
        messages.error(document.path, line, column, text, "interactive-missing")


def _names_beside(book: Book, path: str) -> list[str]:
    folder = (book.root / path).parent
    return sorted(file.name for file in folder.iterdir()) if is_folder(folder) else []


def _asset_span(document: Document, asset: Asset) -> Span:
    """Where an image or link begins; where its block does, when it is not found there as it is named."""
    block, source = asset.block, document.source(asset.block)
    places = (source.find(f"]({opening}{asset.target}") for opening in ("", "<"))
    opening = "![" if asset.kind == IMAGE else "["
    start = source.rfind(opening, 0, max(places) + 1) if not isinstance(block, Figure) else -1
    if start < 0:
        return block.span
    start += block.span.start
    return Span(start, block.span.end, *document.place(start))
