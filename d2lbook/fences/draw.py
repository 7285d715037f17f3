"""Fences that have a handler, as figures: each drawn once, and again when its text or its handler changes."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from hashlib import sha256
from xml.etree import ElementTree

from d2lbook.book.unsafe import WIDTH
from d2lbook.config import UNTRUSTED, Config
from d2lbook.diagnostics import Messages
from d2lbook.fences.handlers import SECTION, Handler, handled, lies_in_book, version
from d2lbook.fences.process import Worker
from d2lbook.model import Block, Book, Container, Document, Figure, Listing
from d2lbook.parse.listing_language import fence_word
from d2lbook.security.inside import place_of
from d2lbook.security.svg import clean_svg

_LARGEST = 10_000_000  # characters of a drawing
_LINES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a handler made of a fence: a drawing without anything that runs or loads; or what was wrong."""

    svg: str = ""
    alt: str = ""
    fault: str = ""
    code: str = ""  # of the message about the fault, or about what was left out
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class Fences:
    """The drawings of a book's fences: those that are known of earlier commands, and those of this one."""

    config: Config
    known: dict[str, Drawing] = field(default_factory=dict)
    used: dict[str, Drawing] = field(default_factory=dict)

    @property
    def good(self) -> dict[str, Drawing]:
        """What is worth knowing in the next command: a fault may be mended outside of the book."""
        return {name: drawing for name, drawing in self.used.items() if not drawing.fault}

    def drawing(self, handler: Handler, fence: Listing, options: dict[str, str], worker: Worker) -> Drawing:
        words = version(handler), handler.language, repr(sorted(options.items())), fence.text
        name = sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()
        if name not in self.used:
            self.used[name] = self.known[name] if name in self.known else _ask(handler, fence, options, worker)
        return self.used[name]


def drawn(edition: Book, source: Book, fences: Fences, messages: Messages) -> Book:
    """An edition of a book with a figure for each fence that has a handler; faults are told at the source's fences.

    A fence that cannot be drawn stays what it is. Blocks stay in number and place.
    """
    handlers = handled(fences.config)
    if not handlers:
        return edition
    for name, handler in list(handlers.items()):
        if not fences.config.trusted and lies_in_book(handler, fences.config):
            line, what = fences.config.line(SECTION, name), f"{name}: '{handler.module}' {UNTRUSTED}"
            messages.error(fences.config.name_in_messages, line, 1, what, "program-untrusted")
            del handlers[name]
    config = fences.config
    folders = dict.fromkeys((config.path.parent, config.root)) if config.trusted else ()
    sources = {page.document.name: page.document for page in source.pages}
    with Worker(tuple(folders)) as worker:
        painter = _Painter(handlers, fences, worker, messages)
        pages = [painter.document(page.document, sources[page.document.name]) for page in edition.pages]
    if not painter.drawings:
        return edition
    known = replace(
        edition,
        pages=tuple(replace(page, document=document) for page, document in zip(edition.pages, pages, strict=True)),
        drawings={**edition.drawings, **{edition.root / place: svg for place, svg in painter.drawings.items()}},
    )
    known.memo.update((name, value) for name, value in edition.memo.items() if not isinstance(name, tuple))
    return known


@dataclass(slots=True)
class _Painter:
    handlers: dict[str, Handler]
    fences: Fences
    worker: Worker
    messages: Messages
    drawings: dict[str, str] = field(default_factory=dict)  # place in the book -> SVG; there is no such file

    def document(self, document: Document, source: Document) -> Document:
        listings = iter([block for block in source.walk() if isinstance(block, Listing)])
        figures: dict[int, Figure] = {}
        for block in document.walk():
            if isinstance(block, Listing):
                figure = self._figure(block, document, next(listings), source)
                if figure is not None:
                    figures[block.span.start] = figure
        return replace(document, blocks=_replaced(document.blocks, figures)) if figures else document

    def _figure(self, block: Listing, document: Document, fence: Listing, source: Document) -> Figure | None:
        """The figure of a fence, drawn from its text in the source: that is the same in all languages."""
        handler = None if fence.info.startswith("{") else self.handlers.get(fence_word(fence.info).lower())
        if handler is None:
            return None
        place = source.path, fence.span.line, fence.span.column
        try:
            options = options_of(fence.info)
        except ValueError as error:
            self.messages.error(*place, f"'{handler.language}' cannot be drawn: {error}", "fence-options")
            return None
        alt, width = options.pop("alt", ""), options.pop("width", "")
        drawing = self.fences.drawing(handler, fence, options, self.worker)
        if drawing.fault:
            name = f"{handler.module}:{handler.function}"
            what = f"'{handler.language}' cannot be drawn by {name}: {drawing.fault}; the fence is shown as code"
            self.messages.error(*place, what, drawing.code)
            return None
        for what in drawing.left_out:
            text = f"the drawing of this '{handler.language}' holds {what}, which is left out; have it drawn without"
            self.messages.error(*place, text, "figure-unsafe")
        if not (alt or drawing.alt):
            what = f"the figure of this '{handler.language}' has no alternative text; say what it shows in alt=\"…\""
            self.messages.warning(*place, what, "figure-alt")
        target = f"fence-{sha256(drawing.svg.encode('utf-8', 'surrogatepass')).hexdigest()[:20]}.svg"
        self.drawings[place_of(document.path, target)] = drawing.svg
        return Figure(span=block.span, lang=block.lang, caption="", target=target, width=width, alt=alt or drawing.alt)


def options_of(info: str) -> dict[str, str]:
    """What the first line of a fence says behind the language, as `name=value` or `name="some words"`.

    Raises ValueError for anything else.
    """
    options = {}
    for word in shlex.split(info)[1:]:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise ValueError(f"'{word}' is no option; write name=value")
        options[name] = value
    if (width := options.get("width")) and not WIDTH.fullmatch(width):
        raise ValueError(f"'{width}' is no width; write a number with a unit, such as 400px or 60%")
    return options


def _ask(handler: Handler, fence: Listing, options: dict[str, str], worker: Worker) -> Drawing:
    about = {"module": handler.module, "function": handler.function, "language": handler.language}
    found = worker.ask({**about, "code": fence.text, "options": options})
    if "fault" in found:
        return Drawing(fault=_LINES.sub(" ", found["fault"])[:300], code=found["code"])
    svg = found["svg"]
    try:
        if len(svg) > _LARGEST:
            raise ValueError(f"has {len(svg) / 1e6:.0f} million characters; {_LARGEST / 1e6:.0f} million are allowed")
        clean, left_out = clean_svg(svg)
        if ElementTree.fromstring(clean).tag != "{http://www.w3.org/2000/svg}svg":
            raise ValueError('has another root than <svg xmlns="http://www.w3.org/2000/svg">')
    except ElementTree.ParseError as error:
        return Drawing(fault=f"what it returns is not SVG: {error}", code="fence-svg")
    except ValueError as error:
        return Drawing(fault=f"what it returns {error}", code="fence-svg")
    return Drawing(svg=clean, alt=found["alt"].strip(), left_out=left_out)


def _replaced(blocks: tuple[Block, ...], figures: dict[int, Figure]) -> tuple[Block, ...]:
    made: list[Block] = []
    for block in blocks:
        if isinstance(block, Container):
            made.append(replace(block, blocks=_replaced(block.blocks, figures)))
        else:
            made.append(figures.get(block.span.start, block) if isinstance(block, Listing) else block)
    return tuple(made)
