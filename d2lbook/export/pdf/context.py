"""What the prose of a page refers to, as LaTeX: places of the book, works, names of the libraries, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from d2lbook.book.citations import short_author
from d2lbook.book.cross_references import citation_anchor, link_text
from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.pdf.backmatter import BookText
from d2lbook.export.pdf.escape import escape
from d2lbook.export.pdf.images import Images, width_of
from d2lbook.export.pdf.prose import address
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.figures import BadPicture, finding
from d2lbook.export.shared.paths import EXTERNAL, beside, file_of
from d2lbook.model import Book, Page, UiStrings


@dataclass(slots=True)
class PageContext:
    """A page and the book around it. What cannot be shown is reported, with its place, and left out."""

    page: Page
    tab: str
    book: Book
    config: Config
    images: Images
    messages: Messages
    text: BookText
    line: int = 1  # of the block at work
    lang: str = ""  # its language, where it is not the book's

    @property
    def name(self) -> str:
        return self.page.document.name

    @property
    def words(self) -> UiStrings:
        """The builder's, in the language of the block at work."""
        return UiStrings(self.lang) if self.lang else self.book.words

    def warn(self, text: str, code: str) -> None:
        self.messages.warning(self.page.document.path, self.line, 1, text, code)

    def bad_image(self, place: str, error: BadPicture | BookError | OSError | ValueError) -> None:
        self.messages.error(self.page.document.path, self.line, 1, *finding(place, error))

    def reference(self, kind: str, key: str) -> str:
        target = self.book.targets.get(key)
        shown = escape(link_text(kind, key, self.book, self.words)).replace(" ", "~")
        return _link(f"{target.page}:{target.anchor}", shown) if target is not None else shown

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        shown = []
        for key in keys:
            fields = self.book.citations.get(key)
            if fields is None:
                continue
            self.text.cited.add(key)
            author, year = escape(short_author(fields, self.words)), escape(fields["short_year"])
            words = f"{author} ({year})" if kind == "citet" else f"{author}, {year}"
            shown.append(_link(citation_anchor(key), words))
        return "; ".join(shown) if kind == "citet" else f"({'; '.join(shown)})"

    def api(self, text: str, shown: str) -> str:
        """A name of the libraries; it leads to what the reference says of it."""
        place = api_of(self.book, self.config).definition_of(text, self.tab)
        return _link(place[1], shown) if place is not None else shown

    def image(self, target: str) -> str:
        return self.included(target, "", r"0.5\linewidth")

    def included(self, target: str, width: str, default: str) -> str:
        """A picture as wide as is written, or `default`; empty when it cannot be shown."""
        if EXTERNAL.match(target):
            self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
            return ""
        place = beside(self.name, target)
        try:
            path = self.images.file(self.config.root / place)
        except (BadPicture, BookError, OSError) as error:
            self.bad_image(place, error)
            return ""
        return rf"\bookimage{{{width_of(width) or default}}}{{{path.as_posix()}}}"

    def link(self, target: str, shown: str) -> str:
        path, _, _ = target.partition("#")
        if EXTERNAL.match(target):
            return address(target, shown)
        page = beside(self.name, file_of(path)).removesuffix(".md").removesuffix(".html") if path else self.name
        return _link(page, shown) if self.book.page(page) is not None else shown


def _link(label: str, shown: str) -> str:
    return rf"\hyperref[{label}]{{{shown}}}"


def targets(anchors: Sequence[str]) -> str:
    """Labels that links lead to."""
    return "\\phantomsection" + "".join(f"\\label{{{anchor}}}" for anchor in anchors) + "%\n" if anchors else ""
