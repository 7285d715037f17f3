"""What the prose of a page refers to, as LaTeX: places of the book, works, names of the libraries, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from d2lbook.book.cross_references import citation_anchor
from d2lbook.diagnostics import BookError
from d2lbook.export.pdf.backmatter import BookText
from d2lbook.export.pdf.escape import escape, escape_breakable, escape_url
from d2lbook.export.pdf.images import Images, width_of
from d2lbook.export.pdf.prose import address
from d2lbook.export.pdf.prose import display as display_of
from d2lbook.rendering.context import PageContext
from d2lbook.rendering.figures import BadPicture, finding
from d2lbook.rendering.paths import EXTERNAL, ON_WEB, beside, picture_path


@dataclass(slots=True, kw_only=True)
class LatexContext(PageContext):
    """A page as one framework sees it, in the text of a book."""

    tab: str
    images: Images
    text: BookText

    def escape(self, text: str) -> str:
        return escape(text)

    def place(self, page: str, anchor: str, shown: str, kind: str = "") -> str:
        return _link(f"{page}:{anchor}", shown.replace(" ", "~")) if kind else _link(page, shown)

    def cited(self, key: str, shown: str) -> str:
        self.text.cited.add(key)
        return _link(citation_anchor(key), shown)

    def outward(self, target: str, shown: str) -> str:
        return address(target, shown)

    def api(self, text: str, shown: str) -> str:
        """A name of the libraries; it leads to what the reference says of it."""
        place = self.around.api.definition_of(text, self.tab)
        return _link(place[1], shown) if place is not None else shown

    def image(self, target: str) -> str:
        return self.included(target, "", r"0.5\linewidth")

    def included(self, target: str, width: str, default: str) -> str:
        """A picture as wide as is written, or `default`; empty when it cannot be shown."""
        if EXTERNAL.match(target):
            self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
            return rf"\href{{{escape_url(target)}}}{{{escape_breakable(target)}}}" if ON_WEB.match(target) else ""
        place = beside(self.name, target)
        try:
            path = self.images.file(picture_path(self.config.root, self.name, target))
        except (BadPicture, BookError, OSError) as error:
            self.error(*finding(place, error))
            return ""
        return rf"\bookimage{{{width_of(width) or default}}}{{{self.images.place(path)}}}"

    def formula(self, tex: str, display: bool) -> str:
        """A formula that KaTeX takes, and so TeX may; of another one its source, as code."""
        typeset = self.around.formulas.get(tex.strip(), display)
        if not typeset.error:
            return display_of(tex) if display else rf"\({tex.strip()}\)"
        self.warn(f"{typeset.error}; mend the formula '{tex.strip()[:60]}'", "formula-syntax")
        return rf"\inlinecode{{{escape_breakable(tex.strip())}}}"


def _link(label: str, shown: str) -> str:
    return rf"\hyperref[{label}]{{{shown}}}"


def targets(anchors: Sequence[str]) -> str:
    """Labels that links lead to."""
    return "\\phantomsection" + "".join(f"\\label{{{anchor}}}" for anchor in anchors) + "%\n" if anchors else ""
