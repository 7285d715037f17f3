"""Code cells and what they put out, as XHTML."""

from __future__ import annotations

from collections.abc import Sequence

from d2lbook.execute.frozen import Run
from d2lbook.export.shared.code import language_of, with_named_references
from d2lbook.export.shared.figures import plain_svg
from d2lbook.export.shared.provenance import made_with
from d2lbook.export.shared.results import bitmap, left_out, printed_in, result_of, texts_of
from d2lbook.export.xhtml.context import ViewContext
from d2lbook.export.xhtml.markup import attribute, code_block, escape
from d2lbook.export.xhtml.prose import Prose
from d2lbook.model import ViewCell


class Cells:
    """The cells of one page."""

    def __init__(self, context: ViewContext, prose: Prose, run: Run | None) -> None:
        self.context, self.prose, self.run = context, prose, run

    def cell(self, cell: ViewCell) -> str:
        code = "" if cell.hide_code else self.code(cell.code)
        shown = "".join(self.output(output, cell) for output in self.outputs(cell))
        return f'{code}<div class="output">\n{shown}{self.made()}</div>\n' if shown else code

    def code(self, code: str) -> str:
        return code_block(with_named_references(code, self.context.book), language_of(code))

    def outputs(self, cell: ViewCell) -> Sequence[dict[str, object]]:
        """What is to be shown of a cell's result."""
        if cell.hide_output or not self.context.config.eval_notebook:
            return ()
        result = result_of(cell, self.run)
        return result.outputs if result is not None else ()

    def made(self) -> str:
        """The line below outputs."""
        if self.run is None:
            return ""
        words = made_with(self.context.tab, self.run, self.context.book.words)
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
