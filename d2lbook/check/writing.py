"""What a page holds that no reader should see: half-written marks, other programs' marks, conflicts of a merge."""

from __future__ import annotations

import re

from d2lbook.config.keys import nearest
from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Document, Figure, Heading, Listing, Prose, Table
from d2lbook.parse.inline import outside
from d2lbook.parse.prose import ALONE, ROLES

CALLOUTS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_CONFLICT = re.compile(r"^<{7}(?:[ \t].*)?\r?$(?=[\s\S]*?^={7}\r?$[\s\S]*?^>{7}(?:[ \t]|\r?$))", re.MULTILINE)
_DOLLAR = re.compile(r"(?<![\w$\\])\$(?=[A-Za-z\\])(?![A-Z][A-Z0-9_]+\b)")
_KINDS = "|".join((*ROLES, *ALONE))
_OPEN_ROLE = re.compile(rf"(?<![\w`:]):(?P<kind>{_KINDS}):`")
_APART = re.compile(rf"(?<![\w`:]):(?P<kind>{_KINDS}):[ \t]+(?=`)")
_MYST_ROLE = re.compile(r"\{[A-Za-z][\w:-]*\}(?=`[^`\n]+`)")
_ADMONITION = re.compile(r"^(?:!!![ \t]+\w+|\?\?\?\+?[ \t]+\w+|:::+[ \t]*\{?\w+\}?)", re.MULTILINE)
_CALLOUT = re.compile(r"^[ \t>]*>[ \t]*\[!(?P<kind>[A-Za-z]+)\][^\n]*$", re.MULTILINE)
_PIPE_ROW = re.compile(r"\|.*\|[ \t]*$")
_CELLS = re.compile(r"(?<!\\)\|")
_CLASSES = re.compile(r"\{(?P<inside>[^}]*)\}")
_CELL_CLASSES = (".input", ".output", ".inactive", ".no-slide", ".python", ".json")


def has_conflict(document: Document) -> bool:
    """Whether two versions of a page stand in it, one below the other: then little else makes sense."""
    return "<<<<<<<" in document.text and _CONFLICT.search(document.text) is not None


def check_writing(document: Document, messages: Messages) -> None:
    """Report what would be printed as it stands, or was meant as something else."""
    report = _Report(document, messages)
    for conflict in _CONFLICT.finditer(document.text):
        what = "a conflict of a merge is not settled; keep one of the two versions, and remove these lines"
        report.at(conflict.start(), what, "merge-conflict", error=True)
    for block in document.walk():
        match block:
            case Listing():
                _check_fence(report, block)
            case Table():
                _check_rows(report, block)
                _check_inline(report, block)
            case Prose() | Heading() | Figure():
                _check_inline(report, block)
                _check_foreign(report, block)


class _Report:
    """Where to report what stands at an offset of a page."""

    def __init__(self, document: Document, messages: Messages) -> None:
        self.document, self.messages = document, messages

    def at(self, offset: int, what: str, code: str, error: bool = False) -> None:
        tell = self.messages.error if error else self.messages.warning
        tell(self.document.path, *self.document.place(offset), what, code)


def _check_inline(report: _Report, block: Block) -> None:
    start, text = block.span.start, report.document.source(block)
    for found in outside(_DOLLAR, text):
        what = r"'$' has no second '$' in this paragraph; close the formula, or write '\$' for the currency"
        report.at(start + found.start(), what, "math-unclosed")
    for found in outside(_OPEN_ROLE, text):
        what = f":{found['kind']}: has no closing backquote in this paragraph; add it"
        report.at(start + found.start(), what, "role-unclosed")
    for found in outside(_APART, text):
        what = f"a space keeps :{found['kind']}: from its text; remove the space"
        report.at(start + found.start(), what, "role-apart")
    for found in outside(_MYST_ROLE, text):
        what = f"'{found[0]}' is a role of MyST, which is shown as it stands; write :{ROLES[0]}: or another of ours"
        report.at(start + found.start(), what, "syntax-foreign")


def _check_foreign(report: _Report, block: Block) -> None:
    start, text = block.span.start, report.document.source(block)
    for found in outside(_ADMONITION, text):
        what = f"'{found[0]}' begins a box in other programs, and is shown as it stands here; write '> [!NOTE]'"
        report.at(start + found.start(), what, "syntax-foreign")
    for found in outside(_CALLOUT, text):
        if found["kind"].upper() not in CALLOUTS:
            what = f"no callout is called '{found['kind']}'{nearest(found['kind'].upper(), CALLOUTS)}"
            report.at(start + found.start("kind"), what, "callout-unknown")
    if isinstance(block, Prose) and block.text.count("\n") and all(map(_PIPE_ROW.match, block.text.split("\n"))):
        what = "these lines are no table, since none of them is '|---|---|'; add it below the first"
        report.at(start, what, "table-unruled")


def _check_rows(report: _Report, table: Table) -> None:
    """Report rows whose number of cells is not the head's."""
    text, rows = report.document.source(table), table.text.split("\n")
    wanted, position = _count(rows[0]), 0
    for number, row in enumerate(rows):
        position = max(text.find(row, position), 0)
        count = _count(row)
        if number > 1 and row.strip() and count != wanted:
            lost = "what is too much is not shown" if count > wanted else "the last are empty"
            what = (
                f"this row has {count} cells and the table's head {wanted}, so {lost}; mend it (a bar in a cell: '\\|')"
            )
            report.at(table.span.start + position, what, "table-row")
        position += len(row)


def _count(row: str) -> int:
    return len(_CELLS.split(row.strip().removeprefix("|").removesuffix("|") if row.strip() != "|" else row))


def _check_fence(report: _Report, listing: Listing) -> None:
    """Report a fence that seems to be meant as a cell."""
    braces = _CLASSES.match(listing.info)
    words = braces["inside"].split() if braces is not None else []
    if ".python" in words and (unknown := [word for word in words if word[:1] == "." and word not in _CELL_CLASSES]):
        place = listing.span.start + report.document.source(listing).find(unknown[0])
        hint = nearest(unknown[0], _CELL_CLASSES)
        report.at(place, f"'{unknown[0]}' is no kind of cell, so this is a listing{hint}", "fence-class")
