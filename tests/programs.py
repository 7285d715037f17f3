"""Programs for a process of a framework that others use too: loading it takes longer than most of them run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Ask = Callable[[str, str], dict[str, Any]]
# Runs the programs that it reads, each in a namespace of its own, and tells what each printed. Two frameworks settle
# how many devices they have when they start, so all that any program asks for are there before the first one.
SERVER = """
import contextlib, io, json, os, sys, traceback
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from d2l import {framework} as d2l
d2l.devices({devices})
for line in sys.stdin:
    answer, printed = {{"error": "", "printed": ""}}, io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(json.loads(line), "program", "exec"), {{"__name__": "__main__"}})
        answer["printed"] = printed.getvalue()
    except Exception:
        answer["error"] = traceback.format_exc()
    print(json.dumps(answer), file=answers, flush=True)
"""
DEVICES = 4


@contextmanager
def processes(log: Path) -> Iterator[Ask]:
    """Gives a framework's process a program, and returns what that printed last, which is JSON.

    Programs may neither change library or framework nor ask for more than `DEVICES` devices; `log` gets what they
    write to their standard error.
    """
    started: dict[str, subprocess.Popen[str]] = {}

    def ask(framework: str, program: str) -> dict[str, Any]:
        process = started.get(framework) or started.setdefault(framework, _start(framework, log))
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(program) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, f"the process of {framework} ended; it wrote:\n{log.read_text()}"
        answer = json.loads(line)
        assert not answer["error"], answer["error"]
        return dict(json.loads(answer["printed"].splitlines()[-1]))

    yield ask
    for process in started.values():
        process.communicate()  # closes its input, at the end of which it ends


def _start(framework: str, log: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SERVER.format(framework=framework, devices=DEVICES)]
    with log.open("a") as errors:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
