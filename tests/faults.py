"""Ends a program in the middle of its work: a child process that kills itself at the n-th change to a directory.

    total = run_until(script, directory, 0).writes      # runs to its end and counts
    run_until(script, directory, 3)                     # is killed just before its third change

    with forks(script, directory) as (total, run_until):  # the same for a script that imports much: it does so once
        run_until(3)

Changes are what Python's audit hooks tell of: files opened for writing, renamed, removed, linked, directories made.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
KILLED = -9

_HOOK = """
import os as _os, signal as _signal, sys as _sys
_root, _at, _seen = _os.path.realpath(_sys.argv[1]), int(_sys.argv[2]), 0
_writing = _os.O_WRONLY | _os.O_RDWR | _os.O_CREAT
_changing = {"os.rename", "os.remove", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate"}

def _hook(event, arguments):
    global _seen
    if event == "open":
        path, _, flags = arguments
        if not isinstance(flags, int) or not flags & _writing:
            return
    elif event in _changing:
        path = arguments[0]
    else:
        return
    if isinstance(path, bytes):
        path = _os.fsdecode(path)
    if not isinstance(path, (str, _os.PathLike)) or not _os.path.realpath(path).startswith(_root + _os.sep):
        return
    _seen += 1
    if _seen == _at:
        _os.kill(_os.getpid(), _signal.SIGKILL)

_sys.addaudithook(_hook)
"""
# Runs the script and says how many changes it made; then once more in a fork for each number that it reads, and says
# how that ended.
_FORKS = """
_answers = _os.fdopen(_os.dup(1), "w", buffering=1)
_os.dup2(2, 1)
_script = compile(_sys.argv[3], "script", "exec")
exec(_script, {"__name__": "__main__"})
print(_seen, file=_answers)
for _line in _sys.stdin:
    _child = _os.fork()
    if not _child:
        _seen, _at = 0, int(_line)
        exec(_script, {"__name__": "__main__"})
        _os._exit(0)
    print(_os.waitstatus_to_exitcode(_os.waitpid(_child, 0)[1]), file=_answers)
"""
_COUNT = "\n_sys.stderr.write(f'\\nwrites={_seen}\\n')\n"


@dataclass(frozen=True)
class Ended:
    status: int  # KILLED, or the program's own
    writes: int  # changes seen; 0 when it was killed
    output: str


def run_until(script: str, directory: Path, nth: int) -> Ended:
    """Runs Python source in a child; it is killed just before its `nth` change below `directory`, never for 0."""
    command = [sys.executable, "-c", _HOOK + script + _COUNT, str(directory), str(nth)]
    done = subprocess.run(command, cwd=directory, env=_environment(), capture_output=True, text=True, timeout=300)
    counts = [line for line in done.stderr.splitlines() if line.startswith("writes=")]
    return Ended(done.returncode, int(counts[-1].removeprefix("writes=")) if counts else 0, done.stdout + done.stderr)


@contextmanager
def forks(script: str, directory: Path) -> Iterator[tuple[int, Callable[[int], int]]]:
    """Runs Python source in a child; the changes that it made below `directory`, and what runs it again.

    It does so in a fork that is killed just before its nth change, and returns the status with which that ended.
    """
    command = [sys.executable, "-c", _HOOK + _FORKS, str(directory), "0", script]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            command,
            cwd=directory.parent,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as child,
    ):
        assert child.stdin is not None and child.stdout is not None
        stdin, stdout = child.stdin, child.stdout

        def answer() -> int:
            line = stdout.readline()
            log.seek(0)
            assert line, log.read()
            return int(line)

        def run_until(nth: int) -> int:
            stdin.write(f"{nth}\n")
            stdin.flush()
            return answer()

        yield answer(), run_until


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
