"""Which names Python code binds, uses and needs while it loads."""

from __future__ import annotations

import ast
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pyflakes import checker, messages

from d2lbook.library.lines import DEFINITIONS
from d2lbook.pycode import parse_cell

MODULE_ATTRIBUTES = frozenset({"__file__", "__name__", "__doc__", "__dict__", "__package__", "__spec__", "__version__"})
_SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_CACHED = 20_000


class _WithoutBuiltins(checker.Checker):
    """Takes `abs` for a global name, too: a library may have its own."""

    @property
    def builtIns(self) -> set[str]:
        return set()

    @builtIns.setter
    def builtIns(self, names: object) -> None:
        """Leave out those that the checker would set."""


@dataclass(frozen=True, slots=True)
class Use:
    """A name at a 1-based line and a 0-based column in bytes; of an attribute, with what it is an attribute of."""

    name: str
    line: int
    column: int
    owner: str = ""


@lru_cache(maxsize=_CACHED)
def free_names(code: str) -> tuple[Use, ...]:
    """Uses of global names that code does not bind, builtins among them, in order. Raises SyntaxError."""
    found = _WithoutBuiltins(parse_cell(code).tree, filename="")
    uses = {
        Use(str(message.message_args[0]), message.lineno, message.col)
        for message in found.messages
        if isinstance(message, messages.UndefinedName)
    }
    return tuple(sorted(uses, key=_place))


def _place(use: Use) -> tuple[int, int]:
    return use.line, use.column


@dataclass(frozen=True, slots=True)
class GlobalNames:
    """The names that code binds for the module, `*` if it imports all of another's, and those it looks up there."""

    bound: frozenset[str]
    read: frozenset[str]


@lru_cache(maxsize=_CACHED)
def global_names(code: str) -> GlobalNames:
    """The global names of code by Python's own symbol table: a quarter of the time of `free_names`, without places.

    A name that code both binds and reads is in both, whichever comes first. Raises SyntaxError.
    """
    cell = parse_cell(code)
    with warnings.catch_warnings():  # of escapes that Python does not know, which is no finding
        warnings.simplefilter("ignore")
        module = symtable.symtable(cell.source, "<cell>", "exec")
    bound = {"*" for node in cell.nodes if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"}
    read = set[str]()
    for symbol in module.get_symbols():
        if symbol.is_assigned() or symbol.is_imported():
            bound.add(symbol.get_name())
        if symbol.is_referenced():
            read.add(symbol.get_name())
    scopes = module.get_children()
    for scope in scopes:
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_global():
                (read if symbol.is_referenced() else bound).add(symbol.get_name())
            if symbol.is_declared_global():
                bound.add(symbol.get_name())
    return GlobalNames(frozenset(bound), frozenset(read))


@dataclass(frozen=True, slots=True)
class Attributes:
    """What code reads and sets as `owner.name`, for names `owner`; placed at `name`."""

    read: tuple[Use, ...]
    written: frozenset[tuple[str, str]]  # owner and name


@lru_cache(maxsize=_CACHED)
def attributes(code: str) -> Attributes:
    """The attributes of names in code. Raises SyntaxError."""
    read: list[Use] = []
    written: set[tuple[str, str]] = set()
    for node in parse_cell(code).nodes:
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            continue
        if isinstance(node.ctx, ast.Load):
            column = (node.end_col_offset or 0) - len(node.attr.encode())
            read.append(Use(node.attr, node.end_lineno or node.lineno, column, node.value.id))
        else:
            written.add((node.value.id, node.attr))
    return Attributes(tuple(sorted(read, key=_place)), frozenset(written))


def used(code: str, owner: str) -> set[str]:
    """Global names and names of `owner` that code reads, at any time."""
    names = {use.name for use in free_names(code)}
    return names | {use.name for use in attributes(code).read if use.owner == owner}


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
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (*_SCOPES, ast.expr_context)):
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


def load_time(node: ast.AST, owner: str) -> set[str]:
    """Names, bare or of `owner`, that are read when the statement runs: bases, decorators, defaults, values."""
    names: set[str] = set()
    for part in _run_at_load(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            names.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == owner:
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
