"""The pages of a book as one framework sees them, written as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from d2lbook.config import Config
from d2lbook.execute.cache import Run
from d2lbook.export.api import anchor_of, api_of
from d2lbook.export.entries import entry_address, entry_text
from d2lbook.export.figures import BadPicture, finding
from d2lbook.export.made import made_with
from d2lbook.export.pdf import reference
from d2lbook.export.pdf.code import text_lines
from d2lbook.export.pdf.escape import escape, escape_address, escape_breakable
from d2lbook.export.pdf.images import Images, width_of
from d2lbook.export.pdf.prose import Prose, address, code_block, display
from d2lbook.export.pdf.rst import BadRst, rst_to_latex
from d2lbook.export.places import EXTERNAL, beside
from d2lbook.export.results import left_out, result_of
from d2lbook.export.untranslated import has_words, is_untranslated
from d2lbook.library import saved_names
from d2lbook.messages import BookError, Messages
from d2lbook.model import (
    NUMBERED,
    Bibliography,
    Block,
    Book,
    Cell,
    Equation,
    Figure,
    Heading,
    Label,
    Listing,
    Page,
    RawRst,
    Reference,
    Solution,
    StoredOutput,
    Table,
    Toc,
    View,
    ViewCell,
)
from d2lbook.model import Prose as ProseBlock
from d2lbook.parse.inline import ROLE
from d2lbook.parse.prose import REFERENCES
from d2lbook.references import citation_anchor, link_text, plain_text
from d2lbook.view import make_view

_COMMANDS = ("chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_LIST_ITEM = re.compile(r"\s*(\d+)[.)]\s")


@dataclass(slots=True)
class BookText:
    """What the pages give to the parts at the end of the book."""

    body: list[str] = field(default_factory=list)
    solutions: list[str] = field(default_factory=list)
    saved: dict[str, str] = field(default_factory=dict)  # name -> label of its cell
    cited: set[str] = field(default_factory=set)


@dataclass(slots=True)
class PageWriter:
    """Writes one page. What cannot be shown is reported, with its place, and left out."""

    page: Page
    view: View
    book: Book
    config: Config
    run: Run | None
    images: Images
    messages: Messages
    text: BookText
    prose: Prose = field(init=False)
    _solutions: int = 0
    _exercise: str = ""  # number of the last exercise
    _line: int = 1
    _all_is_source: bool = False  # nothing of the page is translated
    _lang: str = ""  # of the last words, where it is not the book's

    def __post_init__(self) -> None:
        self.prose = Prose(self)

    @property
    def name(self) -> str:
        return self.page.document.name

    def write(self) -> None:
        blocks = list(self.view.blocks)
        self._all_is_source = is_untranslated(blocks)
        for number, block in enumerate(blocks):
            following = blocks[number + 1 :]
            # The bibliography stands at the end of the book, under a heading of its own.
            if isinstance(block, Heading) and following and isinstance(following[0], Bibliography):
                continue
            self.text.body.append(self._marked(block))
        self.text.body.append("\n")

    def _marked(self, block: Block) -> str:
        """A block after a comment that says where it is from: errors of TeX are reported there."""
        self._line = block.span.line
        written = self._in_its_language(block, self._block(block))
        return f"%@ {self.page.document.path}:{block.span.line}\n{written}" if written else ""

    def _in_its_language(self, block: Block, written: str) -> str:
        """What is not translated: hyphenated as its language is, and marked where it begins."""
        if isinstance(block, Heading) and block.level == 1 and self._all_is_source:
            return f"{written}\\languagenote{{{escape(self.book.words('Not translated yet'))}}}\n"
        if isinstance(block, Heading) or not block.lang or not written:
            self._lang = "" if has_words(block) and not block.lang else self._lang
            return written
        begins = not self._all_is_source and self._lang != block.lang
        self._lang = block.lang
        mark = f"\\languagemark{{{escape(block.lang.upper())}}}\n" if begins else ""
        return f"{mark}\\begin{{untranslated}}\n{written}\\end{{untranslated}}\n"

    def warn(self, text: str, code: str) -> None:
        self.messages.warning(self.page.document.path, self._line, 1, text, code)

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def _block(self, block: Block) -> str:
        method = METHODS.get(type(block))
        if method is None:
            self.warn(f"the PDF has no form for a {type(block).__name__}; it is left out", "pdf-unhandled")
            return ""
        return method(self, block)

    def nothing(self, block: Block) -> str:
        return ""

    def markdown(self, block: ProseBlock) -> str:
        numbers = _LIST_ITEM.findall("\n" + block.text) if _LIST_ITEM.match(block.text) else []
        if numbers:
            self._exercise = numbers[0]
        return self.prose.blocks(block.text)

    def heading(self, block: Heading) -> str:
        number = self.book.numbers.get((self.name, block.span.start), "")
        level = min(max(self.page.depth - 1, 0) + block.level - 1, len(_COMMANDS) - 1)
        command = _COMMANDS[level]
        plain = escape(plain_text(block.title, self.book, self.name))
        anchors = [self._anchor(label) for label in block.labels]
        if block.level == 1:
            anchors.insert(0, self.name)
        shown = self.prose.inline(block.title)
        return f"\\bookheading{{{command}}}{{{number}}}{{{shown}}}{{{plain}}}\n{self._targets(anchors)}"

    def listing(self, block: Listing) -> str:
        return code_block(block.text.rstrip("\n"), (block.info.split() or [""])[0])

    def raw_rst(self, block: RawRst) -> str:
        try:
            return rst_to_latex(block.text)
        except BadRst as error:
            self.warn(f"the PDF leaves this reStructuredText out: {error}", "pdf-rst")
            return ""

    def libraries(self, block: Reference) -> str:
        api = api_of(self.book, self.config)
        if block.part == "aliases":
            return reference.aliases(api, self.view.tab, self.book.words)
        return reference.definitions(api, self.book, self.view.tab, self.prose.blocks)

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        number = self.book.numbers.get((self.name, block.span.start), "") if block.label else ""
        return self._targets(self._anchors(block)) + display(block.tex, number)

    def figure(self, block: Figure) -> str:
        included = self._included(block.target, block.width, r"\figurewidth")
        if not included:
            return ""
        return self._captioned("figure", block, included + "\n")

    def table(self, block: Table) -> str:
        return self._captioned("table", block, self.prose.blocks(block.text).strip() + "\n", above=True)

    def _captioned(self, kind: str, block: Figure | Table, body: str, above: bool = False) -> str:
        number = self.book.numbers.get((self.name, block.span.start), "")
        named = escape(self.book.words(NUMBERED[kind], number=number)) if number else ""
        targets = self._targets(self._anchors(block))
        caption = f"\\bookcaption{{{named}}}{{{self.prose.inline(block.caption)}}}\n" if block.caption or number else ""
        if above:
            room = "\\needspace{10\\baselineskip}\n" if caption else ""  # a caption does not end a page
            return f"{room}{targets}{caption}{body}\n"
        return f"\\begin{{bookfigure}}\n{targets}{body}{caption}\\end{{bookfigure}}\n\n"

    def _included(self, target: str, width: str, default: str) -> str:
        if EXTERNAL.match(target):
            self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
            return ""
        try:
            path = self.images.file(self.config.root / beside(self.name, target))
        except (BadPicture, BookError, OSError) as error:
            self._bad_image(beside(self.name, target), error)
            return ""
        return rf"\bookimage{{{width_of(width) or default}}}{{{path.as_posix()}}}"

    def _bad_image(self, place: str, error: BadPicture | BookError | OSError | ValueError) -> None:
        self.messages.error(self.page.document.path, self._line, 1, *finding(place, error))

    # ---- cells -------------------------------------------------------------------------------------------------------

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        if cell is None:
            return ""
        parts = []
        if not cell.hide_code:
            language = "bash" if cell.code.lstrip().startswith(("%%bash", "%%sh")) else "python"
            parts.append(self._saved(cell) + code_block(ROLE.sub(self._named, cell.code), language))
        if not cell.hide_output and self.config.eval_notebook:
            parts.append(self._outputs(cell))
        return "".join(parts)

    def _saved(self, cell: ViewCell) -> str:
        """Targets for the index of saved names."""
        labels = []
        for name in saved_names(cell, self.page.document):
            label = f"saved:{name}"
            if name not in self.text.saved:
                labels.append(label)
            self.text.saved.setdefault(name, label)
        return self._raw_targets(labels)

    def _named(self, role: re.Match[str]) -> str:
        """A reference in a comment or docstring as the text it stands for."""
        if role[1] not in REFERENCES:
            return role[0]
        return ", ".join(link_text(role[1], key.strip(), self.book) for key in role[2].split(","))

    def _outputs(self, cell: ViewCell) -> str:
        result = result_of(cell, self.run)
        if result is None or self.run is None:
            return ""
        shown = [self._output(output) for output in result.outputs]
        found = "".join(part for part in shown if part)
        return found + f"\\made{{{escape(made_with(self.view.tab, self.run, self.book.words))}}}\n\n" if found else ""

    def _output(self, output: dict[str, object]) -> str:
        if output["output_type"] == "stream":
            return _printed(str(output["text"]))
        data = output.get("data")
        if not isinstance(data, dict):
            return ""
        texts = {kind: "".join(value) if isinstance(value, list) else str(value) for kind, value in data.items()}
        try:
            if svg := texts.get("image/svg+xml"):
                return f"\\bookplot{{{self.images.drawing(svg).as_posix()}}}\n\n"
            if png := texts.get("image/png"):
                return f"\\bookplot{{{self.images.png(png).as_posix()}}}\n\n"
        except (BadPicture, ValueError) as error:
            self._bad_image("of the output", error)
            return ""
        if "text/markdown" in texts:
            return self.prose.blocks(texts["text/markdown"])
        if "text/latex" in texts:
            return texts["text/latex"] + "\n\n"
        if "text/plain" in texts:
            return _printed(texts["text/plain"])
        self.warn(left_out(self.view.tab, texts), "output-print")
        return ""

    def solution(self, block: Solution) -> str:
        """Goes to the end of the book; where it stood is a link, and there one back."""
        self._solutions += 1
        number = self._exercise or str(self._solutions)
        here, there = f"{self.name}:exercise-{self._solutions}", f"{self.name}:solution-{self._solutions}"
        if self._solutions == 1:
            title = self.prose.inline(self.page.document.title)
            self.text.solutions.append(f"\\solutionsof{{{self.page.number}}}{{{title}}}{{{self.name}}}\n")
        kept = self._all_is_source, self._lang
        self._all_is_source, self._lang = False, ""  # at the end of the book the note below the title is far away
        body = "".join(self._marked(inner) for inner in block.blocks)
        self._all_is_source, self._lang = kept
        self.text.solutions.append(f"\\solution{{{number}}}{{{there}}}{{{here}}}\n{body}\n")
        return f"\\tosolution{{{here}}}{{{there}}}\n\n"

    # ---- anchors -----------------------------------------------------------------------------------------------------

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return f"{self.name}:{target.anchor if target is not None else label.name}"

    def _anchors(self, block: Figure | Table | Equation) -> list[str]:
        labels = ((block.label,) if block.label else ()) + block.more_labels
        return [self._anchor(label) for label in labels]

    def _targets(self, anchors: list[str]) -> str:
        return self._raw_targets(anchors)

    def _raw_targets(self, anchors: list[str]) -> str:
        return "\\phantomsection" + "".join(f"\\label{{{anchor}}}" for anchor in anchors) + "%\n" if anchors else ""

    # ---- what prose asks for -----------------------------------------------------------------------------------------

    def reference(self, kind: str, key: str) -> str:
        target = self.book.targets.get(key)
        shown = escape(link_text(kind, key, self.book)).replace(" ", "~")
        return rf"\hyperref[{target.page}:{target.anchor}]{{{shown}}}" if target is not None else shown

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        shown = []
        for key in keys:
            fields = self.book.citations.get(key)
            if fields is None:
                continue
            self.text.cited.add(key)
            author, year = escape(fields["short_author"]), escape(fields["short_year"])
            words = f"{author} ({year})" if kind == "citet" else f"{author}, {year}"
            shown.append(rf"\hyperref[{citation_anchor(key)}]{{{words}}}")
        return "; ".join(shown) if kind == "citet" else f"({'; '.join(shown)})"

    def api(self, text: str, shown: str) -> str:
        """A name of the libraries; it leads to what the reference says of it."""
        api = api_of(self.book, self.config)
        place = api.place_of(text)
        label = place[1].removeprefix("api-") if place is not None else ""
        entries = {entry.name for entry in api.entries.get(self.view.tab, ())}
        methods = {f"{entry.name}.{one.name}" for entry in api.entries.get(self.view.tab, ()) for one in entry.methods}
        return rf"\hyperref[{anchor_of(label)}]{{{shown}}}" if label in entries | methods else shown

    def image(self, target: str) -> str:
        return self._included(target, "", r"0.5\linewidth")

    def link(self, target: str, shown: str) -> str:
        path, _, _ = target.partition("#")
        if EXTERNAL.match(target):
            return address(target, shown)
        page = beside(self.name, path).removesuffix(".md").removesuffix(".html") if path else self.name
        return rf"\hyperref[{page}]{{{shown}}}" if self.book.page(page) is not None else shown


def _printed(text: str) -> str:
    return f"\\begin{{printed}}\n{text_lines(text)}\n\\end{{printed}}\n" if text.strip() else ""


METHODS: dict[type[Block], Callable[..., str]] = {
    Heading: PageWriter.heading,
    ProseBlock: PageWriter.markdown,
    Listing: PageWriter.listing,
    Figure: PageWriter.figure,
    Table: PageWriter.table,
    Equation: PageWriter.equation,
    Cell: PageWriter.cell,
    Reference: PageWriter.libraries,
    StoredOutput: PageWriter.nothing,  # `check` refuses it
    Toc: PageWriter.nothing,  # the book has one of its own
    RawRst: PageWriter.raw_rst,
    Bibliography: PageWriter.nothing,  # stands at the end
    Solution: PageWriter.solution,
}


def book_text(
    book: Book, config: Config, tab: str, runs: dict[str, Run], images: Images, messages: Messages
) -> BookText:  # fmt: skip
    """All pages of a framework, in order."""
    text = BookText()
    for page in book.pages:
        view = make_view(page.document, tab, book.tabs)
        run = runs.get(page.document.name)
        PageWriter(page, view, book, config, run, images, messages, text).write()
    return text


def bibliography(book: Book, cited: set[str]) -> str:
    entries = sorted((entry_text(book.citations[key], book.words), key) for key in cited)
    lines = [f"%@ {book.bibliography_page}.md:0\n"] if entries else []
    for shown, key in entries:
        words = re.sub(r"/|\\_", r"\g<0>\\cb{}", escape(shown))  # titles may be paths and names
        where = entry_address(book.citations[key])
        link = " " + address(where, rf"\inlinecode{{{escape_address(where)}}}") if where else ""
        lines.append(f"\\bibentry{{{citation_anchor(key)}}}{{{words}{link}}}\n")
    # Works are called as they are in every edition: most of their words are of the source's language.
    return f"\\begin{{untranslated}}\n{''.join(lines)}\\end{{untranslated}}\n" if lines else ""


def index_of(saved: dict[str, str]) -> str:
    """Saved names in alphabetical order, each with its page."""
    names = sorted(saved, key=lambda name: (name.lower(), name))
    return "".join(f"\\indexentry{{{escape_breakable(name)}}}{{{saved[name]}}}\n" for name in names)
