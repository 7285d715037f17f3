"""What a command of `d2lbook` is: one row of `table.COMMANDS`, from which everything else derives.

Standard library only: `python -m d2lbook make` reads the table before anything is installed. A row therefore names its
functions as "module:function", and they are imported when the command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One option of the command line; `type` is bool for a flag without a value."""

    flag: str
    help: str
    default: Any = None
    type: Any = str

    @property
    def name(self) -> str:
        """Its attribute of the parsed arguments."""
        return self.flag.removeprefix("--").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Command:
    """One command, and what `build`, `make` and `deploy` do with it."""

    name: str
    run: str  # takes the `Session`; False when the command failed
    help: str
    example: str  # of the command line, behind `d2lbook`
    options: tuple[Option, ...] = ()
    pages: str = ""  # what names behind the command mean; empty: the command is about the whole book and takes none
    operand: str = "PAGE"  # what its help calls such a name
    opens_book: bool = True  # works on a book that is there; one that makes one takes arguments and what prints
    is_format: bool = False  # builds something to read or to publish; one that fails stops no other
    after_formats: bool = False  # looks at formats that were built; when it fails, it stops no other, either
    in_all: bool = False  # part of `build all`
    checks_first: bool = True  # refuses to run on a book with errors
    typesets: bool = False  # asks KaTeX for the formulas, which is begun while the book is checked
    endless: bool = False  # runs until it is stopped, so that there is no progress to show
    current: str = ""  # takes `Config`, languages: the place of what is built, if nothing changed since, or None
    offer: str = ""  # takes `Config`, tabs and `UiStrings`; the `Offer` of what deploy publishes of this format
    check: str = ""  # takes `Session`; reports what is wrong with the book for this format alone
    environment: str = ""  # of `make NAME`, a key of `make.ENVIRONMENTS`; empty: not a target of make
    needs: tuple[str, ...] = ()  # of that target: keys of `system_packages.USES`

    @property
    def shows_faults(self) -> bool:
        """Whether it builds what can be built of a book with errors, unless `--no-faults` is given."""
        return any(option.flag == "--no-faults" for option in self.options)

    @property
    def takes_pages(self) -> bool:
        return bool(self.pages)

    @property
    def builds(self) -> bool:
        """Whether it writes to the output directory, which then is its own for as long."""
        return self.is_format or self.after_formats

    @property
    def stops_others(self) -> bool:
        """Whether the commands behind it in `build` are of no use when it failed."""
        return not (self.is_format or self.after_formats)


def load(reference: str) -> Callable[..., Any]:
    """Import the function that a row names."""
    module, _, name = reference.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def one_of(*known: str) -> Callable[[str], str]:
    """One of these words, as `argparse` asks for it."""

    def read(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(known)}")
        return text

    return read


def positive(text: str) -> int:
    """A whole number above zero, as `argparse` asks for it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return int(text)


def port(text: str) -> int:
    """The number of a TCP port."""
    number = positive(text)
    if number > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is no port: ports go from 1 to 65535")
    return number
