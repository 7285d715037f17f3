"""What the builder has to say about a book: one line each, all of them at once.

A message names a place, what is wrong, why or what to do next, and a code by which it can be looked up
(`codes.toml` explains them). Nothing here prints or exits: `cli` does.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Level = Literal["error", "warning"]
_LINE_END = re.compile(r"\s*[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]\s*")


@dataclass(frozen=True, order=True, slots=True)
class Message:
    """One finding: `path:line:column: level: text [code]`."""

    path: str  # relative to the book's root, with forward slashes
    line: int  # 1-based; 0 when the finding is about the file as a whole
    column: int  # 1-based; 0 when it is about the line as a whole
    level: Level
    text: str  # what, why, what next: one line
    code: str  # kebab-case, as "label-undefined"

    @property
    def place(self) -> str:
        """`path:line:column`, as far as it is known."""
        return ":".join([self.path, *(str(part) for part in (self.line, self.column) if part)])

    @property
    def one_line(self) -> str:
        """The text without the line ends of what it quotes."""
        return _LINE_END.sub(" ", self.text)

    def __str__(self) -> str:
        return f"{self.place}: {self.level}: {self.one_line} [{self.code}]"


# What keeps a whole file out of the book. Labels, names and citations that it defines are then missed elsewhere.
_CAUSES = frozenset(
    {"config-syntax", "config-unreadable", "file-binary", "file-encoding", "file-error", "file-unreadable"}
    | {"page-missing", "toc-missing"}
)
# What a draft may lack: a chapter is written before the pages that it refers to, and before it is run.
UNFINISHED = frozenset({"label-undefined", "result-missing", "result-stale"})


def in_order(messages: Iterable[Message]) -> list[Message]:
    """Findings by place, those that may have caused others first."""
    return sorted(messages, key=lambda message: (message.code not in _CAUSES, message))


@dataclass(slots=True)
class Messages:
    """Collects findings until someone reports them. The same finding twice counts once."""

    strict: bool = False  # as `[build] strict`: warnings count as errors
    found: set[Message] = field(default_factory=set)
    draft: bool = False  # as `--draft`: what the rest of a book will bring may be missing still

    def error(self, path: str, line: int, column: int, text: str, code: str) -> None:
        self.found.add(Message(path, line, column, "error", text, code))

    def warning(self, path: str, line: int, column: int, text: str, code: str) -> None:
        self.found.add(Message(path, line, column, "error" if self.strict else "warning", text, code))

    def unfinished(self, path: str, line: int, column: int, text: str, code: str) -> None:
        """Report what has to come yet: an error, which is a warning in a draft, of a strict book, too."""
        self.found.add(Message(path, line, column, "warning" if self.draft else "error", text, code))

    def apart(self) -> Messages:
        """An empty collection with the same settings."""
        return Messages(self.strict, draft=self.draft)

    def extend(self, messages: Iterable[Message]) -> None:
        self.found.update(messages)

    @property
    def failed(self) -> bool:
        return any(message.level == "error" for message in self.found)

    def __iter__(self) -> Iterator[Message]:
        return iter(in_order(self.found))

    def __len__(self) -> int:
        return len(self.found)


class BookError(Exception):
    """Raised for what cannot go on; carries the messages that say why."""

    def __init__(self, messages: Messages | Iterable[Message]) -> None:
        self.messages = in_order(messages)
        super().__init__("\n".join(map(str, self.messages)))

    def __reduce__(self) -> tuple[type[BookError], tuple[list[Message]]]:
        return BookError, (self.messages,)  # so that it comes whole from another process


def error_at(path: str, line: int, column: int, text: str, code: str) -> BookError:
    """A `BookError` with one message, to raise."""
    return BookError([Message(path, line, column, "error", text, code)])


# ---- what a message advises ------------------------------------------------------------------------------------------


def to_install(*distributions: str) -> str:
    """The command that installs what is missing: a target of make in the builder's repository, pip elsewhere."""
    if is_own_repository(Path(__file__).resolve().parents[1]):
        return "make setup"
    return f"{Path(sys.executable).name} -m pip install {' '.join(distributions)}"


def is_own_repository(root: Path) -> bool:
    """Whether the command runs in the builder's own repository, which would be at `root`: its Makefile has targets."""
    return (root / "Makefile").is_file() and (root / "builder").is_dir() and Path.cwd().is_relative_to(root)


def likely(name: str, known: Iterable[str], otherwise: str, shown: str = "'{}'") -> str:
    """Return "did you mean 'x'?" with the known name that is most like `name`; `otherwise` where none is."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {shown.format(close[0])}?" if close else otherwise
