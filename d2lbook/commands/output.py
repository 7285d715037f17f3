"""What a command prints: results, findings as text, JSON or GitHub's annotations, and progress. Nothing else prints."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from d2lbook.commands.progress import Progress
from d2lbook.diagnostics import Message

_ADVICE = re.compile(r"(?:(?<!\w)'[^']*'|(?!(?<!\w)'[^']*').)*?; ")  # to the first semicolon outside quotations
_BOLD, _DIM, _RED, _YELLOW, _PLAIN = "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m", "\033[0m"


class Output:
    """Where a command's words go. With JSON, standard output holds the findings and nothing else."""

    def __init__(self, kind: str = "text", quiet: bool = False) -> None:
        self._kind, self._quiet = kind, quiet
        self._found: list[Message] = []  # for JSON, which is one list
        self._command = ""
        self._progress: Progress | None = None

    def say(self, text: str) -> None:
        """Print a line about what was done."""
        if not self._quiet:
            self._print(text, sys.stderr if self._kind == "json" else sys.stdout)

    def report(self, messages: Iterable[Message]) -> None:
        """Print findings, in the order given."""
        for message in messages:
            if self._kind == "json":
                self._found.append(message)
            elif self._kind == "github":
                self._print(_annotation(message), sys.stdout)
            else:
                self._print(_colored(message) if _has_colors(sys.stderr) else str(message), sys.stderr)

    def begin(self, command: str) -> None:
        """From here on `command` is at work: shown on a terminal when it takes long."""
        self._command = command
        if self._progress is None and not self._quiet and sys.stderr.isatty():
            self._progress = Progress()
        if self._progress is not None:
            self._progress.show(command)

    def step(self, text: str, number: int, total: int) -> None:
        """Say that step `number` of `total` begins: on a terminal as progress, elsewhere as a line."""
        if self._progress is not None:
            self._progress.show(f"{self._command}: {text}", number, total)
        else:
            self.say(f"{self._command}: {text} ({number} of {total})")

    def table(self, rows: Sequence[Sequence[str]], done: int, total: int) -> bool:
        """Show what runs at the moment; False where there is no terminal for it."""
        if self._progress is None:
            return False
        self._progress.show(self._command, min(done + 1, total), total, rows)
        return True

    def end(self) -> None:
        """Take the progress away and print what was collected."""
        if self._progress is not None:
            self._progress.end()
            self._progress = None
        if self._kind == "json":
            self._print(json.dumps([_record(message) for message in self._found], ensure_ascii=False, indent=1))
            self._found = []

    def _print(self, text: str, stream: TextIO | None = None) -> None:
        if self._progress is not None:
            self._progress.pause()
        print(text, file=stream or sys.stdout, flush=True)


def advice(text: str) -> tuple[str, str]:
    """What is wrong, and what to do next: the parts of a message before and behind its first semicolon."""
    found = _ADVICE.match(text)
    return (found[0].removesuffix("; "), text[found.end() :]) if found else (text, "")


def _record(message: Message) -> dict[str, object]:
    what, hint = advice(message.text)
    return {
        "file": message.path,
        "line": message.line or None,
        "column": message.column or None,
        "severity": message.level,
        "code": message.code,
        "message": what,
        "hint": hint,
    }


def _annotation(message: Message) -> str:
    """A finding as a workflow command, which GitHub shows beside the line."""
    places = {"file": message.path, "line": message.line, "col": message.column, "title": message.code}
    fields = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in places.items() if value)
    return f"::{message.level} {fields}::{_escaped(message.text)}"


def _escaped(text: str, also: str = "") -> str:
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{also}" else char for char in text)


def _colored(message: Message) -> str:
    place, _, rest = str(message).partition(f": {message.level}: ")
    text, _, code = rest.rpartition(" [")
    color = _RED if message.level == "error" else _YELLOW
    return f"{_BOLD}{place}{_PLAIN}: {color}{message.level}{_PLAIN}: {text} {_DIM}[{code}{_PLAIN}"


def _has_colors(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
