"""What the prose of a page refers to, as XHTML: places of the book, works, names of the libraries, pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from d2lbook.book.citations import short_author
from d2lbook.book.cross_references import citation_anchor, link_text
from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.figures import BadPicture, finding
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.paths import EXTERNAL, beside, file_of, picture_path
from d2lbook.export.xhtml.mathml import with_letters
from d2lbook.export.xhtml.pictures import PICTURES, Media, read_picture
from d2lbook.export.xhtml.prose import attribute, escape
from d2lbook.model import Book, Page, UiStrings

# KaTeX 0.16 puts the invisible "function application" of `x_\max` into the element of the subscript, which takes two.
_STRAY = re.compile("<mo>\u2061</mo>(?=</m(?:sub|sup|subsup|under|over|underover|frac)>)")
_MATHML = re.compile(r"<math\b.*?</math>", re.DOTALL)


@dataclass(slots=True)
class PageContext:
    """A page and the book around it. What cannot be shown is reported, with its place, and left out."""

    page: Page
    tab: str
    book: Book
    config: Config
    formulas: Formulas
    media: Media
    messages: Messages
    address: Callable[[str, str], str]  # (page, anchor) -> where a link leads; empty where there is none
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

    def reference(self, kind: str, key: str) -> str:
        target = self.book.targets.get(key)
        shown = escape(link_text(kind, key, self.book, self.words)).replace(" ", "\u00a0")
        return self._link(target.page, target.anchor, shown) if target is not None else shown

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        shown = []
        for key in keys:
            fields = self.book.citations.get(key)
            if fields is None:
                continue
            author, year = escape(short_author(fields, self.words)), escape(fields["short_year"])
            words = f"{author} ({year})" if kind == "citet" else f"{author}, {year}"
            shown.append(self._cited(key, words))
        return "; ".join(shown) if kind == "citet" else f"({'; '.join(shown)})"

    def _cited(self, key: str, words: str) -> str:
        home = self.book.bibliography_page
        return self._link(home, citation_anchor(key), words) if home else words

    def api(self, text: str, shown: str) -> str:
        """A name of the libraries; it leads to what the reference says of it."""
        place = api_of(self.book, self.config).definition_of(text, self.tab)
        return self._link(*place, shown) if place is not None else shown

    def formula(self, tex: str, display: bool) -> str:
        typeset = self.formulas.get(tex.strip(), display)
        if typeset.error:
            self.warn(f"{typeset.error}; mend the formula '{tex.strip()[:60]}'", "formula-syntax")
        found = _MATHML.search(typeset.html)
        return with_letters(_STRAY.sub("", found[0])) if found is not None else f"<code>{escape(tex)}</code>"

    def image(self, target: str, alt: str) -> str:
        if EXTERNAL.match(target):
            self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
            return ""
        content = self._picture(target)
        if content is None:
            return ""
        path = self.media.add(content, PurePosixPath(target).suffix.lower())
        return f'<img src="{path}" alt="{attribute(alt)}"/>'

    def _picture(self, target: str) -> bytes | None:
        if PurePosixPath(target).suffix.lower() not in PICTURES:
            self.warn(f"'{target}' is no picture that readers show; save it as SVG, PNG or JPEG", "xhtml-image")
            return None
        try:
            return read_picture(picture_path(self.config.root, self.name, target), self.book.drawings)
        except (BadPicture, BookError, OSError) as error:
            text, code = finding(beside(self.name, target), error)
            self.messages.error(self.page.document.path, self.line, 1, text, code)
            return None

    def link(self, target: str, shown: str) -> str:
        path, _, anchor = target.partition("#")
        if EXTERNAL.match(target):
            return f'<a href="{attribute(target)}">{shown}</a>'
        page = beside(self.name, file_of(path)).removesuffix(".md").removesuffix(".html") if path else self.name
        return self._link(page, anchor, shown) if self.book.page(page) is not None else shown

    def _link(self, page: str, anchor: str, shown: str) -> str:
        address = self.address(page, anchor)
        return f'<a href="{attribute(address)}">{shown}</a>' if address else shown
