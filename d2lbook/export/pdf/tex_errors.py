"""What XeLaTeX says went wrong: its errors with their lines, or the last that it or a program it starts told us."""

from __future__ import annotations

import re
from dataclasses import dataclass

# With -file-line-error most errors begin with their place, in whatever file it is: a chapter of ours, a package's .sty.
# A file that is not there, and an input that ends too early, are told behind an exclamation mark all the same.
_ERROR = re.compile(r"^(?:(?P<file>\S+):(?P<line>\d+):|!) +(?P<text>\S.*)$")
_CONTINUED = re.compile(r"^\(\w+\) {3,}(?P<text>\S.*)$")  # how a package indents the rest of what it says
_READ = re.compile(r"^l\.(?P<line>\d+) ?(?P<text>.*)$")
_CONTEXT = 12  # lines below an error in which it may say where it was reading
_AFTERMATH = re.compile(r"Emergency stop\.|==> Fatal error occurred")
# What XeLaTeX and the programs that it starts print before they give up without a word in the log.
_PROGRAM = re.compile(r"^(?:! |I can't |Error \d|\w+:\s*fatal)")


@dataclass(frozen=True, slots=True)
class TexError:
    """One error. `line`: of the LaTeX file that we wrote, 0 where the error lies elsewhere; `file`: where, if told."""

    text: str
    line: int = 0
    file: str = ""


def errors_in(log: str, name: str, source: list[str]) -> list[TexError]:
    """The errors in a log, each once, in their order. `name` and `source`: the LaTeX file and its lines."""
    lines = log.splitlines()
    found = [
        _error(match, lines, number, name, source) for number, line in enumerate(lines) if (match := _ERROR.match(line))
    ]
    causes = [error for error in found if not _AFTERMATH.match(error.text)]
    return list(dict.fromkeys(causes or found))


def _error(match: re.Match[str], lines: list[str], number: int, name: str, source: list[str]) -> TexError:
    text = match["text"].strip()
    for below in lines[number + 1 :]:
        if not (more := _CONTINUED.match(below)):
            break
        text += f" {more['text'].strip()}"
    if match["file"] is None:
        return TexError(text, _line_read(lines[number + 1 : number + 1 + _CONTEXT], source))
    file = match["file"].removeprefix("./")
    line = int(match["line"])
    return TexError(text, line) if file == name else TexError(text, 0, f"{file}:{line}")


def _line_read(context: list[str], source: list[str]) -> int:
    """The line of our file that was being read; 0 when it was none of ours."""
    for shown in context:
        if _ERROR.match(shown):  # what follows is told of the next error
            break
        if read := _READ.match(shown):
            line, text = int(read["line"]), read["text"].rstrip()
            return line if 0 < line <= len(source) and text and source[line - 1].startswith(text) else 0
    return 0


def reason(said: str, status: int) -> str:
    """Why XeLaTeX stopped where its log has no error: from what it printed, else how it ended."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line.removeprefix("! ") for line in lines if _PROGRAM.match(line)]
    if told:
        return next((line for line in told if "fatal" in line), told[0])
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    return f"it {how}; its last line was: {lines[-1]}" if lines else f"it {how} and printed nothing"
