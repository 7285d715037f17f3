"""What is wrong with an assembled library, told of the pages that it comes from."""

from __future__ import annotations

import ast

from d2lbook.library.assemble import Library
from d2lbook.library.item import OWNERS
from d2lbook.library.lines import Place
from d2lbook.library.names import MODULE_ATTRIBUTES, Use, attribute_uses, attributes_set, undefined
from d2lbook.messages import Messages


def place_of(library: Library, line: int, byte_column: int = 0) -> Place:
    """The page's or configuration's place of a 1-based line of the library."""
    if not 1 <= line <= len(library.lines):
        return Place(library.file, 0, 0)
    found = library.lines[line - 1]
    return found.place_of_byte(byte_column) if found.number else Place(library.file, 0, 0)


def examine(library: Library, messages: Messages) -> None:
    """Reports names that the library uses and does not have."""
    try:
        tree = ast.parse(library.python)
    except SyntaxError as error:
        if any(message.path == library.file for message in library.found):
            return  # the head was told of
        place = place_of(library, error.lineno or 0, (error.offset or 1) - 1)
        messages.error(place.path, place.line, place.column, f"{library.file}: {error.msg}", "lib-syntax")
        return
    names = library.names
    if "*" in names:  # what `from x import *` brings cannot be known
        return
    for use in undefined(tree, frozenset(library.unread | MODULE_ATTRIBUTES)):
        _report(library, use, use.name, messages)
    known = names | MODULE_ATTRIBUTES | attributes_set(tree, OWNERS)
    for use in attribute_uses(tree, OWNERS):
        if use.name not in known:
            _report(library, use, f"d2l.{use.name}", messages)


def _report(library: Library, use: Use, name: str, messages: Messages) -> None:
    place = place_of(library, use.line, use.column)
    if any((place.path, place.line, place.column) == (at.path, at.line, at.column) for at in library.found):
        return  # as a base class that is defined too late
    # d2lbook 1.0.3 let it pass, so it stops only a strict book.
    messages.warning(
        place.path, place.line, place.column, f"'{name}' is used in {library.file}, which neither defines nor imports"
        " it; mark its definition or import with #@save", "lib-name-undefined",
    )  # fmt: skip
