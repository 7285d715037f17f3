"""Runs cells as a notebook's kernel does: magics, the last value shown, events, errors with a traceback."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import subprocess
import sys
import tokenize
import traceback
import types
from collections.abc import Callable
from typing import Any, NoReturn

from .magics import rewritten, run_cell_magic, run_line_magic
from .mime import Formatters, bundle
from .recorder import Recorder

CONTEXT = 4  # lines of code shown around one that failed


class UsageError(Exception):
    """For a magic that is not known, or is used wrongly."""


class Events:
    """Functions that are called around each cell."""

    def __init__(self) -> None:
        self.registered: dict[str, list[Callable[..., object]]] = {}

    def register(self, event: str, function: Callable[..., object]) -> None:
        known = self.registered.setdefault(event, [])
        if function not in known:
            known.append(function)

    def unregister(self, event: str, function: Callable[..., object]) -> None:
        known = self.registered.get(event, [])
        if function not in known:
            raise ValueError(f"the function is not registered for {event}")
        known.remove(function)

    def trigger(self, event: str, *arguments: object) -> None:
        for function in list(self.registered.get(event, ())):
            try:
                function(*arguments)
            except Exception:  # noqa: BLE001 -- as in a kernel, one that fails keeps no other from being called
                print(f"Error in callback {function} (for {event}):")
                traceback.print_exc(file=sys.stdout)


class Shell:
    """What `get_ipython()` returns on a machine without IPython: the part of it that pages and libraries use."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder, self.events = recorder, Events()
        self.formatters: Formatters = {}
        self.execution_count = 0
        self.config: dict[str, object] = {}
        self.user_module = types.ModuleType("__main__")
        self.user_ns: dict[str, Any] = self.user_module.__dict__
        self.user_ns.update({"In": [""], "Out": {}, "get_ipython": lambda: self})
        self.names: dict[str, int] = {}  # of the files that stand for cells, with the cells' numbers
        self._flags = 0  # of `from __future__ import …`, which hold for the cells that follow
        self._failed: BaseException | None = None

    def run_cell(self, code: str) -> BaseException | None:
        """Runs a cell; what it raised, recorded with its traceback, None when it ran to its end."""
        self.execution_count += 1
        self._failed = None
        self.recorder.begin()
        self.user_ns["In"].append(code)
        self.events.trigger("pre_execute")
        self.events.trigger("pre_run_cell", None)
        try:
            self._run(code)
        except BaseException as error:  # noqa: BLE001 -- a cell may raise anything, SystemExit too
            self._failed = error
            self._show_error(error)
        self.events.trigger("post_execute")
        self.events.trigger("post_run_cell", types.SimpleNamespace(error_in_exec=self._failed, result=None))
        self.recorder.drain()
        return self._failed

    def _run(self, code: str) -> None:
        name = f"<cell {self.execution_count}>"
        self.names[name] = self.execution_count
        source = rewritten(code)
        linecache.cache[name] = len(source), None, [line + "\n" for line in code.split("\n")], name
        tree = compile(source, name, "exec", ast.PyCF_ONLY_AST | self._flags, dont_inherit=True)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        body = compile(tree, name, "exec", self._flags, dont_inherit=True)
        self._flags |= body.co_flags & _FUTURE
        exec(body, self.user_ns)
        if isinstance(last, ast.Expr):
            expression = compile(ast.Expression(last.value), name, "eval", self._flags, dont_inherit=True)
            self._show_result(eval(expression, self.user_ns), quiet=_ends_with_semicolon(source))

    def _show_result(self, value: object, quiet: bool) -> None:
        if value is None or quiet:
            return
        self.user_ns.update({"_": value, "__": self.user_ns.get("_"), f"_{self.execution_count}": value})
        self.user_ns["Out"][self.execution_count] = value
        if callable(show := getattr(type(value), "_ipython_display_", None)):
            show(value)
        else:
            self.recorder.result(bundle(value, self.formatters), self.execution_count)

    def failing_line(self) -> int:
        """The cell's line that failed, of the cell that ran last."""
        name = f"<cell {self.execution_count}>"
        if isinstance(self._failed, SyntaxError) and self._failed.filename == name:
            return self._failed.lineno or 1
        frames = traceback.extract_tb(self._failed.__traceback__) if self._failed else []
        return next((frame.lineno or 1 for frame in frames if frame.filename == name), 1)

    def _show_error(self, error: BaseException) -> None:
        name, value = type(error).__name__, str(error)
        self.recorder.error(name, value, _traceback(error, self.names))

    def showtraceback(self, *arguments: object, **named: object) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._show_error(error)

    # What magics are rewritten to call.
    def run_line_magic(self, name: str, line: str, _stack_depth: int = 1) -> None:
        run_line_magic(self, name, self.expanded(line))

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        run_cell_magic(self, name, self.expanded(line), cell)

    def unknown(self, text: str) -> NoReturn:
        raise UsageError(text)

    def system(self, command: str) -> None:
        """`!command`: its output is the cell's; `_exit_code` is its status."""
        with self._started(command) as process:
            for line in process.stdout or ():
                self.recorder.stream("stdout", line)
        self.user_ns["_exit_code"] = process.returncode

    def getoutput(self, command: str) -> list[str]:
        """`x = !command`: the lines of its output."""
        with self._started(command) as process:
            lines = (process.stdout or io.StringIO()).read().splitlines()
        self.user_ns["_exit_code"] = process.returncode
        return lines

    def _started(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["/bin/sh", "-c", self.expanded(command)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )

    def expanded(self, text: str) -> str:
        """A magic's line with `{expression}` and `$name` replaced by their values, where they have one."""

        def value(found: re.Match[str]) -> str:
            try:
                return str(eval(found[1] or found[2], self.user_ns))
            except Exception:  # noqa: BLE001 -- such as a brace of the shell's own
                return found[0]

        return re.sub(r"\{([^{}]+)\}|\$([A-Za-z_]\w*)", value, text)

    def enable_gui(self, gui: str | None = None) -> None:
        """There is no window to show anything in."""


def _future_flags() -> int:
    import __future__

    return sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


_FUTURE = _future_flags()


def _ends_with_semicolon(source: str) -> bool:
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT}
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        found = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type not in skipped]
        return bool(found) and found[-1].string == ";"
    return False


def _traceback(error: BaseException, cells: dict[str, int]) -> list[str]:
    """The frames from the cell on, each with the lines around its place, and what was raised."""
    name = type(error).__name__
    parts = ["-" * 75, f"{name:<42}Traceback (most recent call last)"]
    frames = traceback.extract_tb(error.__traceback__)
    first = next((number for number, frame in enumerate(frames) if frame.filename in cells), len(frames))
    parts += [_frame(frame, cells) for frame in frames[first:]]
    if error.__cause__ is not None:
        parts.append(f"caused by {type(error.__cause__).__name__}: {error.__cause__}")
    last = "".join(traceback.format_exception_only(type(error), error)).rstrip()
    for file, number in cells.items():
        last = last.replace(f'File "{file}"', f"Cell In[{number}]")
    return [*parts, last]


def _frame(frame: traceback.FrameSummary, cells: dict[str, int]) -> str:
    line = frame.lineno or 1
    inside = "" if frame.name == "<module>" else f", in {frame.name}"
    if frame.filename in cells:
        place = f"Cell In[{cells[frame.filename]}], line {line}{inside}"
    else:
        place = f"File {frame.filename}:{line}{inside}"
    lines = [place]
    for number in range(max(1, line - CONTEXT), line + CONTEXT + 1):
        if text := linecache.getline(frame.filename, number):
            mark = "---->" if number == line else "     "
            lines.append(f"{mark} {number} {text.rstrip()}")
    return "\n".join(lines)
