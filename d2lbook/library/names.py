"""Which names Python code binds, uses and needs while it loads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from pyflakes import checker, messages

from d2lbook.library.lines import DEFINITIONS

_SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _WithoutBuiltins(checker.Checker):
    """Takes `abs` for a global name, too: a library may have its own."""

    builtIns: set[str] = set()  # noqa: RUF012


MODULE_ATTRIBUTES = frozenset({"__file__", "__name__", "__doc__", "__dict__", "__package__", "__spec__", "__version__"})


@dataclass(frozen=True, slots=True)
class Use:
    """A name at a 1-based line and a 0-based column in bytes."""

    name: str
    line: int
    column: int


def undefined(tree: ast.Module, known: frozenset[str] = frozenset()) -> list[Use]:
    """Uses of global names that a module neither binds nor gets from Python, in order."""
    return _undefined(checker.Checker(tree, filename="", builtins=known))


def _undefined(found: checker.Checker) -> list[Use]:
    uses = [
        Use(str(message.message_args[0]), message.lineno, message.col)
        for message in found.messages
        if isinstance(message, messages.UndefinedName)
    ]
    return sorted(set(uses), key=lambda use: (use.line, use.column))


def attribute_uses(tree: ast.AST, owners: frozenset[str]) -> list[Use]:
    """Reads of `owner.name` for one of the `owners`, placed at the name."""
    uses = [
        Use(node.attr, node.end_lineno or node.lineno, (node.end_col_offset or 0) - len(node.attr.encode()))
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id in owners
    ]
    return sorted(uses, key=lambda use: (use.line, use.column))


def attributes_set(tree: ast.AST, owners: frozenset[str]) -> set[str]:
    """Names that code gives to one of the `owners`, as `d2l.x = 1` does."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id in owners
    }


def bound(tree: ast.Module) -> set[str]:
    """The global names that a module binds, `*` if it imports all names of another."""
    names: set[str] = set()
    for node in _outside_functions(tree):
        if isinstance(node, DEFINITIONS):
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    names.update(name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names)
    return names


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _outside_functions(child)


def lazy(tree: ast.Module) -> set[str]:
    """Names that a module's `__getattr__` seems to answer to: the strings in it and in what it reads."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "__getattr__" not in functions:
        return set()
    function = functions["__getattr__"]
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    sources: list[ast.AST] = [function]
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and read & bound(ast.Module([statement], [])):
            sources.append(statement)
    return {
        node.value
        for source in sources
        for node in ast.walk(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
    }


def load_time(node: ast.AST, owners: frozenset[str]) -> set[str]:
    """Names, bare or of the `owners`, that are read when the statement runs: bases, decorators, defaults, values."""
    names: set[str] = set()
    for part in _run_at_load(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            names.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id in owners:
            names.add(part.attr)
    return names


def _run_at_load(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts: list[ast.AST | None] = [*node.decorator_list, node.args, node.returns]
    elif isinstance(node, ast.Lambda):
        parts = [node.args]
    else:
        parts = list(ast.iter_child_nodes(node))
    for part in parts:
        if part is not None:
            yield from _run_at_load(part)


def used(tree: ast.Module, owners: frozenset[str]) -> set[str]:
    """Global names and names of the `owners` that code reads, at any time."""
    return {use.name for use in _undefined(_WithoutBuiltins(tree))} | {use.name for use in attribute_uses(tree, owners)}
