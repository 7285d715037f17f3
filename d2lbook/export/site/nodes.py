"""Nodes of our own, for what docutils has none, and how each is written as HTML."""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from d2lbook.frameworks import label_of


class Group(nodes.General, nodes.Element):
    """Neighbouring cells or prose of several frameworks. `tabs`: theirs; `number` there; `words`: their name."""


class Panel(nodes.General, nodes.Element):
    """One framework's part of a group. `tab`: the framework."""


class Part(nodes.General, nodes.Element):
    """Prose for some frameworks. `tabs`: theirs."""


class Code(nodes.General, nodes.Element):
    """The source of a cell; holds a literal block."""


class Output(nodes.General, nodes.Element):
    """What a cell put out. `made`: what it was made with."""


class Details(nodes.General, nodes.Element):
    """Folded away. `summary`: what stands for it; `kind`: its class."""


class Katex(nodes.General, nodes.Inline, nodes.TextElement):
    """A formula, typeset; holds its TeX. `html`; `display`; `number` and `anchors` of a numbered equation."""


class Html(nodes.General, nodes.Inline, nodes.Element):
    """Markup that is ready. `html`."""


class Picture(nodes.General, nodes.Element):
    """A figure with its caption. `html` of the picture; `anchors`; holds a `nodes.caption` or nothing."""


class Captioned(nodes.General, nodes.Element):
    """A table with its caption. `anchors`; holds a `nodes.caption`, then the table."""


def for_tabs(tabs: tuple[str, ...]) -> str:
    """The attribute by which the style sheet hides what is for other frameworks."""
    return f'data-for="{" ".join(tabs)}"'


def visit_group(self: Any, node: Group) -> None:
    tabs: tuple[str, ...] = node["tabs"]
    number: int = node["number"]
    self.body.append(
        f'<div class="d2l-group" {for_tabs(tabs)}>\n<div class="d2l-strip" role="tablist"'
        f' aria-label="{html.escape(node["words"])}">'
    )
    for tab in tabs:
        first = tab == tabs[0]
        self.body.append(
            f'<button type="button" role="tab" id="tab-{number}-{tab}" data-tab="{tab}"'
            f' aria-controls="panel-{number}-{tab}"'
            f' aria-selected="{"true" if first else "false"}" tabindex="{0 if first else -1}">'
            f"{html.escape(label_of(tab))}</button>"
        )
    self.body.append("</div>\n")


def visit_panel(self: Any, node: Panel) -> None:
    tab: str = node["tab"]
    place = f"{node['number']}-{tab}"
    name = html.escape(label_of(tab))
    self.body.append(
        f'<div class="d2l-panel" role="tabpanel" id="panel-{place}" aria-labelledby="tab-{place}" {for_tabs((tab,))}>'
        f'<p class="d2l-name">{name}</p>\n'
    )


def visit_part(self: Any, node: Part) -> None:
    names = html.escape(", ".join(label_of(tab) for tab in node["tabs"]))
    self.body.append(f'<div class="d2l-part" {for_tabs(node["tabs"])}><p class="d2l-name">{names}</p>\n')


def visit_code(self: Any, node: Code) -> None:
    self.body.append('<div class="d2l-code">')


def visit_output(self: Any, node: Output) -> None:
    self.body.append('<div class="d2l-output">')


def depart_output(self: Any, node: Output) -> None:
    if node.get("made"):
        self.body.append(f'<p class="d2l-made">{html.escape(node["made"])}</p>')
    self.body.append("</div>\n")


def close_div(self: Any, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def visit_details(self: Any, node: Details) -> None:
    self.body.append(f'<details class="{node["kind"]}"><summary>{html.escape(node["summary"])}</summary>\n')


def depart_details(self: Any, node: Details) -> None:
    self.body.append("</details>\n")


def _open_anchors(anchors: tuple[str, ...]) -> str:
    """The first anchor as the element's own id, further ones as empty elements inside it."""
    return f' id="{anchors[0]}"' if anchors else ""


def _more_anchors(anchors: tuple[str, ...]) -> str:
    return "".join(f'<span id="{anchor}"></span>' for anchor in anchors[1:])


def visit_katex(self: Any, node: Katex) -> None:
    if node["display"]:
        anchors = node.get("anchors", ())
        number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
        self.body.append(
            f'<div class="d2l-display"{_open_anchors(anchors)}>{_more_anchors(anchors)}'
            f'<div class="d2l-formula">{node["html"]}</div>{number}</div>\n'
        )
    else:
        self.body.append(node["html"])
    raise nodes.SkipNode


def visit_html(self: Any, node: Html) -> None:
    self.body.append(node["html"])
    raise nodes.SkipNode


def visit_picture(self: Any, node: Picture) -> None:
    anchors = node["anchors"]
    self.body.append(f'<figure class="d2l-figure"{_open_anchors(anchors)}>{_more_anchors(anchors)}{node["html"]}\n')
    if node.children:
        self.body.append("<figcaption>")


def depart_picture(self: Any, node: Picture) -> None:
    self.body.append("</figcaption></figure>\n" if node.children else "</figure>\n")


def visit_captioned(self: Any, node: Captioned) -> None:
    anchors = node["anchors"]
    self.body.append(f'<div class="d2l-table"{_open_anchors(anchors)}>{_more_anchors(anchors)}\n')


def nothing(self: Any, node: nodes.Element) -> None:
    pass


class Words(nodes.General, nodes.Inline, nodes.TextElement):
    """Inline nodes in a row. `number`: "Fig. 1.2.1", what stands before them; `tag`: the element around them."""


def visit_words(self: Any, node: Words) -> None:
    self.body.append(f'<p class="{node["kind"]}">')
    if node.get("number"):
        self.body.append(f'<span class="caption-number">{html.escape(node["number"])}</span> ')


def depart_words(self: Any, node: Words) -> None:
    self.body.append("</p>\n")


def visit_entry(self: Any, node: nodes.entry) -> None:
    """As docutils does it, but an empty corner of a table's head is no heading."""
    HTML5Translator.visit_entry(self, node)
    if isinstance(node.parent.parent, nodes.thead) and not node.astext().strip():
        self.body[-1], self.context[-1] = "<td>", "</td>\n"


def depart_entry(self: Any, node: nodes.entry) -> None:
    HTML5Translator.depart_entry(self, node)


VISITORS: tuple[tuple[type[nodes.Element], Any, Any], ...] = (
    (Group, visit_group, close_div),
    (Panel, visit_panel, close_div),
    (Part, visit_part, close_div),
    (Code, visit_code, close_div),
    (Output, visit_output, depart_output),
    (Details, visit_details, depart_details),
    (Katex, visit_katex, nothing),
    (Html, visit_html, nothing),
    (Picture, visit_picture, depart_picture),
    (Captioned, visit_captioned, close_div),
    (Words, visit_words, depart_words),
)


def register(app: Sphinx) -> None:
    for node, visit, depart in VISITORS:
        app.add_node(node, html=(visit, depart))
    app.add_node(nodes.entry, override=True, html=(visit_entry, depart_entry))
