"""The names that the book's libraries offer, and references to names that none of them has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from d2lbook.book.cross_references import api_name
from d2lbook.config import Config
from d2lbook.diagnostics import Messages, likely
from d2lbook.library import known_library
from d2lbook.library.item import OWN_NAME
from d2lbook.library.names import MODULE_ATTRIBUTES
from d2lbook.model import Book, Document, roles_of


@dataclass
class Libraries:
    """The names of the book's libraries, by the module that pages import."""

    names: dict[str, set[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    of_tab: dict[str, str] = field(default_factory=dict)
    unknown: bool = False  # whether one has names that nobody can know

    @cached_property
    def key(self) -> str:
        """The same for libraries that offer the same names."""
        return repr(
            [
                self.unknown,
                *((module, sorted(names), self.files[module]) for module, names in sorted(self.names.items())),
            ]
        )

    @classmethod
    def of(cls, book: Book, config: Config, messages: Messages) -> Libraries:
        libraries = cls()
        for tab in book.tabs:
            if tab not in config.libraries or not config.libraries[tab].lib_file:
                continue
            library = known_library(book, config, tab, messages)
            module = ".".join(PurePosixPath(library.file).with_suffix("").parts)
            if "*" in library.names:  # what `from x import *` brings cannot be known
                libraries.unknown = True
                continue
            libraries.names[module] = {*library.names, *MODULE_ATTRIBUTES, *library.replaced}
            libraries.files[module] = library.file
            libraries.of_tab[tab] = module
        return libraries


def check_api_roles(document: Document, libraries: Libraries, messages: Messages) -> None:
    """Report `:func:`d2l.name`` and the like where no library has the name."""
    known = {OWN_NAME: set[str]().union(*libraries.names.values()), **libraries.names} if libraries.names else {}
    for block in document.walk():
        for role in roles_of(block):
            name = api_name(role.text) if role.kind in {"class", "func"} else ""
            owner = max((owner for owner in known if name.startswith(f"{owner}.")), key=len, default="")
            own = name.removeprefix(f"{owner}.").split(".")[0]
            if owner and own not in known[owner]:
                hint = likely(own, sorted(known[owner]), "mark its definition with #@save")
                text = f"'{own}' is not in the library; {hint}"
                messages.warning(document.path, role.span.line, role.span.column, text, "api-undefined")
