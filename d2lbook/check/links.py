"""Links, drawings and files of the configuration that formats would look for in vain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from d2lbook.book.assets import EXTERNAL, IMAGE, assets_of, file_of
from d2lbook.book.cross_references import citation_anchor
from d2lbook.config import Config
from d2lbook.config.keys import Kind, key_of, words
from d2lbook.diagnostics import BookError, Messages, likely
from d2lbook.export.site.nav import Anchors
from d2lbook.files import is_file
from d2lbook.model import ApiListing, Block, Book, Footnote, Page, RawRst, markdown_of
from d2lbook.parse import markdown
from d2lbook.rendering.figures import BadPicture, finding, read_drawing
from d2lbook.rendering.paths import beside
from d2lbook.security.inside import book_file

_ID = re.compile(r"""<[^>]*\s(?:id|name)\s*=\s*["']?([^"'\s>]+)""")
_NO_COLON = re.compile(r"https?/", re.IGNORECASE)
_SECTIONS = {"pdf", "deploy"}  # whose files nothing looks for before a format is built
_REPORTED = {"bibfile"}  # when the book is read


def check_files(config: Config, messages: Messages) -> None:
    """Report files that `config.ini` names and that are not there."""
    for (section, name), value in config.values.items():
        key = key_of(section, name)
        if key is None or section not in _SECTIONS or name in _REPORTED or key.kind not in {Kind.FILE, Kind.FILES}:
            continue
        for file in [value.strip()] if key.kind is Kind.FILE else words(value):
            if file and not EXTERNAL.match(file) and not is_file(config.root / file):
                what = f"{name}: there is no file '{file}'; write it, or remove its name"
                messages.error(config.name_in_messages, config.line(section, name), 1, what, "config-file")


def check_links(book: Book, messages: Messages) -> None:
    """Report links that lead to no page, file or anchor, and drawings that no page can show."""
    links = _Links(book, {page.document.name: page for page in book.pages})
    for page in book.pages:
        for block in page.document.walk():
            for target in _targets(block):
                if what := links.finding(page.document.name, target):
                    messages.error(page.document.path, *_place(page, block, target), *what)
            _check_drawings(book, page, block, messages)


def _targets(block: Block) -> Iterator[str]:
    """The addresses in the book that a block links to, as written, with their anchors."""
    for text in markdown_of(block):
        for token in markdown().parse(text) if "](" in text else ():
            for child in token.children or ():
                target = str(child.attrs["href"]) if child.type == "link_open" else ""
                if target and not EXTERNAL.match(target):
                    yield target


@dataclass(slots=True)
class _Links:
    """Where the links of a book lead."""

    book: Book
    pages: dict[str, Page]
    anchors: dict[str, set[str] | None] = field(default_factory=dict)  # by page; None where they are not known

    def finding(self, here: str, target: str) -> tuple[str, str] | None:
        """What is wrong with a link on page `here`, and its code."""
        path, _, anchor = target.partition("#")
        place = beside(here, file_of(path)) if path else here
        name = place.removesuffix(".md").removesuffix(".html")
        if _NO_COLON.match(path):
            return None  # reported as no address of the web
        if name in self.pages:
            return self._of_anchor(name, anchor) if anchor else None
        if not path or book_file(self.book.root, here, file_of(path)) is not None:
            return None
        hint = likely(name, self.pages, "correct it, or add the file", "the page '{}'")
        return f"the link leads to '{path}', which is neither a page nor a file of the book; {hint}", "link-broken"

    def _of_anchor(self, name: str, anchor: str) -> tuple[str, str] | None:
        if name not in self.anchors:
            self.anchors[name] = self._anchors_of(self.pages[name])
        known = self.anchors[name]
        if known is None or anchor in known:
            return None
        hint = likely(anchor, known, "name a heading's label, with '-' for '_'", "'#{}'")
        return f"the page '{name}' has no anchor '#{anchor}'; {hint}", "link-anchor"

    def _anchors_of(self, page: Page) -> set[str] | None:
        """What links can lead to on a page; None where that is known only when it is written."""
        if any(isinstance(block, ApiListing | RawRst | Footnote) for block in page.document.walk()):
            return None
        name, book = page.document.name, self.book
        known = {anchor for several in Anchors(page, book).of.values() for anchor in several}
        known |= {target.anchor for target in book.targets.values() if target.page == name}
        known |= set(_ID.findall(page.document.text))
        return known | (set(map(citation_anchor, book.citations)) if name == book.bibliography_page else set())


def _check_drawings(book: Book, page: Page, block: Block, messages: Messages) -> None:
    for asset in assets_of((block,)):
        path = book_file(book.root, page.document.name, asset.target) if asset.kind == IMAGE else None
        if path is None or path.suffix.lower() != ".svg" or not is_file(path):
            continue
        try:
            read_drawing(path, book.drawings)
        except (BadPicture, BookError, ValueError) as error:
            text, code = finding(beside(page.document.name, asset.target), error)
            messages.error(page.document.path, block.span.line, block.span.column, text, code)


def _place(page: Page, block: Block, target: str) -> tuple[int, int]:
    source = page.document.source(block)
    at = source.find(f"]({target}")
    return page.document.place(block.span.start + (max(source.rfind("[", 0, at), 0) if at >= 0 else 0))
