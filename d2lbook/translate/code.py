"""Units of code: comments, docstrings and printed strings of a cell, and the alternative text in its `#@alt`."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from d2lbook.pycode import character_column, comments, docstring_node, parse_cell, tokens
from d2lbook.translate.units import has_words

_ALT = re.compile(r"#[ \t]*@alt\b[ \t]*(?P<text>.*\S)")
# What a comment says to a program: the builder's marks, linters, shells.
_DIRECTIVE = re.compile(
    r"#(?:!|[ \t]*(?:@|%|(?:noqa|type|fmt|isort|pylint|pragma|mypy|ruff|yapf)\b|required_libs\(|"
    r"hide (?:code|outputs?)[ \t]*$))",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"#+[ \t]*(?P<text>.*?)[ \t]*$")
_MARK_OR_BLANK = re.compile(r"\s*(?:#.*)?$")
_WRITES_MODULE = re.compile(r"\s*%%writefile\s.*\.py\s*$")
_OPENING = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>'''|\"\"\"|'|\")")
_SHOWN = {"xlabel", "ylabel", "title", "label", "legend", "suptitle"}
_SHOWN_SOMEWHERE = re.compile(rf"\bprint\(|\b(?:{'|'.join(sorted(_SHOWN))})=")
_FSTRING_START = getattr(tokenize, "FSTRING_START", -1)
_FSTRING_END = getattr(tokenize, "FSTRING_END", -1)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Place = tuple[int, int]  # 0-based line, column in characters
_Comment = tuple[_Place, re.Match[str], str]  # where it starts, its text, its kind


@dataclass(frozen=True, slots=True)
class CodePiece:
    """A stretch of a cell's code that is read by people."""

    start: _Place
    end: _Place
    kind: str
    text: str  # its line breaks taken out, where they mean nothing
    owner: str = ""  # the function or class it stands in
    prefix: str = ""
    opening: str = ""  # what its literal begins with, such as f" or three quotes


def code_pieces(code: str) -> Iterator[CodePiece]:
    """What of a cell's code is translated, in no particular order; nothing of code that does not parse."""
    lines = code.split("\n")
    python, is_module = _python(lines)
    try:
        cell = parse_cell(python)
    except SyntaxError:
        return
    owners = _owners(cell.tree)
    yield from _comment_pieces(lines, cell.source, owners)
    yield from _docstrings(lines, cell.tree, is_module)
    yield from _strings(lines, cell.source, cell.nodes, owners)


def _python(lines: list[str]) -> tuple[str, bool]:
    """A cell's code, and whether it is a module: `%%writefile` puts one into a file. Lines stay where they are."""
    first = next((number for number, line in enumerate(lines) if not _MARK_OR_BLANK.match(line)), 0)
    if _WRITES_MODULE.match(lines[first]) is None:
        return "\n".join(lines), False
    return "\n".join([*[""] * (first + 1), *lines[first + 1 :]]), True


def _owners(tree: ast.Module) -> list[tuple[int, int, str]]:
    """First and last line (1-based, decorators included) of the outermost functions and classes."""
    return [
        (min([node.lineno, *(part.lineno for part in node.decorator_list)]), node.end_lineno or node.lineno, node.name)
        for node in tree.body
        if isinstance(node, _DEFINITIONS)
    ]


def _owner(owners: list[tuple[int, int, str]], line: int) -> str:
    return next((name for first, last, name in owners if first <= line + 1 <= last), "")


# ---- comments -------------------------------------------------------------------------------------------------------


def _comment_pieces(lines: list[str], source: str, owners: list[tuple[int, int, str]]) -> Iterator[CodePiece]:
    """Comments; those that fill consecutive lines at one column are one piece."""
    run: list[_Comment] = []
    for number, comment in sorted(comments(source).items()):
        place = number - 1, comment.column
        alt = _ALT.match(comment.text)
        match = alt or (None if _DIRECTIVE.match(comment.text) else _COMMENT.match(comment.text))
        kind = "alternative text" if alt else "code comment"
        alone = not lines[place[0]][: place[1]].strip()
        if run and not (match and alone and _continues(run[-1], place, kind)):
            yield _comment(lines, run, owners)
            run = []
        if match is None or not match["text"]:
            continue
        run.append((place, match, kind))
        if not alone:
            yield _comment(lines, run, owners)
            run = []
    if run:
        yield _comment(lines, run, owners)


def _continues(last: _Comment, place: _Place, kind: str) -> bool:
    return last[0] == (place[0] - 1, place[1]) and last[2] == kind


def _comment(lines: list[str], run: list[_Comment], owners: list[tuple[int, int, str]]) -> CodePiece:
    (number, column), first, kind = run[0]
    alone = not lines[number][:column].strip()
    last_place, last, _ = run[-1]
    text = " ".join(match["text"] for _, match, _ in run)
    end = last_place[0], last_place[1] + last.end("text")
    # A comment behind code has one line; so has an alternative text.
    prefix = " " * column + first.string[: first.start("text")] if alone and kind == "code comment" else ""
    return CodePiece((number, column + first.start("text")), end, kind, text, _owner(owners, number), prefix)


# ---- docstrings -----------------------------------------------------------------------------------------------------


def _docstrings(lines: list[str], tree: ast.Module, is_module: bool) -> Iterator[CodePiece]:
    found: list[tuple[str, ast.expr | None]] = [
        (node.name, docstring_node(node)) for node in _statements(tree.body) if isinstance(node, _DEFINITIONS)
    ]
    if is_module and tree.body and isinstance(tree.body[0], ast.Expr) and _is_string(tree.body[0].value):
        found.append(("", tree.body[0].value))
    for owner, node in found:
        if node is not None:
            start = node.lineno - 1, character_column(lines[node.lineno - 1], node.col_offset)
            last = (node.end_lineno or node.lineno) - 1
            end = last, character_column(lines[last], node.end_col_offset or 0)
            yield from _docstring_paragraphs(lines, start, end, owner)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those inside them; expressions, which are most of a tree, are not looked at."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, name, []))
        for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            yield from _statements(part.body)


def _docstring_paragraphs(lines: list[str], start: _Place, end: _Place, owner: str) -> Iterator[CodePiece]:
    """A docstring's paragraphs. Lines of one that are indented differently stay lines."""
    opening = _OPENING.match(lines[start[0]], start[1])
    if opening is None or not lines[end[0]][: end[1]].endswith(opening["quote"]):
        return
    inner_start, inner_end = opening.end(), end[1] - len(opening["quote"])
    paragraph: list[tuple[int, int, int]] = []  # line, columns where its text starts and ends
    for number in range(start[0], end[0] + 1):
        first = inner_start if number == start[0] else 0
        stop = inner_end if number == end[0] else len(lines[number])
        text = lines[number][first:stop]
        if text.strip():
            begin = first + len(text) - len(text.lstrip())
            paragraph.append((number, begin, begin + len(text.strip())))
        if paragraph and (not text.strip() or number == end[0]):
            yield _docstring(lines, paragraph, start, owner, opening[0])
            paragraph = []


def _docstring(
    lines: list[str], paragraph: list[tuple[int, int, int]], start: _Place, owner: str, opening: str
) -> CodePiece:
    texts = [lines[number][begin:end] for number, begin, end in paragraph]
    columns = [begin for number, begin, _ in paragraph if number != start[0]]
    column = min(columns, default=start[1])
    even = len(set(columns)) <= 1
    if not even:
        texts = [lines[number][begin if number == start[0] else column : end] for number, begin, end in paragraph]
    first, last = paragraph[0], paragraph[-1]
    text = (" " if even else "\n").join(texts)
    return CodePiece((first[0], first[1]), (last[0], last[2]), "docstring", text, owner, " " * column, opening)


# ---- strings --------------------------------------------------------------------------------------------------------


def _strings(
    lines: list[str], source: str, nodes: list[ast.AST], owners: list[tuple[int, int, str]]
) -> Iterator[CodePiece]:
    """Literals with words in what is printed, and in the texts of plots."""
    if _SHOWN_SOMEWHERE.search(source) is None:
        return
    ranges = [
        (
            (node.lineno - 1, character_column(lines[node.lineno - 1], node.col_offset)),
            ((node.end_lineno or 1) - 1, character_column(lines[(node.end_lineno or 1) - 1], node.end_col_offset or 0)),
        )
        for node in _shown(nodes)
    ]
    if not ranges:
        return
    for start, end in _literals(source):
        if start[0] == end[0] and any(first <= start and end <= last for first, last in ranges):
            opening = _OPENING.match(lines[start[0]], start[1])
            if opening is None or "b" in opening["prefix"].lower():
                continue
            inner = opening.end(), end[1] - len(opening["quote"])
            text = lines[start[0]][inner[0] : inner[1]]
            if has_words(re.sub(r"\{[^}]*\}|\\.", " ", text)):
                yield CodePiece(
                    (start[0], inner[0]),
                    (end[0], inner[1]),
                    "string",
                    text,
                    _owner(owners, start[0]),
                    opening["quote"],
                    opening[0],
                )


def _shown(nodes: list[ast.AST]) -> Iterator[ast.expr]:
    """String expressions that a reader gets to see when the cell runs."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        shown = [keyword.value for keyword in node.keywords if keyword.arg in _SHOWN]
        if isinstance(node.func, ast.Name) and node.func.id == "print":
            shown += node.args
        for value in shown:
            items = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            yield from (item for item in items if _is_string(item))


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _literals(source: str) -> Iterator[tuple[_Place, _Place]]:
    """Where string literals start and end; one inside another's placeholder is left out."""
    starts: list[_Place] = []
    for token in tokens(source):
        if token.type == _FSTRING_START:
            starts.append((token.start[0] - 1, token.start[1]))
        elif token.type == _FSTRING_END:
            start = starts.pop()
            if not starts:
                yield start, (token.end[0] - 1, token.end[1])
        elif token.type == tokenize.STRING and not starts:
            yield (token.start[0] - 1, token.start[1]), (token.end[0] - 1, token.end[1])
