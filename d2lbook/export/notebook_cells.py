"""A page as one framework sees it -> the cells of a notebook: every mark resolved, references as links."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from d2lbook.execute.cache import CellResult, Run
from d2lbook.export.api import Api, Name, anchor_of, literal_prose, page_title, signature_words
from d2lbook.export.emphasis import plain_emphasis
from d2lbook.export.entries import entry_address, entry_text
from d2lbook.export.results import result_of
from d2lbook.export.untranslated import has_words, is_partly_untranslated
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
    Prose,
    RawRst,
    Reference,
    Role,
    Solution,
    Table,
    Toc,
    View,
    ViewCell,
)
from d2lbook.parse.inline import ROLE
from d2lbook.parse.prose import CITATIONS, REFERENCES
from d2lbook.references import bibliography_page, citation_anchor, linked, plain_text, resolve_markdown

NotebookCell = dict[str, Any]


@dataclass(slots=True)
class NotebookMaker:
    """Makes the cells of one page's notebook; without a run, cells have no outputs."""

    page: Page
    view: View
    book: Book
    run: Run | None = None
    api: Api | None = None  # the libraries' reference
    solutions: bool = True  # whether they are there
    cells: list[NotebookCell] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)  # Markdown waiting to become a cell
    _ids: set[str] = field(default_factory=set)
    _level: int = 1  # of the last heading
    _lang: str = ""  # of the text that waits, where it is not the book's

    def make(self) -> list[NotebookCell]:
        self._add_all(self.view.blocks)
        self._add_references()
        self._end_text()
        return self.cells

    # ---- blocks ------------------------------------------------------------------------------------------------------

    def _add_all(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._add(block)

    def _add(self, block: Block) -> None:
        if has_words(block) and block.lang != self._lang:
            self._end_text()
            self._lang = block.lang
        match block:
            case Heading():
                self._end_text()
                self._level = block.level
                self._text.append(self._heading(block))
                if block.level == 1:
                    self._text += self._note()
            case Cell():
                self._end_text()
                self._add_code(block)
            case Solution() if not self.solutions:
                pass
            case Solution():
                self._end_text()
                self._lang = ""
                self._text.append(f"{'#' * min(6, self._level + 1)} {self.book.words('Solution')}")
                self._add_all(block.blocks)
                self._end_text()
            case _:
                if text := self._markdown(block):
                    self._text.append(text)

    def _note(self) -> list[str]:
        """Tells readers of a page in two languages why."""
        if not is_partly_untranslated(self.view.blocks):
            return []
        return [f"*{self.book.words('Parts of this page are not translated yet and are shown in English.')}*"]

    def _markdown(self, block: Block) -> str:
        match block:
            case Prose():
                return self._resolved(block.text).rstrip()
            case Listing():
                return _fenced(block.info, block.text)
            case RawRst():
                return _fenced("rst", block.text)
            case Equation():
                return self._equation(block)
            case Figure():
                return self._figure(block)
            case Table():
                return self._table(block)
            case Toc():
                here = posixpath.dirname(self.page.document.name)
                names = [posixpath.normpath(posixpath.join(here, entry.target)) for entry in block.entries]
                return "\n".join(self._toc(names, 0, block.maxdepth))
            case Bibliography():
                return self._reference_list(self.book.citations)
            case Reference():
                return self._libraries(block.part)
            case _:
                return ""

    def _heading(self, heading: Heading) -> str:
        title = " ".join(self._resolved(heading.title).split())
        number = self._number(heading)
        numbered = f"{number} {title}" if number else title
        return f"{_anchors(self._names(heading.labels))}{'#' * heading.level} {numbered}"

    def _equation(self, equation: Equation) -> str:
        labels = _labels(equation)
        number = self._number(equation)
        tag = f" \\tag{{{number}}}" if number else ""
        return f"{_anchors(self._names(labels))}$$\n{equation.tex.strip()}{tag}\n$$"

    def _figure(self, figure: Figure) -> str:
        caption = " ".join(self._resolved(figure.caption).split())
        alt = figure.alt or plain_text(figure.caption, self.book, self.page.document.name)
        alt = alt.replace("[", "\\[").replace("]", "\\]")
        words = self._caption("figure", figure, caption)
        return f"{self._target_lines(figure)}![{alt}]({_target(figure.target)}){words}"

    def _table(self, table: Table) -> str:
        caption = " ".join(self._resolved(table.caption).split())
        above = self._caption("table", table, caption).strip()
        return f"{self._target_lines(table)}{above}{_gap(above)}{self._resolved(table.text).strip()}"

    def _target_lines(self, block: Figure | Table) -> str:
        anchors = _anchors(self._names(_labels(block)))
        return f"{anchors}\n" if anchors else ""

    def _caption(self, kind: str, block: Figure | Table, caption: str) -> str:
        number = self._number(block)
        lead = f"**{self.book.words(NUMBERED[kind], number=number)}**" if number else ""
        text = " ".join(part for part in (lead, caption) if part)
        return f"\n\n{text}" if text else ""

    def _toc(self, names: Iterable[str], depth: int, maxdepth: int) -> Iterator[str]:
        for name in names:
            page = self.book.page(name.removesuffix(".md"))
            if page is None or depth >= maxdepth:
                continue
            title = plain_text(page.document.title, self.book, page.document.name) or page.document.name
            shown = f"{page.number} {title}" if page.number else title
            yield f"{'    ' * depth}* {linked(shown, self._link(page.document.name, ''))}"
            yield from self._toc(page.children, depth + 1, maxdepth)

    # ---- references --------------------------------------------------------------------------------------------------

    def _resolved(self, text: str) -> str:
        place_of = self.api.place_of if self.api is not None else lambda _: None
        return plain_emphasis(resolve_markdown(text, self.book, self.page.document.name, self._link, place_of))

    def _link(self, page: str, anchor: str) -> str:
        """Address of a place in another notebook; a cited work is listed at the end of this one."""
        fragment = f"#{anchor}" if anchor else ""
        here = self.page.document.name
        if page == here or (page == bibliography_page(self.book) and anchor.startswith("cite-")):
            return fragment or f"{posixpath.basename(here)}.ipynb"
        return posixpath.relpath(f"{page}.ipynb", posixpath.dirname(here) or ".") + fragment

    # ---- the libraries -----------------------------------------------------------------------------------------------

    def _libraries(self, part: str) -> str:
        """What the library of this notebook's framework offers."""
        if self.api is None:
            return ""
        if part == "aliases":
            rows = [f"| {_code(alias.call)} | {_code(alias.meaning)} |" for alias in self.api.aliases_of(self.view.tab)]
            head = f"| {self.book.words('Name')} | {self.book.words('Stands for')} |"
            return "\n".join([head, "|:--|:--|", *rows]) if rows else ""
        parts = []
        for page, names in self.api.pages.items():
            items = [line for name in names for line in self._described(name, "")]
            title = linked(_escaped(page_title(self.book, page)), self._link(page, ""))
            parts += [f"**{title}**", "\n".join(items)] if items else []
        return "\n\n".join(parts)

    def _described(self, name: Name, owner: str) -> Iterator[str]:
        """A list item for a name, with those of its methods below it."""
        entry = name.variants.get(self.view.tab)
        if entry is None:
            return
        word, signature = signature_words(entry, self.book.words)
        words = f"{word} {_code(signature)}".strip()
        where = ""
        if entry.section is not None and not owner:
            section = linked(
                _escaped(entry.section.text(self.book.words)), self._link(entry.page, entry.section.anchor)
            )
            where = f" ({section})"
        doc = self._resolved(literal_prose(entry.doc))
        margin = "    " if owner else ""
        yield f'{margin}* <a id="{anchor_of(f"{owner}{name.name}")}"></a>{words}{where}'
        yield from (f"{margin}  {line}".rstrip() for line in (["", *doc.split("\n")] if doc else []))
        for method in name.methods:
            yield from self._described(method, f"{name.name}.")

    def _names(self, labels: tuple[Label, ...]) -> list[str]:
        return [self.book.targets[label.name].anchor for label in labels if label.name in self.book.targets]

    def _number(self, block: Block) -> str:
        return self.book.numbers.get((self.page.document.name, block.span.start), "")

    def _add_references(self) -> None:
        """Lists the works that the page cites, unless it lists all works already."""
        blocks = list(_walk(self.view.blocks))
        roles = [role for block in blocks for role in _roles(block) if role.kind in CITATIONS]
        keys = {key for role in roles for key in role.keys if key in self.book.citations}
        if keys and not any(isinstance(block, Bibliography) for block in blocks):
            self._end_text()
            self._lang = ""
            self._text += [f"## {self.book.words('References')}", self._reference_list(keys)]

    def _reference_list(self, keys: Iterable[str]) -> str:
        by_text = sorted(keys, key=lambda key: entry_text(self.book.citations[key]))
        return "\n\n".join(self._reference(key) for key in by_text)

    def _reference(self, key: str) -> str:
        fields = self.book.citations[key]
        address = entry_address(fields)
        text = _escaped(entry_text(fields, self.book.words))
        return f'<a id="{citation_anchor(key)}"></a>{text}' + (f" <{address}>" if address else "")

    # ---- cells -------------------------------------------------------------------------------------------------------

    def _end_text(self) -> None:
        if self._text:
            source = "\n\n".join(self._text)
            self._text.clear()
            metadata = {"d2lbook": {"lang": self._lang}} if self._lang else {}
            self.cells.append({"cell_type": "markdown", "id": self._id(source), "metadata": metadata, "source": source})

    def _add_code(self, block: Cell) -> None:
        cell = self.view.cell(block)
        if cell is None:
            return
        result = result_of(cell, self.run)
        self.cells.append(
            {
                "cell_type": "code", "id": self._id(cell.code),
                "metadata": _metadata(cell), "source": self._code(cell.code),
                "execution_count": cell.number + 1 if result is not None else None,
                "outputs": list(_outputs(cell, result)) if result is not None else [],
            }
        )  # fmt: skip

    def _code(self, code: str) -> str:
        """Code whose comments and docstrings name their references: `:numref:` is nothing to a notebook."""
        return ROLE.sub(self._reference_in_code, code) if ":`" in code else code

    def _reference_in_code(self, role: re.Match[str]) -> str:
        keys = {key.strip() for key in role[2].split(",")}
        cited = role[1] in CITATIONS and keys <= self.book.citations.keys()
        referred = role[1] in REFERENCES and keys <= self.book.targets.keys()
        return plain_text(role[0], self.book, self.page.document.name) if cited or referred else role[0]

    def _id(self, source: str) -> str:
        """The same for the same cell in every build; a second cell of the same text gets a number."""
        name = hashlib.sha256(source.encode()).hexdigest()[:12]
        number = 1
        while (unique := name if number == 1 else f"{name}-{number}") in self._ids:
            number += 1
        self._ids.add(unique)
        return unique


def _outputs(cell: ViewCell, result: CellResult) -> Iterator[NotebookCell]:
    for output in result.outputs:
        shown = dict(output)
        if shown["output_type"] == "execute_result":
            shown["execution_count"] = cell.number + 1
        images = [mime for mime in shown.get("data", {}) if mime.startswith("image/")]
        if cell.alt and images:
            shown["metadata"] = {**shown["metadata"], **{mime: {"alt": cell.alt} for mime in images}}
        yield shown


def _metadata(cell: ViewCell) -> dict[str, Any]:
    hidden: dict[str, Any] = {}
    if cell.hide_code:
        hidden["source_hidden"] = True
    if cell.hide_output:
        hidden["outputs_hidden"] = True
    return {"jupyter": hidden} if hidden else {}


def _walk(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Solution):
            yield from _walk(block.blocks)


def _roles(block: Block) -> tuple[Role, ...]:
    return block.roles if isinstance(block, Heading | Prose | Figure | Table) else ()


def _labels(block: Figure | Table | Equation) -> tuple[Label, ...]:
    return (block.label, *block.more_labels) if block.label is not None else ()


def _anchors(names: Iterable[str]) -> str:
    anchors = "".join(f'<a id="{name}"></a>' for name in names)
    return f"{anchors}\n" if anchors else ""


def _code(text: str) -> str:
    """A code span, also inside a table."""
    return f"`{text}`".replace("|", "\\|")


def _gap(text: str) -> str:
    return "\n\n" if text else ""


def _fenced(info: str, text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{info}\n{text.rstrip()}\n{fence}"


def _target(target: str) -> str:
    return f"<{target}>" if " " in target else target


def _escaped(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]<>$" else character for character in text)
