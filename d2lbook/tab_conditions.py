"""Resolves `tab.selected('a', 'b')` in code shared by several frameworks, for one of them, by syntax tree.

What is not part of such a condition stays as it is, byte for byte, comments and spacing included.
"""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace

from d2lbook.model import Line
from d2lbook.pycode import character_column, lines_inside_strings, parse_cell, tokens

_CALL = "tab.selected"
# Expressions that need parentheses inside `and` and `or`.
_LOOSE = (ast.BoolOp, ast.NamedExpr, ast.Lambda, ast.IfExp, ast.Yield, ast.YieldFrom)


@dataclass(frozen=True, slots=True)
class SelectedName:
    """A framework's name in a call of `tab.selected`: 1-based line of the code, 0-based column in it."""

    name: str
    line: int
    column: int


def selected_names(code: str) -> list[SelectedName]:
    """The names in all calls of `tab.selected`; none when the code does not parse."""
    if _CALL not in code:
        return []
    try:
        cell = parse_cell(code)
    except SyntaxError:
        return []
    return [
        SelectedName(
            constant.value, constant.lineno, character_column(cell.lines[constant.lineno - 1], constant.col_offset)
        )
        for node in cell.nodes
        if isinstance(node, ast.Call) and _is_selected(node)
        for constant in _names(node) or ()
    ]


def resolve_selected(lines: list[Line], tab: str) -> list[Line]:
    """The lines as `tab` has them. Raises SyntaxError when they are not Python apart from magics."""
    while any(_CALL in line.text for line in lines):
        cell = parse_cell("\n".join(line.text for line in lines))
        changed = _Resolver(lines, cell.source, cell.nodes, tab).step()
        if changed is None:
            return lines
        lines = changed
    return lines


def _is_selected(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "selected" and isinstance(node.func.value, ast.Name) and node.func.value.id == "tab"


@dataclass(frozen=True, slots=True)
class _Name:
    value: str
    lineno: int
    col_offset: int


def _names(call: ast.Call) -> list[_Name] | None:
    """The frameworks that a call of `tab.selected` names; None when they are known only when it runs."""
    parts = [
        part
        for argument in call.args
        for part in (argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument])
    ]
    names = [
        _Name(part.value, part.lineno, part.col_offset)
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return names if len(names) == len(parts) and not call.keywords else None


@dataclass(slots=True)
class _Resolver:
    """One step: the first condition in the code that can be decided or shortened."""

    lines: list[Line]
    source: str
    nodes: list[ast.AST]
    tab: str

    def step(self) -> list[Line] | None:
        """The code after one condition is resolved; None when there is none left."""
        for node in self.nodes:
            for block in _blocks_of(node):
                for statement in block:
                    if isinstance(statement, ast.If) and (truth := self._truth(statement.test)) is not None:
                        return _IfStatement(self.lines, self.source, statement, len(block) == 1).resolve(truth)
        for node in self.nodes:
            if isinstance(node, ast.expr) and (text := self._shorter(node)) is not None:
                return self._replace(node, text)
        return None

    def _truth(self, test: ast.expr) -> bool | None:
        """What a condition comes to in this framework; None when that depends on more."""
        if isinstance(test, ast.Call):
            names = _names(test) if _is_selected(test) else None
            return None if names is None else self.tab in {name.value.lower() for name in names}
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._truth(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            decisive = isinstance(test.op, ast.Or)
            truths = [self._truth(value) for value in test.values]
            if decisive in truths:
                return decisive
            return None if None in truths else not decisive
        return None

    def _shorter(self, node: ast.expr) -> str | None:
        """The text of an expression without the parts that are decided; None when nothing of it is."""
        if isinstance(node, ast.IfExp) and (truth := self._truth(node.test)) is not None:
            return self._operand(node.body if truth else node.orelse)
        if isinstance(node, ast.BoolOp):
            kept = [value for value in node.values if self._truth(value) is None]
            if 0 < len(kept) < len(node.values) and self._truth(node) is None:
                word = " or " if isinstance(node.op, ast.Or) else " and "
                return word.join(self._operand(value) for value in kept)
        if isinstance(node, ast.Call | ast.BoolOp | ast.UnaryOp) and (truth := self._truth(node)) is not None:
            return str(truth)
        return None

    def _operand(self, node: ast.expr) -> str:
        text = ast.get_source_segment(self.source, node) or ""
        return f"({text})" if isinstance(node, _LOOSE) else text

    def _replace(self, node: ast.expr, text: str) -> list[Line]:
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = self.lines[first].text
        after = self.lines[last].text
        start = character_column(before, node.col_offset)
        end = character_column(after, node.end_col_offset or 0)
        new = (before[:start] + text + after[end:]).split("\n")
        origins = range(first, first + len(new))
        replaced = [
            replace(self.lines[min(number, last)], text=line) for line, number in zip(new, origins, strict=True)
        ]
        return self.lines[:first] + replaced + self.lines[last + 1 :]


def _blocks_of(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly in a node."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


@dataclass(slots=True)
class _IfStatement:
    """An `if` (or `elif`) whose condition is decided, in its lines."""

    lines: list[Line]
    source: str
    node: ast.If
    alone: bool  # the only statement of its block

    def resolve(self, truth: bool) -> list[Line]:
        """The lines with the statement replaced by what remains of it."""
        first = self.node.lineno - 1
        stop = self._end(self.node)
        is_elif = self._keyword(first) == "elif"
        middle = self._orelse_line()  # of the `elif` or `else` that follows; None without one
        if truth:
            kept = self._branch(first, stop if middle is None else middle, self.node.body, dedent=not is_elif)
            if is_elif:
                header = self.lines[first]
                kept = [replace(header, text=" " * self._indent + "else:"), *kept]
        elif middle is None:
            pass_line = replace(self.lines[first], text=" " * self._indent + "pass")
            kept = [pass_line] if self.alone and self._indent > 0 and not is_elif else []
        elif is_elif:
            kept = self.lines[middle:stop]
        elif self._keyword(middle) == "elif":
            elif_line = self.lines[middle]
            text, shift = elif_line.text.replace("elif", "if", 1), elif_line.shift + len("elif") - len("if")
            kept = [replace(elif_line, text=text, shift=shift), *self.lines[middle + 1 : stop]]
        else:
            kept = self._branch(middle, stop, self.node.orelse, dedent=True)
        return self.lines[:first] + kept + self.lines[stop:]

    @property
    def _indent(self) -> int:
        return self.node.col_offset

    def _keyword(self, number: int) -> str:
        return self.lines[number].text.lstrip().split(maxsplit=1)[0].rstrip(":(")

    def _end(self, node: ast.If) -> int:
        """The line behind a statement and the comments that are indented deeper than it."""
        stop = node.end_lineno or node.lineno
        for number in range(stop, len(self.lines)):
            text = self.lines[number].text
            if not text.strip():
                continue
            if not text.lstrip().startswith("#") or len(text) - len(text.lstrip()) <= self._indent:
                break
            stop = number + 1
        return stop

    def _orelse_line(self) -> int | None:
        """The line of the `elif` or `else` that belongs to this condition."""
        if not self.node.orelse:
            return None
        body_end = self.node.body[-1].end_lineno or 0
        for token in tokens(self.source):
            place = token.start[0] > body_end and token.start[1] == self._indent
            if place and token.type == tokenize.NAME and token.string in {"elif", "else"}:
                return token.start[0] - 1
        return None

    def _branch(self, header: int, stop: int, block: list[ast.stmt], dedent: bool) -> list[Line]:
        """The lines of the branch whose `if` or `else` is in line `header`."""
        line, column = self._colon(header)
        rest = self.lines[line].text[column + 1 :]
        if rest.strip() and not rest.lstrip().startswith("#"):
            indent = self._indent + (0 if dedent else 4)
            shift = self.lines[line].shift + column + 1 + len(rest) - len(rest.lstrip()) - indent
            moved = replace(self.lines[line], text=" " * indent + rest.strip(), shift=shift)
            return [moved, *self.lines[line + 1 : stop]]
        body = self.lines[line + 1 : stop]
        return self._dedented(body, line + 2, block[0].col_offset - self._indent) if dedent else body

    def _colon(self, header: int) -> tuple[int, int]:
        """Line and column of the colon that ends the header which starts in line `header`."""
        depth = 0
        for token in tokens(self.source):
            if token.start[0] <= header or token.type != tokenize.OP:
                continue
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and depth == 0:
                return token.start[0] - 1, token.start[1]
        raise SyntaxError("a condition without a colon")

    def _dedented(self, body: list[Line], number: int, width: int) -> list[Line]:
        """The lines, of which `number` is the first one's, without `width` columns; strings stay as they are."""
        strings = lines_inside_strings(self.source)
        dedented: list[Line] = []
        for at, line in enumerate(body, number):
            gone = min(width, len(line.text) - len(line.text.lstrip()))
            dedented.append(line if at in strings else replace(line, text=line.text[gone:], shift=line.shift + gone))
        return dedented
