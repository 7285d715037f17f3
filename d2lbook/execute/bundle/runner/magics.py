"""IPython's magics, as far as pages use them: `%%writefile`, `%matplotlib`, `%time`, `%%time`, `%%capture`, `!`."""

from __future__ import annotations

import ast
import re
import time
from pathlib import Path
from typing import Any, NoReturn, Protocol

from .recorder import Recorder

_CELL = re.compile(r"\s*%%(\w+)[ \t]*(.*)$")
_LINE = re.compile(r"(?P<indent>\s*)(?:(?P<target>[\w\s,.\[\]]+)=\s*(?!=))?(?P<mark>%|!!?)(?P<rest>.*)$")
_IGNORED = {"matplotlib", "load_ext", "reload_ext", "autoreload", "config", "pylab"}


class Host(Protocol):
    """What magics ask of the shell that runs them."""

    recorder: Recorder
    user_ns: dict[str, Any]

    def system(self, command: str) -> None: ...

    def unknown(self, text: str) -> NoReturn: ...


def rewritten(code: str) -> str:
    """A cell as plain Python, lines unmoved: magics become calls of the shell. Raises SyntaxError."""
    lines = code.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if cell := _CELL.match(lines[first]):
        body = "\n".join(lines[first + 1 :])
        call = f"get_ipython().run_cell_magic({cell[1]!r}, {cell[2]!r}, {_ended(body)!r})"
        return "\n" * first + call
    while True:
        source = "\n".join(lines)
        try:
            ast.parse(source)
        except SyntaxError as error:
            # The parser stumbles at a magic; a `%` inside a string or an expression is none.
            number = (error.lineno or 0) - 1
            found = _LINE.match(lines[number]) if 0 <= number < len(lines) else None
            if found is None:
                return source  # compiling it says what is wrong
            lines[number] = _call(found)
        else:
            return source


def _ended(body: str) -> str:
    return body if not body or body.endswith("\n") else body + "\n"


def _call(found: re.Match[str]) -> str:
    start = found["indent"] + (f"{found['target'].strip()} = " if found["target"] else "")
    rest = found["rest"]
    if found["mark"] == "%":
        name, _, line = rest.partition(" ")
        return f"{start}get_ipython().run_line_magic({name!r}, {line.strip()!r})"
    method = "getoutput" if found["target"] or found["mark"] == "!!" else "system"
    return f"{start}get_ipython().{method}({rest!r})"


def run_line_magic(shell: Host, name: str, line: str) -> None:
    if name == "time":
        _timed(shell, line)
    elif name not in _IGNORED:
        shell.unknown(f"Line magic function `%{name}` not found.")


def run_cell_magic(shell: Host, name: str, line: str, cell: str) -> None:
    if name == "writefile":
        _write(line, cell)
    elif name == "time":
        _timed(shell, cell)
    elif name == "capture":
        _captured(shell, cell)
    elif name in {"bash", "sh"}:
        shell.system(cell)
    else:
        shell.unknown(f"Cell magic `%%{name}` not found.")


def _write(line: str, cell: str) -> None:
    words = line.split()
    append = words[:1] in (["-a"], ["--append"])
    path = Path(" ".join(words[append:]).strip("\"'")).expanduser()
    what = "Appending to" if append else "Overwriting" if path.exists() else "Writing"
    print(f"{what} {path}")
    with path.open("a" if append else "w", encoding="utf-8") as file:
        file.write(cell)


def _timed(shell: Host, code: str) -> None:
    begin, processor = time.perf_counter(), time.process_time()
    exec(compile(rewritten(code), "<timed>", "exec", dont_inherit=True), shell.user_ns)
    spent = time.process_time() - processor
    print(f"CPU times: total: {spent:.3g} s\nWall time: {time.perf_counter() - begin:.3g} s")


def _captured(shell: Host, code: str) -> None:
    before = list(shell.recorder.outputs)
    try:
        exec(compile(rewritten(code), "<captured>", "exec", dont_inherit=True), shell.user_ns)
    finally:
        shell.recorder.drain()
        shell.recorder.outputs[:] = before
