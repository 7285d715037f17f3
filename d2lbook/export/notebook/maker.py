"""A page's view -> the cells of a notebook: texts between cells of code, outputs, the works that are cited."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from d2lbook.execute.frozen import CellResult, Run
from d2lbook.export.notebook.markdown import PageMarkdown
from d2lbook.export.shared.results import result_of
from d2lbook.export.shared.untranslated import has_words, is_partly_untranslated
from d2lbook.model import (
    Bibliography,
    Block,
    Cell,
    Figure,
    Heading,
    Prose,
    Role,
    Solution,
    Table,
    View,
    ViewCell,
    walk,
)
from d2lbook.parse.prose import CITATIONS

NotebookCell = dict[str, Any]


@dataclass(slots=True)
class NotebookMaker:
    """Makes the cells of one page's notebook; without a run, cells have no outputs."""

    markdown: PageMarkdown
    view: View
    run: Run | None = None
    solutions: bool = True  # whether they are there
    cells: list[NotebookCell] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)  # Markdown waiting to become a cell
    _ids: set[str] = field(default_factory=set)
    _level: int = 1  # of the last heading
    _lang: str = ""  # of the text that waits, where it is not the book's

    def make(self) -> list[NotebookCell]:
        self._add_all(self.view.blocks)
        self._add_works()
        self._end_text()
        return self.cells

    def _add_all(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._add(block)

    def _add(self, block: Block) -> None:
        if has_words(block) and block.lang != self._lang:
            self._end_text()
            self._lang = block.lang
        match block:
            case Heading():
                self._add_heading(block)
            case Cell():
                self._end_text()
                self._add_code(block)
            case Solution():
                self._add_solution(block)
            case _:
                if text := self.markdown.block(block):
                    self._text.append(text)

    def _add_heading(self, heading: Heading) -> None:
        self._end_text()
        self._level = heading.level
        self._text.append(self.markdown.block(heading))
        if heading.level == 1 and is_partly_untranslated(self.view.blocks):
            why = self._words("Parts of this page are not translated yet and are shown in English.")
            self._text.append(f"*{why}*")

    def _add_solution(self, solution: Solution) -> None:
        if not self.solutions:
            return
        self._end_text()
        self._lang = ""
        self._text.append(f"{'#' * min(6, self._level + 1)} {self._words('Solution')}")
        self._add_all(solution.blocks)
        self._end_text()

    def _add_works(self) -> None:
        """Lists the works that the page cites, unless it lists all works already."""
        blocks = list(walk(self.view.blocks))
        keys = {key for block in blocks for role in _roles(block) if role.kind in CITATIONS for key in role.keys}
        keys &= self.markdown.book.citations.keys()
        if keys and not any(isinstance(block, Bibliography) for block in blocks):
            self._end_text()
            self._lang = ""
            self._text += [f"## {self._words('References')}", self.markdown.works(keys)]

    def _words(self, english: str) -> str:
        return self.markdown.book.words(english)

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
                "cell_type": "code",
                "id": self._id(cell.code),
                "metadata": _metadata(cell),
                "source": self.markdown.code(cell.code),
                "execution_count": cell.number + 1 if result is not None else None,
                "outputs": list(_outputs(cell, result)) if result is not None else [],
            }
        )

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


def _roles(block: Block) -> tuple[Role, ...]:
    return block.roles if isinstance(block, Heading | Prose | Figure | Table) else ()
