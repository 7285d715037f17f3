"""A document as one framework sees it: its tabs' prose, its cells, `tab.selected` resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages
from d2lbook.frameworks import needs_none
from d2lbook.model import ALL_TABS, Block, Cell, Container, Document, Equation, Line, Prose, TabProse, View, ViewCell
from d2lbook.pycode import comments, lines_inside_strings, parse_cell
from d2lbook.tab_conditions import resolve_selected, selected_names

_TAB = re.compile(r"[ \t]*(?:#[ \t]*@tab|%%tab)\b", re.IGNORECASE)
_ALT = re.compile(r"#[ \t]*@alt\b[ \t]*(?P<text>.*)$")
_HIDE = re.compile(
    r"#[ \t]*(?:@(?P<hide>hide(?:_code|_outputs?|_all)?)|(?P<what>hide (?:code|outputs?)))[ \t]*$", re.IGNORECASE
)
_DEVICES = re.compile(r"#[ \t]*@(?P<what>gpu_first|compare_devices)[ \t]*$", re.IGNORECASE)
# A quick look before a careful one.
_ANY_MARK = re.compile(r"#[ \t]*(?:@(?:tab|alt|hide|gpu_first|compare_devices)|hide )", re.IGNORECASE)


def cell_tabs(cell: Cell, tabs: tuple[str, ...]) -> tuple[str, ...]:
    """The frameworks a cell belongs to, in the book's order; an unmarked cell belongs to the first.

    One that needs no framework belongs to all.
    """
    if cell.tabs is None:
        return tabs[:1]
    return tuple(tabs) if needs_none(cell.tabs, tabs) else _expanded(cell.tabs, tabs)


def _expanded(names: tuple[str, ...], tabs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(tab for tab in tabs if tab in names or ALL_TABS in names)


def make_view(
    document: Document, tab: str, tabs: tuple[str, ...], messages: Messages | None = None, slides: bool = False
) -> View:
    """What framework `tab` sees of a document in a book of `tabs`; made once for a document.

    For `frameworks.FREE_TAB` it has the cells that need no framework, whatever framework's prose they stand in.

    Blocks only for slides are left out unless `slides`. With `messages`, frameworks that
    `tab.selected` names and the book does not have are reported.
    """
    if messages is not None:
        _report_selected(document, tabs, messages)
    view: View | None = document.memo.get((tab, tabs, slides))
    if view is None:
        maker = _Maker(tab, tabs, slides, document.path, document.text.split("\n"))
        blocks = tuple(maker.blocks(document.blocks))
        view = document.memo[tab, tabs, slides] = View(document, tab, blocks, tuple(maker.cells))
    return view


@dataclass(slots=True)
class _Maker:
    tab: str
    tabs: tuple[str, ...]
    slides: bool
    path: str
    page_lines: Sequence[str]
    cells: list[ViewCell] = field(default_factory=list)
    hide_rest: bool = False  # after `#@hide_all`
    gpu_first: bool = False  # after `#@gpu_first`

    def blocks(self, blocks: tuple[Block, ...]) -> Iterator[Block]:
        for block in blocks:
            if isinstance(block, TabProse):
                if self.is_free or self.tab in _expanded(block.tabs, self.tabs):
                    yield from self.blocks(block.blocks)
            elif isinstance(block, Container):
                inner = tuple(self.blocks(block.blocks))
                if inner:
                    yield replace(block, blocks=inner)
            elif isinstance(block, Cell):
                if self._add_cell(block):
                    yield block
            elif not self._invisible(block):
                yield block

    def _invisible(self, block: Block) -> bool:
        if isinstance(block, Prose):
            return not block.text and not (self.slides and block.marks)
        return isinstance(block, Equation) and not self.slides and any(mark.only_slides for mark in block.marks)

    @property
    def is_free(self) -> bool:
        """Whether the view is that of no framework."""
        return self.tab not in self.tabs

    def _add_cell(self, cell: Cell) -> bool:
        free = needs_none(cell.tabs or (), self.tabs)
        if cell.interact or not (free if self.is_free else self.tab in cell_tabs(cell, self.tabs)):
            return False
        code = _read_code(cell, self.tab, self.path, self.page_lines)
        self.hide_rest = self.hide_rest or code.hide_all
        self.gpu_first = self.gpu_first or code.gpu_first
        if not code.lines:
            return False
        run = self._run_lines(cell) if cell.run_source else []
        self.cells.append(
            ViewCell(
                cell=cell,
                number=len(self.cells),
                code="\n".join(line.text for line in code.lines),
                lines=tuple(code.lines),
                hide_code=code.hide_code or self.hide_rest,
                hide_output=code.hide_output or self.hide_rest,
                alt=code.alt,
                gpu_first=self.gpu_first,
                compare_devices=code.compare_devices,
                free=free and not self.is_free,
                run_code="\n".join(line.text for line in run),
            )
        )
        return True

    def _run_lines(self, cell: Cell) -> list[Line]:
        return _read_code(replace(cell, source=cell.run_source), self.tab, self.path, self.page_lines).lines


@dataclass(slots=True)
class _Code:
    """A cell's code for one framework, and what its marks said."""

    lines: list[Line]
    hide_code: bool = False
    hide_output: bool = False
    hide_all: bool = False
    gpu_first: bool = False
    compare_devices: bool = False
    alt: str = ""


def _read_code(cell: Cell, tab: str, path: str, page_lines: Sequence[str]) -> _Code:
    lines = _lines_of(cell, path, page_lines)
    code = _without_marks(_without_tab_mark(cell, lines))
    try:
        code.lines = _stripped(resolve_selected(code.lines, tab))
    except SyntaxError:  # `check` reports it with its place
        code.lines = _stripped(code.lines)
    return code


def _lines_of(cell: Cell, path: str, page_lines: Sequence[str]) -> list[Line]:
    """The lines of a cell's source; on the page they may stand further right, in a list or a quotation."""
    lines = []
    for number, text in enumerate(cell.source.split("\n"), cell.code_line):
        there = page_lines[number - 1] if number <= len(page_lines) else ""
        bare = text.lstrip()
        found = 0 if there.startswith(text) else there.find(bare) if bare else -1
        shift = found - (len(text) - len(bare)) if found > 0 else 0
        lines.append(Line(text, path, number, shift))
    return lines


def _without_tab_mark(cell: Cell, lines: list[Line]) -> list[Line]:
    if cell.tab_span is None:
        return lines
    return [line for line in lines if line.number != cell.tab_span.line or not _TAB.match(line.text)]


def _without_marks(lines: list[Line]) -> _Code:
    """Takes marks in comments out of the code; what looks like one inside a string stays."""
    code = _Code([])
    columns = _comment_columns([line.text for line in lines])
    alts: list[str] = []
    for number, line in enumerate(lines, 1):
        column = columns.get(number, -1)
        mark = line.text[column:].rstrip() if column >= 0 else ""
        alt, hide, devices = _ALT.match(mark), _HIDE.match(mark), _DEVICES.match(mark)
        if alt is None and hide is None and devices is None and not (column >= 0 and _TAB.match(mark)):
            code.lines.append(line)
            continue
        if alt is not None:
            alts.append(alt["text"].strip())
        if hide is not None:
            _hide(code, (hide["hide"] or hide["what"]).lower())
        if devices is not None:
            setattr(code, devices["what"].lower(), True)
        if before := line.text[:column].rstrip():
            code.lines.append(replace(line, text=before))
    code.alt = " ".join(alts)
    return code


def _hide(code: _Code, what: str) -> None:
    code.hide_all = code.hide_all or what == "hide_all"
    code.hide_code = code.hide_code or what in {"hide", "hide_all", "hide_code", "hide code"}
    code.hide_output = code.hide_output or "output" in what or what in {"hide", "hide_all"}


def _comment_columns(texts: list[str]) -> dict[int, int]:
    """Where the comment of each 1-based line starts. In code that does not parse: lines that are comments."""
    if not any(_ANY_MARK.search(text) for text in texts):
        return {}
    alone = {
        number: len(text) - len(text.lstrip()) for number, text in enumerate(texts, 1) if text.lstrip().startswith("#")
    }
    try:
        source = parse_cell("\n".join(texts)).source
    except SyntaxError:
        return alone
    if not source.strip():  # a cell of another language, such as %%bash
        return alone
    strings = lines_inside_strings(source)
    found = {number: comment.column for number, comment in comments(source).items()}
    return {
        number: column for number, column in found.items() if number not in strings or texts[number - 1][column] == "#"
    }


def _stripped(lines: list[Line]) -> list[Line]:
    """The lines without blank ones at both ends."""
    filled = [number for number, line in enumerate(lines) if line.text.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _report_selected(document: Document, tabs: tuple[str, ...], messages: Messages) -> None:
    """Reports frameworks that `tab.selected` names and the book does not have."""
    for block in document.walk():
        if not isinstance(block, Cell) or block.interact:
            continue
        for selected in selected_names(block.source):
            if selected.name.lower() not in tabs:
                line, column = block.code_line + selected.line - 1, selected.column + 1
                text = f"unknown tab '{selected.name}'{nearest(selected.name, tabs)}"
                messages.error(document.path, line, column, text, "tab-unknown")
