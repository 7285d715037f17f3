"""Code cells and what they put out, as XHTML."""

from __future__ import annotations

from collections.abc import Sequence

from d2lbook.html.context import ViewContext
from d2lbook.html.markup import attribute, code_block, escape
from d2lbook.html.prose import Prose
from d2lbook.model import ViewCell
from d2lbook.rendering.code import language_of, with_named_references
from d2lbook.rendering.figures import plain_svg
from d2lbook.rendering.provenance import made_with
from d2lbook.rendering.results import Result, Results, bitmap, left_out, printed_in, texts_of


class Cells:
    """The cells of one page."""

    def __init__(self, context: ViewContext, prose: Prose, results: Results) -> None:
        self.context, self.prose, self.results = context, prose, results

    def cell(self, cell: ViewCell) -> str:
        code = "" if cell.hide_code else self.code(cell.code)
        return code + "".join(self._result(result, cell) for result in self.shown(cell))

    def code(self, code: str) -> str:
        return code_block(with_named_references(code, self.context.book), language_of(code))

    def shown(self, cell: ViewCell) -> Sequence[Result]:
        """The results of a cell that are to be shown."""
        hidden = cell.hide_output or not self.context.config.eval_notebook
        return () if hidden else self.results.printed(cell)

    def _result(self, result: Result, cell: ViewCell) -> str:
        shown = "".join(self.output(output, cell) for output in result.outputs)
        return f'<div class="output">\n{shown}{self.made(result)}</div>\n' if shown else ""

    def made(self, result: Result) -> str:
        """The line below outputs."""
        words = made_with(self.context.tab, result, self.context.book.words)
        return f'<p class="made">{escape(words)}</p>\n'

    def output(self, output: dict[str, object], cell: ViewCell) -> str:
        if output["output_type"] == "stream":
            return self._printed(str(output["text"]))
        data = output.get("data")
        return self._data(texts_of(data), cell) if isinstance(data, dict) else ""

    def _data(self, texts: dict[str, str], cell: ViewCell) -> str:
        try:
            if svg := texts.get("image/svg+xml"):
                return self._plot(plain_svg(svg).encode(), ".svg", cell)
            if png := texts.get("image/png"):
                return self._plot(bitmap(png), ".png", cell)
        except ValueError as error:
            self.context.warn(f"an output is left out, which {error}; run the page again", "output-unreadable")
            return ""
        if "text/markdown" in texts:
            return self.prose.blocks(texts["text/markdown"])
        if "text/plain" in texts:
            return self._printed(texts["text/plain"])
        self.context.warn(left_out(self.context.tab, texts), "output-print")
        return ""

    def _plot(self, content: bytes, suffix: str, cell: ViewCell) -> str:
        alt = attribute(cell.alt or self.context.book.words("Plot of the cell above"))
        return f'<p class="plot"><img src="{self.context.media.add(content, suffix)}" alt="{alt}"/></p>\n'

    def _printed(self, text: str) -> str:
        text, lang = text.strip("\n"), attribute(printed_in(self.context.page.document, self.context.config))
        said = f' lang="{lang}" xml:lang="{lang}"' if lang else ""
        return f'<pre class="printed"{said}>{escape(text)}</pre>\n' if text.strip() else ""
