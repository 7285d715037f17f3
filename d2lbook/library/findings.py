"""What is wrong with an assembled library, told of the pages that it comes from."""

from __future__ import annotations

import builtins

from d2lbook.diagnostics import Messages
from d2lbook.library.assemble import Library
from d2lbook.library.item import OWN_NAME
from d2lbook.library.lines import text_of
from d2lbook.library.names import MODULE_ATTRIBUTES, attributes, free_names
from d2lbook.model import Place

_BUILTINS = frozenset(dir(builtins))


def place_of(library: Library, line: int, byte_column: int = 0) -> Place:
    """The page's or configuration's place of a 1-based line of the library."""
    if not 1 <= line <= len(library.lines):
        return Place(library.file, 0, 0)
    found = library.lines[line - 1]
    return found.place_of_byte(byte_column) if found.number else Place(library.file, 0, 0)


def examine(library: Library, messages: Messages) -> None:
    """Reports names that saved code and aliases use and the library does not have."""
    names = library.names
    if "*" in names:  # what `from x import *` brings cannot be known
        return
    told = {Place(message.path, message.line, message.column) for message in library.found}
    sources = [(item.rendered(), text_of(item.rendered())) for item in library.items]
    written = {name for _, text in sources for owner, name in attributes(text).written if owner == OWN_NAME}
    names |= MODULE_ATTRIBUTES | written
    for lines, text in sources:
        for use in free_names(text):
            if use.name not in names and use.name not in _BUILTINS:
                _report(library, use.name, lines[use.line - 1].place_of_byte(use.column), told, messages)
        for use in attributes(text).read:
            if use.owner == OWN_NAME and use.name not in names:
                name = f"{OWN_NAME}.{use.name}"
                _report(library, name, lines[use.line - 1].place_of_byte(use.column), told, messages)


def _report(library: Library, name: str, place: Place, told: set[Place], messages: Messages) -> None:
    if place in told:
        return  # as a base class that is defined too late
    # d2lbook 1.0.3 let it pass, so it stops only a strict book.
    what = f"'{name}' is used in {library.file}, which neither defines nor imports it"
    messages.warning(*place, f"{what}; mark its definition or import with #@save", "lib-name-undefined")
