"""The blocks of a page as Markdown that Jupyter shows: marks resolved, references as links."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from d2lbook.book.citations import citations_in
from d2lbook.book.cross_references import citation_anchor, linked, plain_text, resolve_markdown
from d2lbook.export.notebook import constructs, reference
from d2lbook.export.notebook.emphasis import plain_emphasis
from d2lbook.export.notebook.syntax import anchors, escaped, fenced, image
from d2lbook.model import (
    NUMBERED,
    ApiListing,
    Bibliography,
    Block,
    Book,
    Equation,
    Fault,
    Figure,
    Footnote,
    Heading,
    Label,
    Listing,
    Page,
    Prose,
    RawRst,
    Table,
    Toc,
    UiStrings,
    View,
    labels_of,
)
from d2lbook.parse.footnotes import notes_of
from d2lbook.parse.inline import ROLE
from d2lbook.parse.prose import CITATIONS, REFERENCES
from d2lbook.rendering.bibliography_style import entry_address, entry_text, in_style, work_text
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.paths import beside

Texts = dict[tuple[str, str], str]  # with references resolved, by their language and what stands in the source


@dataclass(slots=True)
class PageMarkdown:
    """Writes the blocks of one page as one framework sees it."""

    around: BookContext
    page: Page
    tab: str
    texts: Texts = field(default_factory=dict)
    lang: str = ""  # of the block at work, where it is not the book's

    @property
    def name(self) -> str:
        return self.page.document.name

    @property
    def book(self) -> Book:
        return _in_words_of(self.lang, self.around.book) if self.lang else self.around.book

    @property
    def view(self) -> View:
        return self.around.view(self.page, self.tab)

    def block(self, block: Block) -> str:
        """The Markdown of a block other than a cell or solution; empty where notebooks show nothing of it.

        A block that is not translated refers and cites in its own language.
        """
        if block.lang and block.lang != self.book.words.lang:
            return replace(self, lang=block.lang).block(block)
        match block:
            case Heading():
                return self._heading(block)
            case Footnote():
                found = notes_of(self.page.document).get(block.name)
                return constructs.note(found, self.resolved) if found is not None else ""
            case Prose():
                return self.resolved(block.text).rstrip()
            case Fault():
                return f"> **{escaped(block.code)}** `{block.place}` {escaped(block.text)}"
            case Listing():
                return fenced(block.info, block.text)
            case RawRst():
                return fenced("rst", block.text)
            case Equation():
                return self._equation(block)
            case Figure():
                return self.figure(block)
            case Table():
                return self._table(block)
            case Toc():
                names = [beside(self.name, entry.target) for entry in block.entries]
                return "\n".join(self._toc(names, 0, block.maxdepth))
            case Bibliography():
                return self.works(self.book.citations)
            case ApiListing():
                return self._libraries(block.part)
            case _:
                return ""

    def _heading(self, heading: Heading) -> str:
        title = self.one_line(heading.title)
        number = self._number(heading)
        numbered = f"{number} {title}" if number else title
        authors = escaped(self.page.document.authors) if heading.level == 1 else ""
        byline = f"\n\n*{authors}*" if authors else ""
        return f"{self._anchors(heading.labels)}{'#' * heading.level} {numbered}{byline}"

    def _equation(self, equation: Equation) -> str:
        number = self._number(equation)
        tag = f" \\tag{{{number}}}" if number else ""
        return f"{self._anchors(labels_of(equation))}$$\n{equation.tex.strip()}{tag}\n$$"

    def figure(self, figure: Figure) -> str:
        alt = figure.alt or plain_text(figure.caption, self.book)
        return self.captioned(figure, image(figure.target, alt))

    def captioned(self, figure: Figure, shown: str) -> str:
        """A picture with the targets and the caption of its figure."""
        caption = self._caption("figure", figure)
        return f"{self._targets(figure)}{shown}{_gap(caption)}{caption}"

    def _table(self, table: Table) -> str:
        caption = self._caption("table", table)
        return f"{self._targets(table)}{caption}{_gap(caption)}{self.resolved(table.text).strip()}"

    def _caption(self, kind: str, block: Figure | Table) -> str:
        number = self._number(block)
        lead = f"**{self.book.words(NUMBERED[kind], number=number)}**" if number else ""
        return " ".join(part for part in (lead, self.one_line(block.caption)) if part)

    def _toc(self, names: Iterable[str], depth: int, maxdepth: int) -> Iterator[str]:
        for name in names:
            page = self.book.page(name.removesuffix(".md"))
            if page is None or depth >= maxdepth:
                continue
            title = plain_text(page.document.title, self.book) or page.document.name
            shown = f"{page.number} {title}" if page.number else title
            yield f"{'    ' * depth}* {linked(shown, self.link(page.document.name, ''))}"
            yield from self._toc(page.children, depth + 1, maxdepth)

    def _libraries(self, part: str) -> str:
        """What the library of this notebook's framework offers."""
        if part == "aliases":
            return reference.aliases(self.around.api, self.tab, self.book.words)
        return reference.definitions(self.around.api, self.book, self.tab, self.resolved, self.link)

    def works(self, keys: Iterable[str]) -> str:
        """A list of works."""
        by_text = sorted(keys, key=lambda key: entry_text(self.book.citations[key]))
        style = self.book.citation_style
        return "\n\n".join(map(self._work, by_text if style is None else in_style(by_text, style)))

    def _work(self, key: str) -> str:
        fields = self.book.citations[key]
        address = entry_address(fields)
        text = work_text(key, self.book, escaped, "<em>", "</em>")
        return f'<a id="{citation_anchor(key)}"></a>{text}' + (f" <{address}>" if address else "")

    # ---- references --------------------------------------------------------------------------------------------------

    def resolved(self, text: str) -> str:
        known = self.texts.get((self.lang, text))
        if known is None:
            resolved = resolve_markdown(text, self.book, self.link, self.around.api.place_of)
            shown = constructs.written(resolved, notes_of(self.page.document), self.book.words)
            known = self.texts[self.lang, text] = plain_emphasis(shown)
        return known

    def one_line(self, text: str) -> str:
        return " ".join(self.resolved(text).split())

    def link(self, page: str, anchor: str) -> str:
        """Address of a place in another notebook; a cited work is listed at the end of this one."""
        fragment = f"#{anchor}" if anchor else ""
        if page == self.name or (page == self.book.bibliography_page and anchor.startswith("cite-")):
            return fragment or f"{posixpath.basename(self.name)}.ipynb"
        return posixpath.relpath(f"{page}.ipynb", posixpath.dirname(self.name) or ".") + fragment

    def code(self, code: str) -> str:
        """Code whose comments and docstrings name their references: `:numref:` is nothing to a notebook."""

        def named(role: re.Match[str]) -> str:
            keys = {key.strip() for key in role[2].split(",")}
            cited = role[1] in CITATIONS and keys <= self.book.citations.keys()
            referred = role[1] in REFERENCES and keys <= self.book.targets.keys()
            return plain_text(role[0], self.book) if cited or referred else role[0]

        return ROLE.sub(named, code)

    # ---- numbers and anchors -----------------------------------------------------------------------------------------

    def _number(self, block: Block) -> str:
        return self.book.number_of(self.name, block)

    def _anchors(self, labels: Iterable[Label]) -> str:
        targets = self.book.targets
        return anchors(targets[label.name].anchor for label in labels if label.name in targets)

    def _targets(self, block: Figure | Table) -> str:
        """Anchors in a paragraph of their own."""
        found = self._anchors(labels_of(block))
        return f"{found}\n" if found else ""


def _in_words_of(lang: str, book: Book) -> Book:
    """The book as a block refers to it that is in another language: made once for all such blocks."""
    known: Book | None = book.memo.get(("in words of", lang))
    if known is None:
        words = UiStrings(lang)
        known = replace(book, words=words, citations=citations_in(words, book.citations))
        book.memo["in words of", lang] = known
    return known


def _gap(caption: str) -> str:
    return "\n\n" if caption else ""
