"""What the prose of a page refers to, as HTML: places of the book, works, names of the libraries, pictures."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from d2lbook.book.cross_references import citation_anchor
from d2lbook.diagnostics import BookError
from d2lbook.html.markup import attribute, escape
from d2lbook.html.mathml import with_letters
from d2lbook.html.pictures import PICTURES, Media, read_picture
from d2lbook.rendering.context import PageContext
from d2lbook.rendering.figures import BadPicture, finding
from d2lbook.rendering.formulas import Typeset
from d2lbook.rendering.paths import EXTERNAL, ON_WEB, beside, picture_path

# KaTeX 0.16 puts the invisible "function application" of `x_\max` into the element of the subscript, which takes two.
_STRAY = re.compile("<mo>\u2061</mo>(?=</m(?:sub|sup|subsup|under|over|underover|frac)>)")
_MATHML = re.compile(r"<math\b.*?</math>", re.DOTALL)


@dataclass(slots=True, kw_only=True)
class HtmlContext(PageContext):
    """What pages in HTML refer to."""

    @abstractmethod
    def api(self, text: str, shown: str) -> str: ...

    @abstractmethod
    def image(self, target: str, alt: str) -> str: ...

    def escape(self, text: str) -> str:
        return escape(text)

    def unsearched(self, html: str) -> str:
        """What stands beside the text: shown, but not among the words that are searched."""
        return html

    def cited(self, key: str, shown: str) -> str:
        home = self.book.bibliography_page
        return self.place(home, citation_anchor(key), shown) if home else shown

    def outward(self, target: str, shown: str) -> str:
        return f'<a href="{attribute(target)}">{shown}</a>'

    def remote(self, target: str, alt: str) -> str:
        """A link in the place of a picture on another site, from where pages load nothing."""
        self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
        return self.outward(target, escape(alt or target)) if ON_WEB.match(target) else ""

    def typeset(self, tex: str, display: bool) -> Typeset:
        """A formula as KaTeX sets it; its source as code, and an error, where KaTeX cannot."""
        found = self.around.formulas.get(tex.strip(), display)
        if found.error:
            line = " ".join(tex.split())
            short = line if len(line) <= 60 else f"{line[:57]}…"
            self.error(f"{found.error}; mend the formula '{short}'", "formula-syntax")
            return replace(found, html=f"<code>{escape(tex.strip())}</code>")
        return found

    def formula(self, tex: str, display: bool) -> str:
        found = _MATHML.search(self.typeset(tex, display).html)
        return with_letters(_STRAY.sub("", found[0])) if found is not None else f"<code>{escape(tex)}</code>"


@dataclass(slots=True, kw_only=True)
class ViewContext(HtmlContext):
    """A page as one framework sees it, with pictures in files of their own: in an ePub or a deck."""

    tab: str
    media: Media
    address: Callable[[str, str], str]  # (page, anchor) -> where a link leads; empty where there is none

    def place(self, page: str, anchor: str, shown: str, kind: str = "") -> str:
        address = self.address(page, anchor)
        shown = shown.replace(" ", "\u00a0") if kind else shown
        return f'<a href="{attribute(address)}">{shown}</a>' if address else shown

    def api(self, text: str, shown: str) -> str:
        """A name of the libraries; it leads to what the reference says of it."""
        place = self.around.api.definition_of(text, self.tab)
        return self.place(*place, shown) if place is not None else shown

    def image(self, target: str, alt: str) -> str:
        if EXTERNAL.match(target):
            return self.remote(target, alt)
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
            self.error(*finding(beside(self.name, target), error))
            return None
