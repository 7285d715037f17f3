"""reStructuredText of an `eval_rst` fence, parsed as Sphinx parses its own pages."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import Parser
from docutils.utils import new_document


def parse(text: str, tree: nodes.document, line: int) -> list[nodes.Node]:
    """Nodes of a fence that opens at `line` of the page whose `tree` is being made."""
    inner = new_document(tree["source"], tree.settings)
    inner.reporter = tree.reporter
    Parser().parse("\n" * line + text, inner)
    found = [node for node in inner.children if not isinstance(node, nodes.comment)]
    for node in found:
        for part in node.findall(nodes.Element):
            names: list[str] = part.get("ids", [])
            tree.ids.update(dict.fromkeys(names, part))
    return found
