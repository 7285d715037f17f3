"""Code cells and what they put out, grouped by framework."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from docutils import nodes

from d2lbook.export.shared.code import language_of, with_named_references
from d2lbook.export.shared.results import printed_in
from d2lbook.export.site.context import Site
from d2lbook.export.site.grouping import Cluster
from d2lbook.export.site.nodes import Code, Group, Html, Output, Panel, Part
from d2lbook.export.site.outputs import BadOutput, Shown, output_nodes, outputs_of
from d2lbook.model import Cell, Document, ViewCell
from d2lbook.view import make_view

if TYPE_CHECKING:
    from d2lbook.export.site.page import PageTree


class Cells:
    """The cells of one page."""

    def __init__(self, page: PageTree, site: Site, document: Document) -> None:
        self.page, self.site, self.document = page, site, document
        self.groups = 0
        self.views: dict[str, dict[int, ViewCell]] = {}  # by framework, then start of the cell's span
        for tab in site.tabs:
            view = make_view(document, tab, site.book.tabs)
            self.views[tab] = {cell.cell.span.start: cell for cell in view.cells}

    def group(self, cluster: Cluster) -> list[nodes.Node]:
        """One box: what is the same in every framework once, the rest in panels of which one is seen."""
        cells = self._cells(cluster)
        if not cells:
            return []
        tabs = tuple(cells)
        shared = len({(cell.code, cell.hide_code) for cell in cells.values()}) == 1
        shown = {tab: self._output(tab, cell) for tab, cell in cells.items()}
        head = self._code(next(iter(cells.values()))) if shared else []
        if shared and (len(tabs) == 1 or not any(shown.values())):
            body = [*head, *shown[tabs[0]]]
            return body if tabs == self.site.tabs else self._part(tabs, body)
        if not shared and not any(shown[tab] or not cells[tab].hide_code for tab in tabs):
            return []
        self.groups += 1
        group = Group(tabs=tabs, number=self.groups, words=self.site.book.words("Framework"))
        for tab, cell in cells.items():
            panel = Panel(tab=tab, number=self.groups)
            panel += [*([] if shared else self._code(cell)), *shown[tab]]
            group += panel
        if not shared:
            return [group]
        group["classes"].append("d2l-outputs")
        body = [*head, group]
        return body if tabs == self.site.tabs else self._part(tabs, body)

    def _part(self, tabs: tuple[str, ...], body: list[nodes.Node]) -> list[nodes.Node]:
        if not body:
            return []
        part = Part(tabs=tabs)
        part += body
        return [part]

    def _cells(self, cluster: Cluster) -> dict[str, ViewCell]:
        """The cell that each framework sees, in the book's order."""
        found: dict[str, ViewCell] = {}
        for tab in self.site.tabs:
            for block, tabs in cluster.members:
                cell = self.views[tab].get(block.span.start) if tab in tabs and isinstance(block, Cell) else None
                if cell is not None:
                    found[tab] = cell
        return found

    def _code(self, cell: ViewCell) -> list[nodes.Node]:
        if cell.hide_code:
            return []
        code = with_named_references(cell.code, self.site.book)
        block = nodes.literal_block(code, code, language=language_of(cell.code), force=True)
        return [Code("", block)]

    def _output(self, tab: str, cell: ViewCell) -> list[nodes.Node]:
        if cell.hide_output or not self.site.config.eval_notebook:
            return []
        words = self.site.book.words
        run, lang = self.site.runs.get((self.document.name, tab)), printed_in(self.document, self.site.config)
        shown = outputs_of(cell, tab, run, words, lang)
        if shown is None:
            return [Html(html=f'<p class="d2l-pending">{html.escape(words("Not run yet"))}</p>\n')]
        return self._shown(tab, cell, shown)

    def _shown(self, tab: str, cell: ViewCell, shown: Shown) -> list[nodes.Node]:
        alt = cell.alt or self.site.book.words("Plot of the cell above")
        try:
            found = output_nodes(shown, f"{tab}-{cell.number}", alt, self.page.markdown)
        except BadOutput as error:
            line = cell.cell.span.line
            self.page.error(f"[{tab}] the result of this cell holds {error}; run: make eval", "output-kind", line)
            return []
        return [Output("", *found, made=shown.made)] if found else []
