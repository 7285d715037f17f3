"""Python as cells hold it: with IPython's magics, comments that matter, and places to report."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from d2lbook.pycode.words import Range, comments_of, words_of

# `%magic`, `%%magic`, `!command`, `?name`, `name?`, `x = %magic`, `x = !command`.
_MAGIC_LINE = re.compile(r"\s*(?:[%!?]|\w[\w.]*\s*\?{1,2}\s*$|[\w\s,.\[\]]+=\s*[%!](?!=))")
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
# Cell magics whose cell is still Python that runs in the page's kernel.
_PYTHON_CELL_MAGICS = {"time", "timeit", "capture", "prun", "tab"}
_SKIPPED_TOKENS = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_FSTRING_START = getattr(tokenize, "FSTRING_START", -1)
_FSTRING_END = getattr(tokenize, "FSTRING_END", -1)


@dataclass(frozen=True, slots=True)
class PythonCell:
    """A cell's code as Python: same lines and columns, each magic replaced by `pass`."""

    source: str
    tree: ast.Module
    nodes: list[ast.AST]  # of the tree, as `ast.walk` has them, without what says "load" or "store"

    @property
    def lines(self) -> list[str]:
        return self.source.split("\n")


class TooDeep(SyntaxError):
    """Code that Python itself may take, of more parts inside each other than what reads it can follow."""


# Parts inside each other, as each term of a sum holds those before it. Python's own compiler stops below 1,000.
_DEEPEST = 200
# What the parser takes and `tokenize` may not: a line that a backslash continues, odd blanks at a line's beginning.
_ODD_BLANKS = re.compile(r"\\\n|^[ ]*[\t\f]", re.MULTILINE)

# Frameworks share most cells, and several stages read the same ones.
_CACHED = 20_000


@lru_cache(maxsize=_CACHED)
def parse_cell(code: str) -> PythonCell:
    """The syntax tree of a cell's code. Raises SyntaxError when it is not Python apart from magics.

    A cell for another language (`%%bash`, `%%writefile`, …) has an empty tree.
    """
    lines = code.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if magic := _CELL_MAGIC.match(lines[first]):
        if magic[1] not in _PYTHON_CELL_MAGICS:
            return PythonCell("\n" * code.count("\n"), ast.Module([], []), [])
        lines[first] = ""
    return _parse_lines(lines)


def _parse_lines(lines: list[str]) -> PythonCell:
    """Takes magics out one by one, where the parser stumbles: a `%` inside a string or an expression is none."""
    while True:
        source = "\n".join(lines)
        try:
            return PythonCell(source, *_tree(source))
        except SyntaxError as error:
            number = (error.lineno or 0) - 1
            # An indented block that holds a magic alone, or a magic after `if x:`, stumbles at the line itself.
            if not 0 <= number < len(lines) or not _MAGIC_LINE.match(lines[number]):
                raise
            indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
            lines[number] = indent + "pass"
        except ValueError as error:  # a null character
            raise SyntaxError(str(error), ("<cell>", 1, 1, lines[0])) from error


def _tree(source: str) -> tuple[ast.Module, list[ast.AST]]:
    """The syntax tree of source that all readers of it can follow, and its nodes. Raises SyntaxError."""
    try:
        with warnings.catch_warnings():  # of escapes that Python does not know, which is no finding
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (RecursionError, MemoryError) as error:
        raise _too_deep(1) from error
    nodes = _nodes(tree)
    if _ODD_BLANKS.search(source):
        try:
            all(tokens(source))
        except tokenize.TokenError as error:
            raise SyntaxError(error.args[0], ("<cell>", *error.args[1], "")) from error
    return tree, nodes


def _nodes(tree: ast.Module) -> list[ast.AST]:
    """Each node before those in it: once for all who look for some, in a third of the time that `ast.walk` takes."""
    nodes: list[ast.AST] = []
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        nodes += level
        below: list[ast.AST] = []
        for node in level:
            for value in vars(node).values():
                if isinstance(value, list):
                    below += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                    below.append(value)
        if not below:
            return nodes
        level = below
    raise _too_deep(next((node.lineno for node in level if isinstance(node, ast.stmt | ast.expr)), 1))


def _too_deep(line: int) -> TooDeep:
    what = f"more than {_DEEPEST} operations or blocks inside each other; take them apart, as a list and its sum"
    return TooDeep(what, ("<cell>", line, 1, ""))


def character_column(line: str, byte_offset: int) -> int:
    """0-based column in characters of what `ast` places at a column in bytes."""
    return len(line.encode()[:byte_offset].decode(errors="ignore"))


def tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of source that parses."""
    return tokenize.generate_tokens(io.StringIO(source).readline)


class Comment(NamedTuple):
    """A comment, from `#` to the end of its line."""

    column: int  # 0-based, in characters
    text: str


@lru_cache(maxsize=_CACHED)
def comments(source: str) -> Mapping[int, Comment]:
    """The comment of each 1-based line of source that parses; what looks like one inside a string is none."""
    if "#" not in source:
        return {}
    found = comments_of(source)
    if found is None:
        comments_ = (token for token in tokens(source) if token.type == tokenize.COMMENT)
        found = {token.start[0]: (token.start[1], token.string) for token in comments_}
    return {line: Comment(*comment) for line, comment in found.items()}


def lines_inside_strings(source: str) -> set[int]:
    """1-based lines of source that parses whose beginning lies inside a string: indenting them changes it."""
    inside: set[int] = set()
    if '"""' not in source and "'''" not in source and "\\\n" not in source:
        return inside
    starts: list[int] = []
    for token in tokens(source):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
        elif token.type == _FSTRING_START:
            starts.append(token.start[0])
        elif token.type == _FSTRING_END:
            inside.update(range(starts.pop() + 1, token.end[0] + 1))
    return inside


@lru_cache(maxsize=_CACHED)
def normalise(source: str) -> str:
    """Source without what does not change its meaning: comments, docstrings, blank lines, spacing.

    The same on every Python that can parse it. Source that does not parse comes back as it is.
    """
    try:
        cell = parse_cell(source)
    except SyntaxError:
        return source
    lines = source.split("\n")
    if _CELL_MAGIC.match(source.lstrip()) and not cell.tree.body:
        return source.strip()
    magics = [line.strip() for line, python in zip(lines, cell.lines, strict=True) if line != python]
    docstrings = _docstrings(cell)
    words = words_of(cell.source, docstrings)
    if words is None:
        words = _words_by_tokenize(cell.source, docstrings)
    return "\n".join([*magics, " ".join(words)]) if magics else " ".join(words)


def _words_by_tokenize(source: str, docstrings: list[Range]) -> list[str]:
    """The words as `words_of` finds them, of any source that parses."""
    lines = source.split("\n")
    words: list[str] = []
    starts: list[tuple[int, int]] = []
    for token in tokens(source):
        if token.type == _FSTRING_START:
            starts.append(token.start)
        elif token.type == _FSTRING_END:
            start = starts.pop()
            if not starts:
                words.append(between(lines, start, token.end))
        elif starts or token.type in _SKIPPED_TOKENS or (docstrings and _is_in(token, docstrings)):
            continue
        elif token.type == tokenize.INDENT:
            words.append("{")
        elif token.type == tokenize.DEDENT:
            words.append("}")
        elif token.type == tokenize.NEWLINE:
            if words and words[-1] not in {";", "{", "}"}:
                words.append(";")
        else:
            words.append(token.string)
    return words


def between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """What stands between two places, each a 1-based line and a 0-based column."""
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "\n".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])


def _docstrings(cell: PythonCell) -> list[Range]:
    """Where the docstrings of functions and classes stand."""
    lines = cell.lines
    found: list[Range] = []
    for node in cell.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and docstring_node(node):
            statement = node.body[0]
            last = statement.end_lineno or statement.lineno
            start = (statement.lineno, character_column(lines[statement.lineno - 1], statement.col_offset))
            found.append((start, (last, character_column(lines[last - 1], statement.end_col_offset or 0))))
    return found


def _is_in(token: tokenize.TokenInfo, ranges: list[Range]) -> bool:
    return any(start <= token.start and token.end <= end for start, end in ranges) and token.start != token.end


def docstring_node(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.Constant | None:
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first.value
    return None
