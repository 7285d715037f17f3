"""Reads the command line by the table: each command has its own options, which may stand between pages."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from d2lbook import __version__
from d2lbook.commands.command import Command, Option
from d2lbook.commands.table import ALL, BY_NAME, COMMANDS, COMMON, ON_BOOKS
from d2lbook.frameworks import TABS


def read_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """The command line as attributes, defaults included. Exits with status 2 and a usage message when it is wrong."""
    parser = _parser()
    arguments, words = parser.parse_known_args(argv)
    if arguments.command == "make":
        if wrong := [word for word in words if word.startswith("-")]:
            parser.error(f"make: no option {', '.join(wrong)}; it has none, name targets")
        arguments.targets += words
        return arguments
    named = {"build": "stages"}.get(arguments.command, "pages")
    getattr(arguments, named).extend(word for word in words if not word.startswith("-"))  # behind an option
    rows = list(_rows(arguments.stages if arguments.command == "build" else [arguments.command]))
    if text := _refused(arguments, words, rows):
        parser.error(text)
    arguments.lang_named_by = "--lang" if hasattr(arguments, "lang") else "BOOK_LANG"
    if not hasattr(arguments, "lang"):
        arguments.lang = os.environ.get("BOOK_LANG", "")
    for option in _options(COMMANDS):
        if not hasattr(arguments, option.name):
            setattr(arguments, option.name, option.default)
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="d2lbook", description="Builds a book of Markdown notebooks.")
    parser.add_argument("--version", action="version", version=f"d2lbook {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = _subparser(commands, "build", "run several commands, after a check", f"build html pdf --tab {TABS[0]}")
    build.add_argument("stages", nargs="+", metavar="COMMAND", help=f"{', '.join(ON_BOOKS)}, or all: {', '.join(ALL)}")
    build.set_defaults(pages=[])
    _add_options(build, ON_BOOKS.values())
    for row in COMMANDS:
        command = _subparser(commands, row.name, row.help, row.example)
        command.add_argument("pages", nargs="*", metavar=row.operand, help=row.pages or argparse.SUPPRESS)
        _add_options(command, (row,))
    make = _subparser(commands, "make", "the Makefile's targets, for systems without make", "make html")
    make.add_argument("targets", nargs="*", default=["help"], metavar="TARGET", help="`make help` lists them")
    return parser


def _subparser(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str, example: str
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=text,
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=f"example: d2lbook {example}",
        allow_abbrev=False,
    )


def _rows(names: Sequence[str]) -> Iterator[Command]:
    for name in names:
        for known in ALL if name == "all" else (name,):
            if known in BY_NAME:
                yield BY_NAME[known]


def _options(rows: Collection[Command]) -> list[Option]:
    """The options of commands, those that all have first; one that several have counts once."""
    found = {option.flag: option for row in reversed(tuple(rows)) for option in row.options}
    order = dict.fromkeys(option.flag for row in rows for option in row.options)
    return [*COMMON, *(found[flag] for flag in order)]


def _add_options(parser: argparse.ArgumentParser, rows: Collection[Command]) -> None:
    """Add what any of these commands has; an option that is not given leaves no attribute."""
    for option in _options(rows):
        kind: dict[str, Any] = {"action": "store_true"} if option.type is bool else {"type": option.type}
        parser.add_argument(option.flag, help=option.help, default=argparse.SUPPRESS, **kind)


def _refused(given: argparse.Namespace, words: Sequence[str], rows: Collection[Command]) -> str:
    """What to say of options that none of the commands has, among those parsed and the words left over; "" if none."""
    known = [option.flag for option in _options(rows)]
    parsed = [option.flag for option in _options(COMMANDS) if option.flag not in known and hasattr(given, option.name)]
    wrong = [*parsed, *(word for word in words if word.startswith("-"))]
    if not wrong:
        return ""
    names = " ".join(sorted(row.name for row in rows))
    return f"{names}: no option {', '.join(wrong)}; there are {', '.join(known)}"
