"""Code cells and what they put out, grouped by framework."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

from d2lbook.execute.frozen import CPU
from d2lbook.export.site.context import SiteContext
from d2lbook.export.site.grouping import Cluster
from d2lbook.frameworks import label_of
from d2lbook.html.markup import attribute, escape
from d2lbook.html.prose import Prose
from d2lbook.html.reference import for_tabs, names_of
from d2lbook.model import Cell, ViewCell
from d2lbook.rendering.code import language_of, with_named_references
from d2lbook.rendering.figures import inline_plot, labelled
from d2lbook.rendering.provenance import device_label, made_with
from d2lbook.rendering.results import NO_RESULTS, Result, bitmap, printed_in, texts_of
from d2lbook.security.markup import clean_output

_CHOSEN, _NOT_CHOSEN = ' aria-checked="true" tabindex="0"', ' aria-checked="false" tabindex="-1"'
LONG = 24  # lines from which on a text folds
_CORNER = re.compile(r"<th\b[^>]*>\s*</th>")  # an empty corner of a table's head is no heading


class BadOutput(Exception):
    """A frozen output that a page cannot show; the text says why."""


class Cells:
    """The cells of one page."""

    def __init__(self, context: SiteContext, prose: Prose) -> None:
        self.context, self.prose, self.site = context, prose, context.site
        document = context.page.document
        self.groups = 0
        self.printed_in = printed_in(document, context.config)
        self.views: dict[str, dict[int, ViewCell]] = {}  # by framework, then start of the cell's span
        for tab in self.site.tabs:
            view = context.around.view(context.page, tab)
            self.views[tab] = {cell.cell.span.start: cell for cell in view.cells}

    def group(self, cluster: Cluster) -> str:
        """One box: what is the same in every framework once, the rest in panels of which one is seen."""
        cells = self._cells(cluster)
        if not cells:
            return ""
        tabs, first = tuple(cells), next(iter(cells.values()))
        if first.free:
            return self._code(first) + self._output(tabs[0], first)
        shared = len({(cell.code, cell.hide_code) for cell in cells.values()}) == 1
        shown = {tab: self._output(tab, cell) for tab, cell in cells.items()}
        head = self._code(first) if shared else ""
        if shared and (len(tabs) == 1 or not any(shown.values())):
            return self.part(tabs, head + shown[tabs[0]])
        if not shared and not any(shown[tab] or not cells[tab].hide_code for tab in tabs):
            return ""
        self.groups += 1
        panels = "".join(self._panel(tab, ("" if shared else self._code(cells[tab])) + shown[tab]) for tab in tabs)
        group = f'<div class="d2l-group" {for_tabs(tabs)}>\n{self._strip(tabs)}{panels}</div>\n'
        return self.part(tabs, head + group) if shared else group

    def part(self, tabs: tuple[str, ...], body: str) -> str:
        """What is for some frameworks, and says so where that is not all."""
        if tabs == self.site.tabs or not body:
            return body
        name = self.context.unsearched(f'<p class="d2l-name">{names_of(tabs)}</p>\n')
        return f'<div class="d2l-part" {for_tabs(tabs)}>{name}{body}</div>\n'

    def _cells(self, cluster: Cluster) -> dict[str, ViewCell]:
        """The cell that each framework sees, in the book's order."""
        found: dict[str, ViewCell] = {}
        for tab in self.site.tabs:
            for block, tabs in cluster.members:
                cell = self.views[tab].get(block.span.start) if tab in tabs and isinstance(block, Cell) else None
                if cell is not None:
                    found[tab] = cell
        return found

    def _strip(self, tabs: tuple[str, ...]) -> str:
        buttons = []
        for tab in tabs:
            place = f"{self.groups}-{attribute(tab)}"
            chosen = 'aria-selected="true" tabindex="0"' if tab == tabs[0] else 'aria-selected="false" tabindex="-1"'
            buttons.append(
                f'<button type="button" role="tab" id="tab-{place}" data-tab="{attribute(tab)}"'
                f' aria-controls="panel-{place}" {chosen}>{escape(label_of(tab))}</button>'
            )
        says = attribute(self.site.book.words("Framework"))
        return self.context.unsearched(
            f'<div class="d2l-strip" role="tablist" aria-label="{says}">{"".join(buttons)}</div>\n'
        )

    def _panel(self, tab: str, body: str) -> str:
        place = f"{self.groups}-{attribute(tab)}"
        name = self.context.unsearched(f'<p class="d2l-name">{escape(label_of(tab))}</p>\n')
        role = f'role="tabpanel" id="panel-{place}" aria-labelledby="tab-{place}"'
        return f'<div class="d2l-panel" {role} {for_tabs((tab,))}>{name}{body}</div>\n'

    def _code(self, cell: ViewCell) -> str:
        if cell.hide_code:
            return ""
        code = with_named_references(cell.code, self.site.book)
        return f'<div class="d2l-code">{self.prose.code_block(code, language_of(cell.code))}</div>\n'

    def _output(self, tab: str, cell: ViewCell) -> str:
        if cell.hide_output or not self.site.config.eval_notebook:
            return ""
        results = self.site.runs.get((self.context.name, tab), NO_RESULTS)
        found = results.of(cell)
        if not found:
            pending = escape(self.site.book.words("Not run yet"))
            return self.context.unsearched(f'<p class="d2l-pending">{pending}</p>\n')
        try:
            shown = {result.kind: self._result(tab, cell, result) for result in found}
        except BadOutput as error:
            line = cell.cell.span.line
            self.context.error(f"[{tab}] the result of this cell holds {error}; run: d2lbook eval", "output-kind", line)
            return ""
        if len(found) > 1:
            return self.context.unsearched(self._choice(found, shown, {one.kind for one in results.printed(cell)}))
        only = shown[found[0].kind]
        return self.context.unsearched(f'<div class="d2l-output">{only}</div>\n') if only else ""

    def _result(self, tab: str, cell: ViewCell, result: Result) -> str:
        """What a cell put out on one device, with the line below it. Raises BadOutput."""
        prefix = f"{tab}-{cell.number}" if result.kind == CPU else f"{tab}-{cell.number}-{attribute(result.kind)}"
        shown = "".join(self._shown(result.outputs, prefix, cell))
        made = escape(made_with(tab, result, self.site.book.words))
        return f'{shown}<p class="d2l-made">{made}</p>' if shown and made else shown

    def _choice(self, found: list[Result], shown: dict[str, str], printed: set[str]) -> str:
        """Results of several devices, of which readers see one. The first is seen without scripts."""
        buttons = "".join(
            f'<button type="button" role="radio" data-device="{attribute(one.kind)}"'
            f"{_CHOSEN if one is found[0] else _NOT_CHOSEN}>{escape(device_label(one))}</button>"
            for one in found
        )
        parts = "".join(
            f'<div class="d2l-on" data-on="{attribute(one.kind)}"{" data-printed" * (one.kind in printed)}>'
            f"{shown[one.kind]}</div>\n"
            for one in found
        )
        says, kinds = attribute(self.site.book.words("Device")), attribute(" ".join(one.kind for one in found))
        choice = f'<div class="d2l-choice d2l-js" role="radiogroup" aria-label="{says}">{buttons}</div>'
        return f'<div class="d2l-output" data-devices="{kinds}">{choice}\n{parts}</div>\n'

    def _shown(self, outputs: tuple[dict[str, Any], ...], prefix: str, cell: ViewCell) -> Iterator[str]:
        """A cell's outputs. `prefix` makes ids unique. Raises BadOutput."""
        for number, output in enumerate(outputs):
            if output["output_type"] == "stream":
                yield self._text(output["text"], output["name"])
            elif output["output_type"] in {"display_data", "execute_result"}:
                yield self._data(texts_of(output["data"]), f"{prefix}-{number}", cell)
            else:
                raise BadOutput(f"an output of the kind '{output['output_type']}'")

    def _data(self, texts: dict[str, str], prefix: str, cell: ViewCell) -> str:
        alt = cell.alt or self.site.book.words("Plot of the cell above")
        if svg := texts.get("image/svg+xml"):
            try:
                drawing = labelled(self.context.values.of(inline_plot, svg, prefix), alt)
            except ValueError as error:
                raise BadOutput(f"a drawing that {error}") from error
            return f'<div class="d2l-plot">{drawing}</div>\n'
        if png := texts.get("image/png"):
            try:
                content = bitmap(png)
            except ValueError as error:
                raise BadOutput(f"a bitmap that {error}") from error
            source = f"data:image/png;base64,{base64.b64encode(content).decode()}"
            return f'<div class="d2l-plot"><img src="{source}" alt="{attribute(alt)}"></div>\n'
        if markup := texts.get("text/html"):
            body = _CORNER.sub("<td></td>", clean_output(markup))
            return f'<div class="d2l-html"{self._lang}>{body}</div>\n'
        for mime in ("text/markdown", "text/latex"):
            if mime in texts:
                return self.prose.blocks(texts[mime])
        if "text/plain" in texts:
            return self._text(texts["text/plain"], "result")
        raise BadOutput(f"an output that is only {', '.join(sorted(texts))}")

    @property
    def _lang(self) -> str:
        """What outputs are in, where it is not the page's language."""
        return f' lang="{attribute(self.printed_in)}"' if self.printed_in else ""

    def _text(self, text: str, kind: str) -> str:
        text = text.strip("\n")
        fold = " d2l-long" if text.count("\n") + 1 > LONG else ""
        return f'<pre class="d2l-text d2l-{attribute(kind)}{fold}"{self._lang}>{escape(text)}</pre>\n'
