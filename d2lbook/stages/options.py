"""Which command has which options. A command refuses the others and says what it has."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

EDITIONS = ("eval", "status", "html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker")


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


@dataclass(frozen=True, slots=True)
class Option:
    flag: str
    help: str
    commands: tuple[str, ...]  # that have it; none: every command
    default: Any = None
    type: Any = str  # bool for a flag without a value

    @property
    def name(self) -> str:
        """Its attribute of the parsed arguments."""
        return self.flag.removeprefix("--").replace("-", "_")


OPTIONS = (
    Option("--config", "the book's configuration (default: config.ini)", (), "config.ini"),
    Option(
        "--tab", "only these frameworks, comma-separated", ("lib", *EDITIONS, "linkcheck", "deploy", "activate")
    ),
    Option(
        "--lang", "only these languages, comma-separated (default: $BOOK_LANG, else all)",
        (*EDITIONS, "check", "serve", "translate"),
    ),
    Option("--force", "run pages whose results are fresh, too", ("eval",), False, bool),
    Option("--jobs", "kernels at a time (default: 2)", ("eval",), 2, positive),
    Option("--dry-run", "freeze nothing; of `deploy`: say what would change", ("eval", "deploy"), False, bool),
    Option("--without-solutions", "leave solutions out", ("ipynb", "pkg"), False, bool),
    Option("--pdf", "print the slides as PDF, too (needs Chromium)", ("slides",), False, bool),
    Option("--target", "a directory, or branch:NAME of the book's repository", ("deploy",), ""),
    Option("--external", "ask other servers for their links, too", ("linkcheck",), False, bool),
    Option("--port", "where to serve (default: 8000)", ("serve",), 8000, port),
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser, commands: Collection[str]) -> None:
    """Adds what any of these commands has; an option that is not given leaves no attribute."""
    for option in _options_of(commands):
        kind: dict[str, Any] = {"action": "store_true"} if option.type is bool else {"type": option.type}
        parser.add_argument(option.flag, help=option.help, default=argparse.SUPPRESS, **kind)


def refused(given: argparse.Namespace, words: Sequence[str], commands: Collection[str]) -> str:
    """What to say of options that none of the commands has, among those parsed and the words left over; "" if none."""
    known = _options_of(commands)
    parsed = [option.flag for option in OPTIONS if option not in known and hasattr(given, option.name)]
    wrong = [*parsed, *(word for word in words if word.startswith("-"))]
    if not wrong:
        return ""
    flags = ", ".join(option.flag for option in known)
    return f"{' '.join(sorted(commands))}: no option {', '.join(wrong)}; there are {flags}"


def fill_defaults(arguments: argparse.Namespace) -> None:
    """Gives every option that was not given its default."""
    for option in OPTIONS:
        if not hasattr(arguments, option.name):
            setattr(arguments, option.name, option.default)


def _options_of(commands: Collection[str]) -> list[Option]:
    return [option for option in OPTIONS if not option.commands or not set(commands).isdisjoint(option.commands)]
