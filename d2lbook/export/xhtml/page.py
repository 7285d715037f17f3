"""The blocks of a page as XHTML."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from d2lbook.config import Config
from d2lbook.execute.cache import Run
from d2lbook.export.api import Name, anchor_of, api_of, literal_prose, page_title, signature_words
from d2lbook.export.entries import entry_address, entry_text
from d2lbook.export.figures import BadPicture, check_size, finding, plain_svg, read_drawing
from d2lbook.export.formulas import Formulas
from d2lbook.export.made import made_with
from d2lbook.export.places import EXTERNAL, beside
from d2lbook.export.results import left_out, printed_in, result_of
from d2lbook.export.untranslated import is_untranslated, stretches
from d2lbook.export.xhtml.prose import Prose, attribute, code_block, escape
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

# KaTeX 0.16 puts the invisible "function application" of `x_\max` into the element of the subscript, which takes two.
_STRAY = re.compile("<mo>\u2061</mo>(?=</m(?:sub|sup|subsup|under|over|underover|frac)>)")
_MATHML = re.compile(r"<math\b.*?</math>", re.DOTALL)
FIGURES = {"figure": "fig", "table": "table"}  # kind of target -> class of its element
PICTURES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
}


@dataclass(slots=True)
class Media:
    """The pictures of a book's pages: path below the output -> content."""

    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, content: bytes, suffix: str) -> str:
        path = f"images/{hashlib.sha256(content).hexdigest()[:20]}{suffix}"
        self.files[path] = content
        return path


@dataclass(slots=True)
class PageWriter:
    """Writes one page. What cannot be shown is reported, with its place, and left out."""

    page: Page
    view: View
    book: Book
    config: Config
    run: Run | None
    formulas: Formulas
    media: Media
    messages: Messages
    address: Callable[[str, str], str]  # (page, anchor) -> where a link leads
    prose: Prose = field(init=False)
    solutions: bool = True
    _line: int = 1
    _anchors: set[str] = field(default_factory=set)
    _all_is_source: bool = False  # nothing of the page is translated
    _cells: int = 0

    def __post_init__(self) -> None:
        self.prose = Prose(self)

    @property
    def name(self) -> str:
        return self.page.document.name

    def body(self) -> str:
        self._all_is_source = is_untranslated(self.view.blocks)
        note = f'<p class="untranslated-note">{escape(self._not_yet)}</p>\n' if self._all_is_source else ""
        return note + self.blocks(self.view.blocks)

    def blocks(self, blocks: Iterable[Block]) -> str:
        return "".join(self._stretch(lang, found) for lang, found in stretches(blocks))

    def _stretch(self, lang: str, blocks: Iterable[Block]) -> str:
        """Blocks of one language; those that are not in the book's say so, and are marked, unless the whole page is."""
        html = "".join(self.block(block) for block in blocks)
        if not lang or not html:
            return html
        says = "" if self._all_is_source else f' class="untranslated" title="{attribute(self._not_yet)}"'
        return f'<div lang="{attribute(lang)}" xml:lang="{attribute(lang)}"{says}>\n{html}</div>\n'

    @property
    def _not_yet(self) -> str:
        return self.book.words("Not translated yet")

    def block(self, block: Block) -> str:
        self._line = block.span.line
        method = METHODS.get(type(block))
        if method is None:
            self.warn(f"there is no form for a {type(block).__name__} here; it is left out", "xhtml-unhandled")
            return ""
        return method(self, block)

    def warn(self, text: str, code: str) -> None:
        self.messages.warning(self.page.document.path, self._line, 1, text, code)

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def nothing(self, block: Block) -> str:
        return ""

    def markdown(self, block: ProseBlock) -> str:
        return self.prose.blocks(block.text)

    def heading(self, block: Heading) -> str:
        number = self.book.numbers.get((self.name, block.span.start), "")
        first, *more = [self._anchor(label) for label in block.labels] or [""]
        inner = "".join(f'<span id="{anchor}"></span>' for anchor in more)
        shown = f"{number} " if number else ""
        level = min(block.level, 6)
        return f"<h{level}{_id(first)}>{inner}{shown}{self.prose.inline(block.title)}</h{level}>\n"

    def listing(self, block: Listing) -> str:
        return code_block(block.text.rstrip("\n"), (block.info.split() or [""])[0])

    def raw_rst(self, block: RawRst) -> str:
        return code_block(block.text.rstrip("\n"), "rst")

    def equation(self, block: Equation) -> str:
        if any(mark.only_slides for mark in block.marks):
            return ""
        number = self.book.numbers.get((self.name, block.span.start), "") if block.label else ""
        first, *more = self._labels(block) or [""]
        inner = "".join(f'<span id="{anchor}"></span>' for anchor in more)
        shown = f'<span class="number">({number})</span>' if number else ""
        return f'<div class="equation"{_id(first)}>{inner}{self.formula(block.tex, True)}{shown}</div>\n'

    def figure(self, block: Figure) -> str:
        alt = block.alt or plain_text(block.caption, self.book, self.name)
        picture = self.image(block.target, alt)
        if not picture:
            return ""
        return self._captioned("figure", block, f"<div>{picture}</div>\n", "")

    def table(self, block: Table) -> str:
        return self._captioned("table", block, "", self.prose.blocks(block.text))

    def _captioned(self, kind: str, block: Figure | Table, before: str, after: str) -> str:
        number = self.book.numbers.get((self.name, block.span.start), "")
        words = self.book.words(NUMBERED[kind], number=number)
        named = f"<strong>{escape(words)}</strong> " if number else ""
        first, *more = self._labels(block) or [""]
        inner = "".join(f'<span id="{anchor}"></span>' for anchor in more)
        shown = f"{named}{self.prose.inline(block.caption)}"
        caption = f"<figcaption>{shown}</figcaption>\n" if shown else ""
        return f'<figure class="{FIGURES[kind]}"{_id(first)}>{inner}\n{before}{caption}{after}</figure>\n'

    def solution(self, block: Solution) -> str:
        if not self.solutions:
            return ""
        head = f'<p class="head">{escape(self.book.words("Solution"))}</p>'
        return f'<section class="solution">\n{head}\n{self.blocks(block.blocks)}</section>\n'

    def bibliography(self, block: Bibliography) -> str:
        keys = sorted(self.book.citations, key=lambda key: entry_text(self.book.citations[key]))
        entries = []
        for key in keys:
            fields = self.book.citations[key]
            where = entry_address(fields)
            link = f' <a href="{attribute(where)}">{escape(where)}</a>' if where else ""
            entries.append(
                f'<li id="{citation_anchor(key)}">{escape(entry_text(fields, self.book.words))}{link}</li>\n'
            )
        source = attribute(self.config.source_lang)
        lang = f' lang="{source}" xml:lang="{source}"' if source != self.config.lang else ""
        return f'<ul class="bibliography"{lang}>\n{"".join(entries)}</ul>\n' if entries else ""

    def libraries(self, block: Reference) -> str:
        api = api_of(self.book, self.config)
        if block.part == "aliases":
            rows = "".join(
                f"<tr><td><code>{escape(alias.call)}</code></td><td><code>{escape(alias.meaning)}</code></td></tr>\n"
                for alias in api.aliases_of(self.view.tab)
            )
            name, meaning = escape(self.book.words("Name")), escape(self.book.words("Stands for"))
            head = f"<thead><tr><th>{name}</th><th>{meaning}</th></tr></thead>"
            return f"<table>\n{head}\n<tbody>\n{rows}</tbody>\n</table>\n" if rows else ""
        parts = []
        for page, names in api.pages.items():
            entries = "".join(self._library_entry(name, "") for name in names)
            if entries:
                title = f'<a href="{attribute(self.address(page, ""))}">{escape(page_title(self.book, page))}</a>'
                parts.append(f'<p class="api-page">{title}</p>\n<dl>\n{entries}</dl>\n')
        return "".join(parts)

    def _library_entry(self, name: Name, owner: str) -> str:
        entry = name.variants.get(self.view.tab)
        if entry is None:
            return ""
        word, signature = signature_words(entry, self.book.words)
        where = ""
        if entry.section is not None and not owner:
            section = entry.section
            address = attribute(self.address(section.page, section.anchor))
            where = f' <a class="where" href="{address}">{escape(section.text(self.book.words))}</a>'
        head = f"{escape(word)} <code>{escape(signature)}</code>{where}".strip()
        methods = "".join(self._library_entry(method, f"{name.name}.") for method in name.methods)
        doc = self.prose.blocks(literal_prose(entry.doc)) if entry.doc else ""
        inner = f"<dl>\n{methods}</dl>\n" if methods else ""
        return f'<dt id="{anchor_of(f"{owner}{name.name}")}">{head}</dt>\n<dd>{doc}{inner}</dd>\n'

    # ---- cells -------------------------------------------------------------------------------------------------------

    def cell(self, block: Cell) -> str:
        cell = self.view.cell(block)
        if cell is None:
            return ""
        return self.code(cell) + self.outputs(cell)

    def code(self, cell: ViewCell) -> str:
        if cell.hide_code:
            return ""
        language = "bash" if cell.code.lstrip().startswith(("%%bash", "%%sh")) else "python"
        return code_block(ROLE.sub(self._named, cell.code), language)

    def _named(self, role: re.Match[str]) -> str:
        """A reference in a comment or docstring as the text it stands for."""
        if role[1] not in REFERENCES:
            return role[0]
        return ", ".join(link_text(role[1], key.strip(), self.book) for key in role[2].split(","))

    def outputs(self, cell: ViewCell) -> str:
        if cell.hide_output or not self.config.eval_notebook or self.run is None:
            return ""
        result = result_of(cell, self.run)
        shown = "".join(self._output(output, cell) for output in result.outputs) if result is not None else ""
        made = f'<p class="made">{escape(made_with(self.view.tab, self.run, self.book.words))}</p>\n'
        return f'<div class="output">\n{shown}{made}</div>\n' if shown else ""

    def _output(self, output: dict[str, object], cell: ViewCell) -> str:
        if output["output_type"] == "stream":
            return self._printed(str(output["text"]))
        data = output.get("data")
        if not isinstance(data, dict):
            return ""
        texts = {kind: "".join(value) if isinstance(value, list) else str(value) for kind, value in data.items()}
        alt = attribute(cell.alt or self.book.words("Plot of the cell above"))
        if svg := texts.get("image/svg+xml"):
            path = self.media.add(plain_svg(svg).encode(), ".svg")
            return f'<p class="plot"><img src="{path}" alt="{alt}"/></p>\n'
        if png := texts.get("image/png"):
            path = self.media.add(base64.b64decode("".join(png.split())), ".png")
            return f'<p class="plot"><img src="{path}" alt="{alt}"/></p>\n'
        if "text/markdown" in texts:
            return self.prose.blocks(texts["text/markdown"])
        if "text/plain" in texts:
            return self._printed(texts["text/plain"])
        self.warn(left_out(self.view.tab, texts), "output-print")
        return ""

    def _printed(self, text: str) -> str:
        text, lang = text.strip("\n"), attribute(printed_in(self.page.document, self.config))
        said = f' lang="{lang}" xml:lang="{lang}"' if lang else ""
        return f'<pre class="printed"{said}>{escape(text)}</pre>\n' if text.strip() else ""

    # ---- anchors -----------------------------------------------------------------------------------------------------

    def _anchor(self, label: Label) -> str:
        target = self.book.targets.get(label.name)
        return target.anchor if target is not None else label.name.replace("_", "-")

    def _labels(self, block: Figure | Table | Equation) -> list[str]:
        labels = ((block.label,) if block.label else ()) + block.more_labels
        return [self._anchor(label) for label in labels]

    # ---- what prose asks for -----------------------------------------------------------------------------------------

    def reference(self, kind: str, key: str) -> str:
        target = self.book.targets.get(key)
        shown = escape(link_text(kind, key, self.book)).replace(" ", "\u00a0")
        if target is None:
            return shown
        return f'<a href="{attribute(self.address(target.page, target.anchor))}">{shown}</a>'

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        shown = []
        for key in keys:
            fields = self.book.citations.get(key)
            if fields is None:
                continue
            author, year = escape(fields["short_author"]), escape(fields["short_year"])
            words = f"{author} ({year})" if kind == "citet" else f"{author}, {year}"
            home = self.book.bibliography_page
            if home:
                words = f'<a href="{attribute(self.address(home, citation_anchor(key)))}">{words}</a>'
            shown.append(words)
        return "; ".join(shown) if kind == "citet" else f"({'; '.join(shown)})"

    def api(self, text: str, shown: str) -> str:
        api = api_of(self.book, self.config)
        place = api.place_of(text)
        entries = api.entries.get(self.view.tab, ())
        known = {entry.name for entry in entries}
        known |= {f"{entry.name}.{method.name}" for entry in entries for method in entry.methods}
        if place is None or place[1].removeprefix("api-") not in known:
            return shown
        return f'<a href="{attribute(self.address(*place))}">{shown}</a>'

    def formula(self, tex: str, display: bool) -> str:
        typeset = self.formulas.get(tex.strip(), display)
        if typeset.error:
            self.warn(f"{typeset.error}; mend the formula '{tex.strip()[:60]}'", "formula-syntax")
        found = _MATHML.search(typeset.html)
        return _STRAY.sub("", found[0]) if found is not None else f"<code>{escape(tex)}</code>"

    def image(self, target: str, alt: str) -> str:
        if EXTERNAL.match(target):
            self.warn(f"'{target}' is on another site; keep a copy in the book", "figure-remote")
            return ""
        content = self._picture(self.config.root / beside(self.name, target), target)
        if content is None:
            return ""
        path = self.media.add(content, PurePosixPath(target).suffix.lower())
        return f'<img src="{path}" alt="{attribute(alt)}"/>'

    def _picture(self, path: Path, target: str) -> bytes | None:
        if path.suffix.lower() not in PICTURES:
            self.warn(f"'{target}' is no picture that readers show; save it as SVG, PNG or JPEG", "xhtml-image")
            return None
        try:
            return read_picture(path, self.book.drawings)
        except (BadPicture, BookError, OSError) as error:
            text, code = finding(beside(self.name, target), error)
            self.messages.error(self.page.document.path, self._line, 1, text, code)
            return None

    def link(self, target: str, shown: str) -> str:
        path, _, anchor = target.partition("#")
        if EXTERNAL.match(target):
            return f'<a href="{attribute(target)}">{shown}</a>'
        page = beside(self.name, path).removesuffix(".md").removesuffix(".html") if path else self.name
        if self.book.page(page) is None:
            return shown
        return f'<a href="{attribute(self.address(page, anchor))}">{shown}</a>'


def media_type(path: str) -> str:
    return PICTURES[PurePosixPath(path).suffix]


def read_picture(path: Path, translated: Mapping[Path, str] | None = None) -> bytes:
    """A picture's file; a drawing as in `translated`, which is `Book.drawings`, if it is there, colours resolved.

    Raises BadPicture, BookError or OSError.
    """
    if path.suffix.lower() == ".svg":
        return plain_svg(read_drawing(path, translated)).encode()
    check_size(path.stat().st_size)
    return path.read_bytes()


def _id(anchor: str) -> str:
    return f' id="{anchor}"' if anchor else ""


METHODS: dict[type[Block], Callable[..., str]] = {
    Heading: PageWriter.heading,
    ProseBlock: PageWriter.markdown,
    Listing: PageWriter.listing,
    Figure: PageWriter.figure,
    Table: PageWriter.table,
    Equation: PageWriter.equation,
    Cell: PageWriter.cell,
    StoredOutput: PageWriter.nothing,  # `check` refuses it
    Toc: PageWriter.nothing,  # what holds the pages together has one
    RawRst: PageWriter.raw_rst,
    Bibliography: PageWriter.bibliography,
    Reference: PageWriter.libraries,
    Solution: PageWriter.solution,
}
