"""A page's view -> the cells of a notebook: texts between cells of code, outputs, the works that are cited."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from d2lbook.export.notebook.markdown import PageMarkdown
from d2lbook.model import (
    Bibliography,
    Block,
    Cell,
    Heading,
    Solution,
    View,
    ViewCell,
    roles_of,
    walk,
)
from d2lbook.parse.prose import CITATIONS
from d2lbook.rendering.provenance import made_with
from d2lbook.rendering.results import NO_RESULTS, Result, Results
from d2lbook.rendering.untranslated import has_words, is_partly_untranslated

NotebookCell = dict[str, Any]


@dataclass(slots=True)
class NotebookMaker:
    """Makes the cells of one page's notebook; without results, cells have no outputs."""

    markdown: PageMarkdown
    results: Results = NO_RESULTS
    solutions: bool = True  # whether they are there
    cells: list[NotebookCell] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)  # Markdown waiting to become a cell
    _ids: set[str] = field(default_factory=set)
    _level: int = 1  # of the last heading
    _lang: str = ""  # of the text that waits, where it is not the book's

    @property
    def view(self) -> View:
        return self.markdown.view

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
        keys = {key for block in blocks for role in roles_of(block) if role.kind in CITATIONS for key in role.keys}
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
        results = self.results.printed(cell)
        self.cells.append(
            {
                "cell_type": "code",
                "id": self._id(cell.code),
                "metadata": _metadata(cell),
                "source": self.markdown.code(cell.code),
                "execution_count": cell.number + 1 if results else None,
                "outputs": [output for result in results for output in self._outputs(cell, result)],
            }
        )

    def _outputs(self, cell: ViewCell, result: Result) -> Iterator[NotebookCell]:
        """What a result shows; on a page with results of several devices, which of them it is."""
        yield from _outputs(cell, result)
        if result.outputs and len(self.results.free if cell.free else self.results.runs) > 1:
            made = made_with(self.view.tab, result, self.markdown.book.words)
            data = {"text/markdown": f"*{made}*", "text/plain": made}
            yield {"output_type": "display_data", "data": data, "metadata": {}}

    def _id(self, source: str) -> str:
        """The same for the same cell in every build; a second cell of the same text gets a number."""
        name = hashlib.sha256(source.encode()).hexdigest()[:12]
        number = 1
        while (unique := name if number == 1 else f"{name}-{number}") in self._ids:
            number += 1
        self._ids.add(unique)
        return unique


def _outputs(cell: ViewCell, result: Result) -> Iterator[NotebookCell]:
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
