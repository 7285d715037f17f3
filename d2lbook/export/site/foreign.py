"""What is not in the language of its page: blocks that are not translated yet."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from d2lbook.export.site.nodes import close_div
from d2lbook.model import Block


class Foreign(nodes.General, nodes.Element):
    """Blocks in another language than the page. `lang`: it; `words`: what the mark beside them says."""


def grouped(made: Iterable[tuple[Block, list[nodes.Node]]], words: str) -> Iterator[nodes.Node]:
    """The nodes of blocks, those of neighbours in one other language together under one mark."""
    for lang, group in groupby(made, key=lambda pair: pair[0].lang):
        found = [node for _, nodes_ in group for node in nodes_]
        if lang and found:
            yield Foreign("", *found, lang=lang, words=words)
        else:
            yield from found


def _visit(self: Any, node: Foreign) -> None:
    lang, words = html.escape(node["lang"]), html.escape(node["words"])
    self.body.append(f'<div class="d2l-foreign" lang="{lang}" title="{words}">\n')


def register(app: Sphinx) -> None:
    app.add_node(Foreign, html=(_visit, close_div))
