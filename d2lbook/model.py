"""The data of a book: what the parser makes and everything else reads. Standard library only.

A `Document` is one Markdown notebook: its exact text and a tree of blocks, each knowing its span of that text. What
lies between blocks is blank space; so text -> Document -> text is byte-identical, and replacing a block's span
touches nothing else. A `View` is a document as one framework sees it. A `Book` is all documents in the order of the
table of contents, with every label's target and number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from d2lbook.diagnostics import Message
from d2lbook.languages import DEFAULT, interface_words

ALL_TABS = "all"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of a document's text, with the place where it starts (for messages)."""

    start: int  # offset in characters into Document.text
    end: int
    line: int  # 1-based
    column: int  # 1-based


@dataclass(frozen=True, slots=True)
class Role:
    """An inline `:kind:`text``, such as `:numref:`sec_x`` or `:cite:`a,b``."""

    kind: str  # "numref", "eqref", "ref", "cite", "citet", "citep", "class", "func", "mod", or an unknown one
    text: str
    span: Span

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key.strip() for key in self.text.split(","))


@dataclass(frozen=True, slots=True)
class Label:
    """The target `:label:`name`` (or `:eqlabel:`) that a heading, figure, table or equation carries."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Mark:
    """A slide mark in prose: `[**x**]` new slide, `(**x**)` same slide, `[~~x~~]`, `(~~x~~)` only on slides."""

    new_slide: bool
    only_slides: bool
    text: str  # what stands between the marks; plain text everywhere but on slides
    span: Span  # of the whole mark, delimiters included


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    span: Span
    lang: str = ""  # of its words, where they are not in the book's language: what is not translated yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading(Block):
    level: int  # 1 to 6
    title: str  # inline Markdown, marks and all
    labels: tuple[Label, ...] = ()
    roles: tuple[Role, ...] = ()
    anchor_title: str = ""  # in a translation, the source's title: anchors are the same in all languages


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose(Block):
    """One top-level Markdown block without meaning of its own here: a paragraph, list, quotation, rule, HTML."""

    text: str  # its source; inline roles and marks included
    roles: tuple[Role, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Footnote(Prose):
    """`[^name]: text`, with further paragraphs indented: what a text says of `[^name]` beside it."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(Block):
    """A fence that is not a cell: code or text to look at."""

    info: str  # what follows the opening fence, such as "bash"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure(Block):
    caption: str  # inline Markdown
    target: str  # path as written, relative to the page
    label: Label | None = None
    more_labels: tuple[Label, ...] = ()  # further names of the same target
    width: str = ""  # as written, such as "400px"
    height: str = ""
    alt: str = ""  # from `:alt:`; empty when there is none
    interactive: str = ""  # from `:interactive:`: the script that redraws it on the site, relative to the page
    roles: tuple[Role, ...] = ()  # of the caption


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Block):
    text: str  # the pipe table's source, without caption and label
    caption: str = ""  # inline Markdown, from the line `: caption`
    label: Label | None = None
    more_labels: tuple[Label, ...] = ()
    roles: tuple[Role, ...] = ()  # of cells and caption
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Equation(Block):
    """Display math that stands alone between `$$` and `$$`."""

    tex: str
    label: Label | None = None
    more_labels: tuple[Label, ...] = ()
    marks: tuple[Mark, ...] = ()  # the slide mark around the whole of it: `(**$$x$$**)`


def labels_of(block: Figure | Table | Equation) -> tuple[Label, ...]:
    """All names of a target, in source order."""
    return ((block.label,) if block.label else ()) + block.more_labels


def markdown_of(block: Block) -> tuple[str, ...]:
    """What of a block is Markdown."""
    match block:
        case Prose():
            return (block.text,)
        case Table():
            return (block.text, block.caption)
        case Heading():
            return (block.title,)
        case Figure():
            return (block.caption,)
    return ()


def roles_of(block: Block) -> tuple[Role, ...]:
    """The roles in it."""
    return block.roles if isinstance(block, Prose | Table | Heading | Figure) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell(Block):
    """A code cell of the source, for one framework or several."""

    attributes: str  # what follows `.python .input` in the fence's braces, such as "n=3"
    source: str  # between the fences, line ends as \n, mark lines and all
    code_line: int  # 1-based line of the first line of `source`
    tabs: tuple[str, ...] | None  # as marked, lower case, ("all",) unexpanded; None when there is no mark
    tab_span: Span | None = None  # of the names in the mark
    interact: bool = False  # holds `%load_ext d2lbook.tab`: dropped from everything built
    interact_tabs: tuple[str, ...] = ()  # of `tab.interact_select([...])`
    required_libs: tuple[str, ...] = ()
    run_source: str = ""  # in a translation, the source that was run: comments in the language do not change a result


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutput(Block):
    """A fence ```` ```{.json .output} ````: `outputcheck` refuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Block):
    """What is wrong near by, shown to readers of a build that went on: `book.faults` puts it there."""

    place: str  # `path:line:column`
    text: str  # what, why, what next
    code: str  # of the message


@dataclass(frozen=True, slots=True)
class TocEntry:
    target: str  # as written: page path without suffix, relative to this page
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Toc(Block):
    entries: tuple[TocEntry, ...]
    maxdepth: int = 2
    numbered: bool = False
    appendix: bool = False  # numbered with letters


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRst(Block):
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bibliography(Block):
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiListing(Block):
    """`:library:`part``: what the book's libraries offer, from their definitions or from `config.ini`."""

    part: str  # "definitions" or "aliases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Container(Block):
    """A block that holds others, which whoever walks the blocks of a page meets inside it."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TabProse(Container):
    """`:begin_tab:`a, b`` … `:end_tab:`: blocks for those frameworks only."""

    tabs: tuple[str, ...]
    tab_span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution(Container):
    """`:begin_solution:` … `:end_solution:`: the solution of the exercise before it, prose and cells."""


class Memo(dict[Any, Any]):
    """What was made of a value, once, for all who ask; it goes with the value, and is neither compared nor pickled."""

    def __reduce__(self) -> tuple[type[Memo], tuple[()]]:
        return Memo, ()


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a page says of itself between two lines `---` at its top. Its title is a heading of the page."""

    span: Span
    title_span: Span | None = None
    authors: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown notebook."""

    path: str  # relative to the book's root, forward slashes, with ".md"
    text: str  # exactly as in the file, byte-order mark and line ends included
    blocks: tuple[Block, ...] = field(repr=False)
    front: FrontMatter | None = None
    results: str = ""  # folder of its frozen results, for a translation whose strings are translated and have been run
    memo: Memo = field(init=False, default_factory=Memo, compare=False, repr=False)  # its views

    @property
    def name(self) -> str:
        """The path without ".md": "chapter_computation/use-gpu"."""
        return self.path.removesuffix(".md")

    @property
    def result_name(self) -> str:
        """What its frozen results are called below `outputs/`."""
        return f"{self.results}/{self.name}" if self.results else self.name

    def source(self, block: Block) -> str:
        return self.text[block.span.start : block.span.end]

    def place(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset into the text; a byte-order mark is no column."""
        before = self.text[:offset].removeprefix("\ufeff")
        return before.count("\n") + 1, len(before) - before.rfind("\n")

    def walk(self) -> Iterator[Block]:
        """Every block, containers before what they hold, in source order."""
        return walk(self.blocks)

    @property
    def title(self) -> str:
        """Inline Markdown of the first level-one heading; empty when there is none."""
        return next((b.title for b in self.blocks if isinstance(b, Heading) and b.level == 1), "")

    @property
    def authors(self) -> str:
        """Those that its front matter names, as the page shows them; empty when there are none."""
        return ", ".join(self.front.authors) if self.front is not None else ""

    @property
    def title_lang(self) -> str:
        """The title's language, where it is not the book's."""
        return next((b.lang for b in self.blocks if isinstance(b, Heading) and b.level == 1), "")


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Container):
            yield from walk(block.blocks)


class Place(NamedTuple):
    """Where something stands, for a message."""

    path: str
    line: int  # 1-based
    column: int  # 1-based


@dataclass(frozen=True, slots=True)
class Line:
    """A line of code, and where it stands on a page or in a file, however it was dedented or changed on the way."""

    text: str
    path: str
    number: int  # 1-based
    shift: int = 0  # what to add to a column here to get the column there
    made: bool = False  # from an entry of another form, whose place it has as a whole

    def place(self, column: int) -> Place:
        """The place of a 0-based column of this line."""
        return Place(self.path, self.number, max(self.shift if self.made else column + self.shift, 0) + 1)

    def place_of_byte(self, offset: int) -> Place:
        """The same for a column as `ast` counts them."""
        return self.place(len(self.text.encode()[:offset].decode(errors="ignore")))


@dataclass(frozen=True, slots=True)
class ViewCell:
    """One code cell as one framework sees it."""

    cell: Cell
    number: int  # 0-based position among this view's cells: joins a cell to its outputs
    code: str  # to execute and to show: tab, hide and alt lines gone, `tab.selected` resolved, `#@save` kept
    lines: tuple[Line, ...]  # the lines of `code`, with their places on the page
    hide_code: bool = False
    hide_output: bool = False
    alt: str = ""  # from `#@alt`
    gpu_first: bool = False  # of several devices' results another than the CPU's is shown first
    compare_devices: bool = False  # print shows all of them
    free: bool = False  # needs no framework: its result is that of all frameworks
    run_code: str = ""  # the code that was run, where the shown one is translated

    @property
    def runs(self) -> str:
        """The code that a result is of."""
        return self.run_code or self.code


@dataclass(frozen=True, slots=True)
class View:
    """A document as one framework sees it."""

    document: Document
    tab: str
    blocks: tuple[Block, ...]  # tabs' prose unwrapped or dropped, cells of others and `interact` cells dropped
    cells: tuple[ViewCell, ...]

    @property
    def own(self) -> tuple[ViewCell, ...]:
        """The cells whose results are this framework's own."""
        return tuple(cell for cell in self.cells if not cell.free)

    def cell(self, cell: Cell) -> ViewCell | None:
        """This view's version of a source cell; None when the framework does not have it."""
        return next((view_cell for view_cell in self.cells if view_cell.cell is cell), None)


@dataclass(frozen=True, slots=True)
class UiStrings:
    """The builder's own words in a book's language: `words("Fig. {number}", number="1.2")`.

    `d2lbook.ui_strings` lists them all. A book's own go before those that the builder has; without either, English.
    """

    lang: str = DEFAULT
    known: dict[str, str] = field(default_factory=dict, repr=False)  # English -> the book's language, of its catalog

    def __call__(self, english: str, **values: object) -> str:
        text = self.in_language(english) or english
        return text.format(**values) if values else text

    def in_language(self, english: str) -> str:
        """What a phrase is in the language; empty where nobody has said it."""
        return self.known.get(english) or interface_words(self.lang).get(english, "")


NUMBERED = {
    "chapter": "Chapter {number}",
    "appendix": "Appendix {number}",
    "section": "Section {number}",
    "figure": "Fig. {number}",
    "table": "Table {number}",
}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a label leads and how a reference to it reads."""

    label: str
    kind: str  # "chapter", "appendix", "section", "figure", "table", "equation"
    page: str  # document name
    number: str  # "1.2", "1.2.1"; empty for what the table of contents does not number
    title: str  # plain text of the heading or caption; empty for an equation
    anchor: str  # id on the page: the label, with "_" as "-"

    def text(self, words: UiStrings) -> str:
        """What `:numref:` shows: in English "Section 1.2", "Fig. 1.2.1", "Table 1.2.1"; `:eqref:`: "(1.2.1)"."""
        if self.kind == "equation":
            return f"({self.number})"
        return words(NUMBERED[self.kind], number=self.number) if self.number else self.title


@dataclass(frozen=True, slots=True)
class Page:
    """A document's place in the book."""

    document: Document
    number: str  # "1.2" as in the table of contents; empty when unnumbered
    depth: int  # 0 for the root index
    children: tuple[str, ...]  # names of the pages in its table of contents

    @property
    def kind(self) -> str:
        """What a reference calls it: a chapter lists pages of its own, an appendix has a letter."""
        if self.number.isalpha():
            return "appendix"
        return "chapter" if self.depth == 1 and self.children else "section"


@dataclass(frozen=True, slots=True)
class CitationStyle:
    """How the works of a book read in a style of its own. Words in italics stand between the two marks `ITALIC`."""

    ITALIC: ClassVar[tuple[str, str]] = ("\ue010", "\ue011")  # until a format has its own marks for them

    prefix: str  # around a citation, and between its works
    suffix: str
    delimiter: str
    cited: dict[str, str]  # what a citation says of each work: "3", "Li 2014"
    entries: dict[str, str]  # the list of works, in its order

    def enclosed(self, texts: Iterable[str]) -> str:
        return f"{self.prefix}{self.delimiter.join(texts)}{self.suffix}"

    def narrative(self, key: str, author: str, fields: dict[str, str]) -> str:
        """A citation that is part of the text: "Li [3]", "Li (2014)"."""
        text, year = self.cited[key], fields.get("year", "")
        return f"{author} {self.enclosed([year if year and text.endswith(year) else text])}"


@dataclass(frozen=True, slots=True)
class Book:
    """All pages, in the order of the table of contents (a page before its children)."""

    root: Path
    pages: tuple[Page, ...]
    targets: dict[str, Target]
    tabs: tuple[str, ...]  # all frameworks of the book, the first is the default
    citations: dict[str, dict[str, str]]  # bibliography key -> its fields, in the file's order
    # (page name, start of a block's span) -> number of the heading, figure, table or equation, labelled or not
    numbers: dict[tuple[str, int], str] = field(default_factory=dict, repr=False)
    words: UiStrings = field(default_factory=UiStrings)  # the builder's, in the book's language
    drawings: dict[Path, str] = field(default_factory=dict, repr=False)  # SVG files whose text is translated, with it
    # by page, the words of its plots that are translated
    plot_words: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)
    faults: tuple[Message, ...] = field(default=(), repr=False)  # errors that are shown on their pages
    citation_style: CitationStyle | None = field(default=None, repr=False)  # None: as the builder has it
    bibliography_page: str = field(init=False, default="")  # name of the page that prints it; empty when none does
    # part of the libraries' reference -> name of the page that prints it
    reference_pages: dict[str, str] = field(init=False, default_factory=dict)
    memo: Memo = field(init=False, default_factory=Memo, compare=False, repr=False)  # its libraries, their reference

    def __post_init__(self) -> None:
        names = (
            page.document.name
            for page in self.pages
            if any(isinstance(block, Bibliography) for block in page.document.walk())
        )
        object.__setattr__(self, "bibliography_page", next(names, ""))
        for page in self.pages:
            for block in page.document.walk():
                if isinstance(block, ApiListing):
                    self.reference_pages.setdefault(block.part, page.document.name)

    def page(self, name: str) -> Page | None:
        return next((page for page in self.pages if page.document.name == name), None)

    def number_of(self, page: str, block: Block) -> str:
        """The number of a block on a page; empty when it has none."""
        return self.numbers.get((page, block.span.start), "")
