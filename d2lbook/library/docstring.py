"""Appends to a definition's docstring the line that says where the book defines it."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Sequence
from dataclasses import replace

from d2lbook.library.lines import Definition, indent_of, last_line, text_of
from d2lbook.model import Line
from d2lbook.pycode import between, character_column, docstring_node, tokens

_PLAIN_LITERAL = re.compile(r"([rRuU]?)(\"\"\"|'''|\"|')(.*)\2\Z", re.DOTALL)


def with_origin(lines: Sequence[Line], node: Definition, origin: str) -> list[Line]:
    """The definition's lines with "Defined in …" as the last line of its docstring; made where there is none."""
    docstring = docstring_node(node)
    if docstring is None:
        return _with_new_docstring(list(lines), node, origin)
    statement = node.body[0]  # with the parentheses that may stand around adjacent literals
    first, last = statement.lineno - 1, last_line(statement) - 1
    start = character_column(lines[first].text, statement.col_offset)
    end = character_column(lines[last].text, statement.end_col_offset or 0)
    literal = between([line.text for line in lines], (first + 1, start), (last + 1, end))
    before, after = lines[first].text[:start], lines[last].text[end:]
    if before.strip():  # `def f(): """Text."""`
        return _one_liner_opened(list(lines), node, origin, literal, after)
    new = before + _literal(literal, docstring, origin, indent_of(before)) + after
    return [*lines[:first], *_renumbered(new, lines[first : last + 1]), *lines[last + 1 :]]


def _literal(literal: str, docstring: ast.Constant, origin: str, margin: str) -> str:
    match = _PLAIN_LITERAL.match(literal)
    if match is None or match[2] in match[3] or '"""' in match[3]:  # adjacent literals: write them as one
        prefix, quotes, body = "", '"""', _escaped(str(docstring.value))
    elif len(match[2]) == 1:
        prefix, quotes, body = match[1], '"""', match[3]
    else:
        prefix, quotes, body = match[1], match[2], match[3]
    line = origin if prefix in ("r", "R") else origin.replace("\\", "\\\\")
    line = line.replace('"""', "'''") if quotes == '"""' else line.replace("'''", '"""')
    stripped = body.rstrip()
    if stripped.endswith("\\"):
        stripped = body
    return f"{prefix}{quotes}{stripped}\n\n{margin}Defined in {line}\n{margin}{quotes}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _with_new_docstring(lines: list[Line], node: Definition, origin: str) -> list[Line]:
    header = _header_end(lines, node)
    body = node.body[0]
    if body.lineno <= header:
        return _one_liner_opened(lines, node, origin)
    margin = indent_of(lines[body.lineno - 1].text)
    text = _line(origin)
    new = replace(lines[header - 1], text=f'{margin}"""Defined in {text}"""', shift=0)
    alone = len(node.body) == 1 and isinstance(body, ast.Pass) and lines[body.lineno - 1].text.strip() == "pass"
    rest = lines[header : body.lineno - 1] + lines[body.lineno :] if alone else lines[header:]
    return [*lines[:header], new, *rest]


def _line(origin: str) -> str:
    text = origin.replace("\\", "\\\\").replace('"""', "'''")
    return text + " " if text.endswith('"') else text


def _one_liner_opened(
    lines: list[Line], node: Definition, origin: str, literal: str = "", after: str = ""
) -> list[Line]:
    """`def f(): return 1` over several lines, with a docstring; `literal` is the one it has."""
    first = node.body[0]
    line = lines[first.lineno - 1]
    start = character_column(line.text, first.col_offset)
    margin = indent_of(lines[node.lineno - 1].text) + "    "
    docstring = docstring_node(node)
    if docstring is None:
        text, statements, last = f'"""Defined in {_line(origin)}"""', line.text[start:], line
    else:
        text, statements = _literal(literal, docstring, origin, margin), after.lstrip("; ")
        last = lines[last_line(first) - 1]
    head = replace(line, text=line.text[:start].rstrip())
    made = [replace(line, text=part) for part in (margin + text).split("\n")]
    shift = last.shift + len(last.text) - len(statements) - len(margin)
    rest = [] if statements.strip() in ("", "pass", "...") else [replace(last, text=margin + statements, shift=shift)]
    return [*lines[: first.lineno - 1], head, *made, *rest, *lines[last_line(node.body[-1]) :]]


def _header_end(lines: Sequence[Line], node: Definition) -> int:
    """1-based line on which `def …:` or `class …:` ends."""
    for token in tokens(text_of(lines)):
        if token.type == tokenize.NEWLINE and token.start[0] >= node.lineno:
            return token.start[0]
    return node.lineno


def _renumbered(text: str, old: Sequence[Line]) -> list[Line]:
    """Lines in place of `old` ones, which they begin like."""
    texts = text.split("\n")
    return [replace(old[min(index, len(old) - 1)], text=part) for index, part in enumerate(texts)]
