"""Code cells and what they put out, as LaTeX."""

from __future__ import annotations

from d2lbook.export.pdf.code import text_lines
from d2lbook.export.pdf.context import LatexContext, targets
from d2lbook.export.pdf.escape import escape
from d2lbook.export.pdf.prose import LatexProse, code_block
from d2lbook.library import saved_names
from d2lbook.model import ViewCell
from d2lbook.rendering.code import language_of, with_named_references
from d2lbook.rendering.figures import BadPicture, finding
from d2lbook.rendering.provenance import made_with
from d2lbook.rendering.results import Result, Results, left_out, texts_of


class Cells:
    """The cells of one page."""

    def __init__(self, context: LatexContext, prose: LatexProse, results: Results) -> None:
        self.context, self.prose, self.results = context, prose, results

    def cell(self, cell: ViewCell) -> str:
        code = "" if cell.hide_code else self._code(cell)
        shows = self.context.config.eval_notebook and not cell.hide_output
        return code + ("".join(map(self._result, self.results.printed(cell))) if shows else "")

    def _code(self, cell: ViewCell) -> str:
        code = with_named_references(cell.code, self.context.book)
        return self._saved(cell) + code_block(code, language_of(cell.code))

    def _saved(self, cell: ViewCell) -> str:
        """Targets for the index of saved names."""
        saved = self.context.text.saved
        labels = {name: f"saved:{name}" for name in saved_names(cell) if name not in saved}
        saved.update(labels)
        return targets(list(labels.values()))

    def _result(self, result: Result) -> str:
        found = "".join(map(self._output, result.outputs))
        made = made_with(self.context.tab, result, self.context.book.words)
        return f"{found}\\made{{{escape(made)}}}\n\n" if found else ""

    def _output(self, output: dict[str, object]) -> str:
        if output["output_type"] == "stream":
            return _printed(str(output["text"]))
        data = output.get("data")
        return self._data(texts_of(data)) if isinstance(data, dict) else ""

    def _data(self, texts: dict[str, str]) -> str:
        if texts.get("image/svg+xml") or texts.get("image/png"):
            return self._plot(texts)
        for mime in ("text/markdown", "text/latex"):  # of LaTeX its formulas, as on the site
            if mime in texts:
                return self.prose.blocks(texts[mime])
        if "text/plain" in texts:
            return _printed(texts["text/plain"])
        self.context.warn(left_out(self.context.tab, texts), "output-print")
        return ""

    def _plot(self, texts: dict[str, str]) -> str:
        images, svg = self.context.images, texts.get("image/svg+xml")
        try:
            path = images.drawing(svg) if svg else images.png(texts["image/png"])
        except (BadPicture, ValueError) as error:
            self.context.error(*finding("of the output", error))
            return ""
        return f"\\bookplot{{{images.place(path)}}}\n\n"


def _printed(text: str) -> str:
    return f"\\begin{{printed}}\n{text_lines(text)}\n\\end{{printed}}\n" if text.strip() else ""
