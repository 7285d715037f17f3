"""What a library consists of: imports, and statements that are merged, replaced and put in order."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from d2lbook.library.docstring import with_origin
from d2lbook.library.lines import DEFINITIONS, Definition, first_line, indent, indent_of, last_line, text_of
from d2lbook.library.names import load_time
from d2lbook.library.saved import Saved
from d2lbook.model import Line, Place
from d2lbook.pycode import parse_cell

OWN_NAME = "d2l"  # how saved code calls the library it becomes


@dataclass(slots=True)
class Item:
    """A top-level statement of the library other than an import."""

    key: str  # what it defines; a later item with the same key takes its place
    node: ast.stmt
    lines: list[Line]
    methods: dict[str, list[Line]] = field(default_factory=dict)  # merged into a class, by name
    merged: list[Line] | None = None  # the lines with those methods, once asked for
    method_needs: set[str] = field(default_factory=set)
    earlier: Item | None = None  # the item of the same key that this one extends
    is_alias: bool = False

    @property
    def is_definition(self) -> bool:
        return isinstance(self.node, DEFINITIONS)

    @property
    def needs(self) -> set[str]:
        """Names that must be there before the statement runs."""
        return load_time(self.node, OWN_NAME) | self.method_needs

    @property
    def bases(self) -> dict[str, Place]:
        """Names of a class's bases and where they stand."""
        if not isinstance(self.node, ast.ClassDef):
            return {}
        return {
            name: self.lines[base.lineno - 1].place_of_byte(base.col_offset)
            for base in self.node.bases
            for name in load_time(base, OWN_NAME)
        }

    def rendered(self) -> list[Line]:
        """The statement's lines, with the methods that were merged into it."""
        if self.methods and self.merged is None and isinstance(self.node, ast.ClassDef):
            self.merged = _merged(self.lines, self.node, self.methods)
        return self.merged or self.lines


def item_of(saved: Saved) -> Item:
    node, lines = _statement(saved)
    return Item(_key(node), node, list(lines))


@lru_cache(maxsize=20_000)
def _statement(saved: Saved) -> tuple[ast.stmt, tuple[Line, ...]]:
    """A saved statement as the library has it; the same for all frameworks that share it."""
    node, lines = saved.node, list(saved.lines)
    lines = with_origin(lines, node, saved.origin) if isinstance(node, DEFINITIONS) else _in_the_module(node, lines)
    return parse_cell(text_of(lines)).tree.body[0], tuple(lines)


def _key(node: ast.stmt) -> str:
    """What a definition or an assignment sets; of another statement, all of it: said twice, it is run once."""
    if isinstance(node, DEFINITIONS):
        return node.name
    if isinstance(node, ast.Assign):
        return " = ".join(ast.unparse(target) for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return ast.unparse(node)


def _in_the_module(node: ast.stmt, lines: list[Line]) -> list[Line]:
    """`d2l.DATA_HUB[…] = …` sets the module's own `DATA_HUB`."""
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = list(node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return lines
    for target in reversed(targets):
        owner = _owner(target)
        if owner is None:
            continue
        line = lines[owner.lineno - 1]
        before, after = line.text[: owner.col_offset], line.text[owner.col_offset :]
        if before.isascii() and after.startswith(OWN_NAME + "."):
            text = before + after.removeprefix(OWN_NAME + ".")
            lines[owner.lineno - 1] = Line(text, line.path, line.number, line.shift + len(OWN_NAME) + 1)
    return lines


def _owner(target: ast.expr) -> ast.Name | None:
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target if isinstance(target, ast.Name) and target.id == OWN_NAME else None


# ---- methods --------------------------------------------------------------------------------------------------------


def class_extended(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The class that `@add_to_class(C)` above a function names, and where: `C`, or `d2l.C` for the library's."""
    if not isinstance(node, DEFINITIONS):
        return None
    for decorator in node.decorator_list:
        if (call := _add_to_class(decorator)) is not None:
            return ast.unparse(call.args[0]).removeprefix(OWN_NAME + "."), call.args[0]
    return None


def _add_to_class(decorator: ast.expr) -> ast.Call | None:
    if not isinstance(decorator, ast.Call) or len(decorator.args) != 1 or decorator.keywords:
        return None
    name = getattr(decorator.func, "attr", getattr(decorator.func, "id", ""))
    return decorator if name == "add_to_class" else None


def add_method(item: Item, saved: Saved) -> None:
    """Merges a function below `@add_to_class(C)` into the item that defines C; the latest of a name counts."""
    node = saved.node
    if not isinstance(node, DEFINITIONS):
        raise TypeError(f"no definition: {ast.dump(node)}")
    lines = list(saved.lines)
    for decorator in node.decorator_list:
        if _add_to_class(decorator) is not None:
            del lines[decorator.lineno - 1 : decorator.end_lineno]
    method = parse_cell(text_of(lines)).tree.body[0]
    if isinstance(method, DEFINITIONS):
        lines = with_origin(lines, method, saved.origin)
        item.methods[node.name] = lines
        item.merged = None
        item.method_needs |= load_time(method, OWN_NAME)


def _merged(lines: Sequence[Line], node: ast.ClassDef, methods: dict[str, list[Line]]) -> list[Line]:
    margin = indent_of(lines[first_line(node.body[0]) - 1].text)
    places: dict[int, str] = {}  # 1-based first line of a method that is replaced
    gone: set[int] = set()
    for own in _own_methods(node):
        if own.name in methods:
            if own.name not in places.values():
                places[first_line(own)] = own.name
            gone.update(range(first_line(own), last_line(own) + 1))
    result: list[Line] = []
    for number, line in enumerate(lines, 1):
        if number in places:
            result += indent(methods[places[number]], margin)
        if number not in gone:
            result.append(line)
    for name, method in methods.items():
        if name not in places.values():
            result += [Line("", result[-1].path, result[-1].number), *indent(method, margin)]
    return result


def _own_methods(node: ast.ClassDef) -> Iterator[Definition]:
    yield from (part for part in node.body if isinstance(part, DEFINITIONS))
