"""Numbers of sections, figures, tables and equations, as Sphinx counts them with `numfig_secnum_depth = 2`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from d2lbook.model import Block, Document, Equation, Figure, Heading, Table, Toc

Number = tuple[str, ...]
_SECTION_DEPTH = 2  # of a figure's number: section 1.2.3 holds Fig. 1.2.1
# The page that an entry of a page's table of contents leads to; None when there is none, or it was listed before.
Follow = Callable[[str, int], Document | None]


@dataclass(slots=True)
class _Section:
    heading: Heading
    parts: list[_Section | Toc] = field(default_factory=list)


@dataclass(slots=True)
class Numbering:
    """Numbers by page name and start of the block's span."""

    follow: Follow  # (page name, start of the entry's span)
    found: dict[tuple[str, int], Number] = field(default_factory=dict)
    _sections: set[str] = field(default_factory=set)  # pages whose sections are numbered
    _counters: Counter[tuple[str, Number]] = field(default_factory=Counter)

    def number(self, root: Document) -> None:
        self._number_tables_of_contents(root)
        self._number_figures(root)

    def text(self, page: str, block: Block) -> str:
        return ".".join(self.found.get((page, block.span.start), ()))

    def _number_tables_of_contents(self, root: Document) -> None:
        """Numbers what tables of contents with `:numbered:` or `:appendix:` list; each counts from 1, or from A."""
        for toc in (block for block in root.walk() if isinstance(block, Toc)):
            if toc.numbered:
                self._number_toc(root, toc, (), Counter(), str)
            elif toc.appendix:
                self._number_toc(root, toc, (), Counter(), letters)
            for page in self._pages(root, toc):
                if page.name not in self._sections:
                    self._number_tables_of_contents(page)

    def _number_toc(
        self, document: Document, toc: Toc, prefix: Number, siblings: Counter[Number], shown: Callable[[int], str]
    ) -> None:
        for page in self._pages(document, toc):
            self._sections.add(page.name)
            self._number_parts(page, _outline(page), prefix, siblings, shown)

    def _number_parts(
        self,
        page: Document,
        parts: list[_Section | Toc],
        prefix: Number,
        siblings: Counter[Number],
        shown: Callable[[int], str],  # a number of the outermost level, as it is written
    ) -> None:
        for part in parts:
            if isinstance(part, Toc):
                self._number_toc(page, part, prefix, siblings, shown)
                continue
            siblings[prefix] += 1
            number = (*prefix, (str if prefix else shown)(siblings[prefix]))
            self.found[page.name, part.heading.span.start] = number
            self._number_parts(page, part.parts, number, siblings, shown)

    def _pages(self, document: Document, toc: Toc) -> Iterator[Document]:
        for entry in toc.entries:
            page = self.follow(document.name, entry.span.start)
            if page is not None:
                yield page

    def _number_figures(self, document: Document) -> None:
        """Counts on from page to page, in reading order, within each section of the depth that counts."""
        section: Number = self._first_section(document)
        top = {id(block) for block in document.blocks}
        for block in document.walk():
            if isinstance(block, Toc):
                for page in self._pages(document, block):
                    self._number_figures(page)
            elif isinstance(block, Heading) and id(block) in top:
                section = self.found.get((document.name, block.span.start), section)
            elif kind := _counted(block):
                prefix = section[:_SECTION_DEPTH]
                self._counters[kind, prefix] += 1
                self.found[document.name, block.span.start] = (*prefix, str(self._counters[kind, prefix]))

    def _first_section(self, document: Document) -> Number:
        headings = (block for block in document.blocks if isinstance(block, Heading))
        return next((self.found.get((document.name, heading.span.start), ()) for heading in headings), ())


def letters(number: int) -> str:
    """1 as "A", 26 as "Z", 27 as "AA"."""
    before, last = divmod(number - 1, 26)
    return (letters(before) if before else "") + chr(ord("A") + last)


def _counted(block: Block) -> str:
    """What a block counts as; empty when it has no number."""
    if isinstance(block, Figure) and (block.caption or block.label):
        return "figure"
    if isinstance(block, Table) and (block.caption or block.label):
        return "table"
    return "equation" if isinstance(block, Equation) and block.label else ""


def _outline(document: Document) -> list[_Section | Toc]:
    """The page's headings as a tree, each table of contents in the section where it stands."""
    top: list[_Section | Toc] = []
    stack: list[_Section] = []
    for block in document.blocks:
        if isinstance(block, Heading):
            while stack and stack[-1].heading.level >= block.level:
                stack.pop()
            section = _Section(block)
            (stack[-1].parts if stack else top).append(section)
            stack.append(section)
        elif isinstance(block, Toc):
            (stack[-1].parts if stack else top).append(block)
    return top
