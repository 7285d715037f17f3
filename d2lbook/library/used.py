"""Which saved definitions code uses, directly or through others: part of the key of a page's results."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from d2lbook.library.assemble import Library
from d2lbook.library.item import OWN_NAME
from d2lbook.library.lines import text_of
from d2lbook.library.names import attributes, bound, used
from d2lbook.pycode import normalise, parse_cell


@dataclass(slots=True)
class Definitions:
    """The statements of a library by the names they bind or change, each with what it uses in turn."""

    sources: dict[str, list[str]] = field(default_factory=dict)  # normalised
    uses: dict[str, set[str]] = field(default_factory=dict)
    always: set[str] = field(default_factory=set)  # statements that act by being run, such as settings


def definitions_of(library: Library) -> Definitions:
    definitions = Definitions()
    for node in library.head_tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            _add(definitions, node, ast.get_source_segment(library.head, node, padded=True) or "")
    for item in library.items:
        _add(definitions, item.node, text_of(item.rendered()))
    return definitions


def _add(definitions: Definitions, node: ast.stmt, source: str) -> None:
    tree = ast.Module([node], [])
    names = bound(tree) | _changed(node)
    if not names and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    text = normalise(source)
    if not names:
        names = {text}
        definitions.always.add(text)
    for name in names:
        definitions.sources.setdefault(name, []).append(text)
        definitions.uses.setdefault(name, set()).update(used(source, OWN_NAME))


def _changed(node: ast.stmt) -> set[str]:
    """`DATA_HUB` in `DATA_HUB['x'] = …`."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = set()
    for target in targets:
        while isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
        if isinstance(target, ast.Name):
            names.add(target.id)
    return names


def used_by(cells: Iterable[str], definitions: Definitions) -> tuple[str, ...]:
    """Normalised sources of all that cells use of a library as `d2l.name`, directly or through others, sorted."""
    names = set[str]().union(*map(_names_in, cells))
    waiting = (names | definitions.always if names else set()) & definitions.sources.keys()
    reached: set[str] = set()
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting |= (definitions.uses[name] & definitions.sources.keys()) - reached
    return tuple(sorted({text for name in reached for text in definitions.sources[name]}))


@lru_cache(maxsize=20_000)
def _names_in(code: str) -> frozenset[str]:
    if code.lstrip().startswith("%%"):  # a script that is written to a file, say, uses the library, too
        code = "\n" + code.lstrip().partition("\n")[2]
    try:
        names = {use.name for use in attributes(code).read if use.owner == OWN_NAME}
    except SyntaxError:
        return frozenset(re.findall(r"\bd2l\s*\.\s*(\w+)", code))
    for node in parse_cell(code).nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("d2l."):
            names.update(alias.name for alias in node.names)
    return frozenset(names)
