"""Shows aliases on the pages as what they stand for: `d2l.concat(x)` as `torch.cat(x)`."""

from __future__ import annotations

import ast
import builtins
import copy
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from d2lbook.library.aliases import Aliases
from d2lbook.library.item import OWN_NAME
from d2lbook.library.names import bound
from d2lbook.model import View
from d2lbook.pycode import character_column, parse_cell, tokens

# What may stand before a dot without parentheses.
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.JoinedStr)


@dataclass(frozen=True, slots=True)
class _Code:
    """Code, and for each of its lines the one it comes from."""

    lines: tuple[str, ...]
    origins: tuple[int, ...]

    def with_segment(self, node: ast.expr, text: str) -> _Code:
        """The code with `text` in the place of a node."""
        (first, start), (last, end) = _start(self.lines, node), _end(self.lines, node)
        new = (self.lines[first][:start] + text + self.lines[last][end:]).split("\n")
        # What follows a removed line break keeps the numbers of its own lines, counted from the end.
        origins = [self.origins[max(first, last - back)] for back in range(len(new) - 1, -1, -1)]
        origins[0] = self.origins[first]
        return _Code(
            (*self.lines[:first], *new, *self.lines[last + 1 :]),
            (*self.origins[:first], *origins, *self.origins[last + 1 :]),
        )


def apply_aliases(view: View, aliases: Aliases) -> View:
    """The view with each alias in its cells written out. What cannot be written out stays: the library has it.

    So does what would need a framework that the page does not import by the name that the alias says.
    """
    aliases = _known_to(view, aliases)
    cells = []
    for cell in view.cells:
        if f"{OWN_NAME}." in cell.code:
            code = _written_out(_Code(tuple(cell.code.split("\n")), cell.line_map), aliases)
            cell = replace(cell, code="\n".join(code.lines), line_map=code.origins)
        cells.append(cell)
    return replace(view, cells=tuple(cells))


def _known_to(view: View, aliases: Aliases) -> Aliases:
    names = set(dir(builtins))
    for cell in view.cells:
        try:
            names |= bound(parse_cell(cell.code).tree)
        except SyntaxError:
            continue
    simple = {new: old for new, old in aliases.simple.items() if old.split(".")[0] in names}
    args = {new: pair for new, pair in aliases.args.items() if _needed_names(*pair) <= names}
    return replace(aliases, simple=simple, args=args)


def _needed_names(pattern: ast.Call, replacement: ast.expr) -> set[str]:
    given = {part.id for part in pattern.args if isinstance(part, ast.Name)}
    given.update(keyword.arg for keyword in pattern.keywords if keyword.arg)
    return {part.id for part in ast.walk(replacement) if isinstance(part, ast.Name)} - given


def _written_out(code: _Code, aliases: Aliases) -> _Code:
    for pattern, text in aliases.reverse:
        code = replace(code, lines=tuple(pattern.sub(text, line) for line in code.lines))
    for rewrite in (_simple, _fluent, _args):
        while (changed := _step(code, rewrite, aliases)) is not None:
            code = changed
    return code


def _step(code: _Code, rewrite: Callable[[_Code, ast.expr, Aliases], str | None], aliases: Aliases) -> _Code | None:
    """Writes out the last alias, so that those inside another come first; None when there is none left."""
    for node in reversed(_aliased(code)):
        text = rewrite(code, node, aliases)
        if text is not None:
            changed = code.with_segment(node, text)
            if _parses(changed):
                return changed
    return None


def _aliased(code: _Code) -> list[ast.expr]:
    try:
        tree = parse_cell("\n".join(code.lines)).tree
    except SyntaxError:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Call) and _name(node)]
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _parses(code: _Code) -> bool:
    try:
        parse_cell("\n".join(code.lines))
    except SyntaxError:
        return False
    return True


def _name(node: ast.AST) -> str:
    """x of `d2l.x` or `d2l.x(…)`."""
    owner = node.func if isinstance(node, ast.Call) else node
    if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id == OWN_NAME:
        return owner.attr
    return ""


def _simple(code: _Code, node: ast.expr, aliases: Aliases) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        return aliases.simple.get(_name(node))
    return None


def _fluent(code: _Code, node: ast.expr, aliases: Aliases) -> str | None:
    method = aliases.fluent.get(_name(node))
    if method is None or not isinstance(node, ast.Call) or not node.args or isinstance(node.args[0], ast.Starred):
        return None
    first, *rest = _argument_texts(code, node)
    receiver = first.strip()
    if "#" in receiver:
        return None
    if not isinstance(node.args[0], _ATOMS) and not _is_enclosed(receiver):
        receiver = f"({receiver})"
    arguments = ",".join(rest)
    arguments = arguments.lstrip(" ") if arguments.strip() else ""
    return f"{receiver}.{method}({arguments})"


def _args(code: _Code, node: ast.expr, aliases: Aliases) -> str | None:
    """Puts a call's arguments into the replacement; leaves out what passes on an argument that is not given."""
    if not isinstance(node, ast.Call) or (found := aliases.args.get(_name(node))) is None:
        return None
    pattern, replacement = found
    names = [argument.id for argument in pattern.args if isinstance(argument, ast.Name)]
    defaults = {keyword.arg: ast.unparse(keyword.value) for keyword in pattern.keywords if keyword.arg}
    given = _bound(code, node, [*names, *defaults])
    if given is None or not set(names) <= given.keys():
        return None
    tree = copy.deepcopy(replacement)
    if isinstance(tree, ast.Call):
        left_out = defaults.keys() - given.keys()
        tree.keywords = [keyword for keyword in tree.keywords if not _passes_on(keyword, left_out)]
    values = {**defaults, **given}
    places: dict[str, str] = {}
    for number, name in enumerate(part for part in ast.walk(tree) if isinstance(part, ast.Name)):
        if name.id in values:
            places[f"_argument_{number}_"] = values[name.id].strip()
            name.id = f"_argument_{number}_"
    text = ast.unparse(tree)
    for place, value in places.items():
        text = text.replace(place, value)
    return text


def _passes_on(keyword: ast.keyword, names: set[str]) -> bool:
    return isinstance(keyword.value, ast.Name) and keyword.value.id in names


def _bound(code: _Code, call: ast.Call, parameters: Sequence[str]) -> dict[str, str] | None:
    """The texts of a call's arguments by parameter; None when they do not fit."""
    if any(isinstance(argument, ast.Starred) for argument in call.args) or len(call.args) > len(parameters):
        return None
    texts = _argument_texts(code, call)
    bound = dict(zip(parameters, texts[: len(call.args)], strict=False))
    for keyword, text in zip(call.keywords, texts[len(call.args) :], strict=False):
        if keyword.arg is None or keyword.arg not in parameters or keyword.arg in bound:
            return None
        bound[keyword.arg] = text.partition("=")[2]
    return bound


def _argument_texts(code: _Code, call: ast.Call) -> list[str]:
    """What stands between the commas of a call, spaces and line breaks included."""
    first, start = _end(code.lines, call.func)
    last, end = _end(code.lines, call)
    lines = [*code.lines[first:last], code.lines[last][:end]]
    lines[0] = lines[0][start:]
    return list(_split_at_commas(lines))


def _split_at_commas(lines: list[str]) -> Iterator[str]:
    depth = 0
    begin = (0, 0)
    for token in tokens("\n".join(lines)):
        if token.type != tokenize.OP:
            continue
        place = (token.start[0] - 1, token.start[1])
        if token.string in "([{":
            depth += 1
            begin = (place[0], place[1] + 1) if depth == 1 else begin
        elif token.string in ")]}":
            depth -= 1
            if depth == 0:
                yield _between(lines, begin, place)
                return
        elif token.string == "," and depth == 1:
            yield _between(lines, begin, place)
            begin = (place[0], place[1] + 1)


def _between(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return lines[start[0]][start[1] : end[1]]
    return "\n".join([lines[start[0]][start[1] :], *lines[start[0] + 1 : end[0]], lines[end[0]][: end[1]]])


def _is_enclosed(text: str) -> bool:
    """Whether the parenthesis at the beginning closes at the end."""
    depth = 0
    brackets = [token for token in tokens(text) if token.type == tokenize.OP and token.string in "([{)]}"]
    if not text.startswith("(") or not text.endswith(")"):
        return False
    for number, token in enumerate(brackets, 1):
        depth += 1 if token.string in "([{" else -1
        if depth == 0:
            return number == len(brackets)
    return False


def _start(lines: Sequence[str], node: ast.expr) -> tuple[int, int]:
    return node.lineno - 1, character_column(lines[node.lineno - 1], node.col_offset)


def _end(lines: Sequence[str], node: ast.expr) -> tuple[int, int]:
    number = (node.end_lineno or node.lineno) - 1
    return number, character_column(lines[number], node.end_col_offset or 0)
