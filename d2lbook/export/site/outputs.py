"""What a cell put out, as nodes: drawings inlined, text in boxes of their own."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from docutils import nodes

from d2lbook.execute.frozen import Run
from d2lbook.export.shared.figures import inline_svg
from d2lbook.export.shared.provenance import made_with
from d2lbook.export.shared.results import bitmap, result_of, texts_of
from d2lbook.export.site.nodes import Html
from d2lbook.model import UiStrings, ViewCell
from d2lbook.security.markup import clean_output

LONG = 24  # lines from which on a text folds
_CORNER = re.compile(r"<th\b[^>]*>\s*</th>")  # an empty corner of a table's head is no heading


class BadOutput(Exception):
    """A frozen output that a page cannot show; the text says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell's outputs in one framework. `lang`: what they are in, where it is not the page's language."""

    outputs: tuple[dict[str, Any], ...]
    made: str
    lang: str = ""


def outputs_of(cell: ViewCell, tab: str, run: Run | None, words: UiStrings, lang: str = "") -> Shown | None:
    """The frozen outputs of a cell; None when it has not been run as it stands."""
    result = result_of(cell, run)
    return Shown(result.outputs, made_with(tab, run, words), lang) if run is not None and result is not None else None


def output_nodes(
    shown: Shown, prefix: str, alt: str, render: Callable[[str], list[nodes.Node]]
) -> list[nodes.Node]:  # fmt: skip
    """Nodes of a cell's outputs. `prefix` makes ids unique; `render` typesets Markdown. Raises BadOutput."""
    found: list[nodes.Node] = []
    lang = f' lang="{html.escape(shown.lang)}"' if shown.lang else ""
    for number, output in enumerate(shown.outputs):
        if output["output_type"] == "stream":
            found.append(_text(output["text"], output["name"], lang))
        elif output["output_type"] in {"display_data", "execute_result"}:
            found += _data(output["data"], f"{prefix}-{number}", alt, lang, render)
        else:
            raise BadOutput(f"an output of the kind '{output['output_type']}'")
    return found


def _data(
    data: dict[str, Any], prefix: str, alt: str, lang: str, render: Callable[[str], list[nodes.Node]]
) -> list[nodes.Node]:  # fmt: skip
    texts = texts_of(data)
    label = html.escape(alt)
    if svg := texts.get("image/svg+xml"):
        try:
            drawing = inline_svg(svg, prefix, alt, plot=True)
        except ValueError as error:
            raise BadOutput(f"a drawing that {error}") from error
        return [Html(html=f'<div class="d2l-plot">{drawing}</div>\n')]
    if png := texts.get("image/png"):
        try:
            content = bitmap(png)
        except ValueError as error:
            raise BadOutput(f"a bitmap that {error}") from error
        source = f"data:image/png;base64,{base64.b64encode(content).decode()}"
        return [Html(html=f'<div class="d2l-plot"><img src="{source}" alt="{label}"></div>\n')]
    if markup := texts.get("text/html"):
        body = _CORNER.sub("<td></td>", clean_output(markup))
        return [Html(html=f'<div class="d2l-html"{lang}>{body}</div>\n')]
    for mime in ("text/markdown", "text/latex"):
        if mime in texts:
            return render(texts[mime])
    if "text/plain" in texts:
        return [_text(texts["text/plain"], "result", lang)]
    raise BadOutput(f"an output that is only {', '.join(sorted(texts))}")


def _text(text: str, kind: str, lang: str) -> Html:
    text = text.strip("\n")
    fold = " d2l-long" if text.count("\n") + 1 > LONG else ""
    return Html(html=f'<pre class="d2l-text d2l-{kind}{fold}"{lang}>{html.escape(text)}</pre>\n')
