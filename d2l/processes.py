"""Processes that end with whoever started them, whatever happens to it.

Beside the processes runs a guard (`python -m d2l.processes`). It waits for the end of its standard input, which
comes when the starter closes it or dies, and then stops every process that is left: first politely (SIGTERM),
two seconds later by force (SIGKILL). On Linux it knows them by a mark in their environment, so that it also
finds what they started in sessions of their own, as torchrun does; elsewhere by their process groups.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

__all__ = ["Processes"]

MARK = "D2L_PROCESSES"
GRACE = 2.0  # seconds from SIGTERM to SIGKILL
LOOPBACK = {"DMLC_NODE_HOST": "127.0.0.1"}  # the processes are on one machine: let MXNet's listen on no other address


class Processes:
    """Context manager around processes: when it is left, none of them runs any more, nor what they started.

    Standard output and standard error of a process go to one temporary file, which has no name and so cannot stay
    behind. The processes import the modules that this one can import.
    """

    def __init__(self) -> None:
        self._mark = uuid.uuid4().hex
        self._running: list[subprocess.Popen[bytes]] = []
        self._logs: list[IO[bytes]] = []
        self._environment = {name: value for name, value in os.environ.items() if name != MARK}
        self._environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)

    def __enter__(self) -> Processes:
        self._guard = subprocess.Popen(
            [sys.executable, "-m", "d2l.processes", self._mark],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for log in self._logs:
            log.close()

    def start(self, command: Sequence[str], environment: Mapping[str, object]) -> None:
        """Run `command` in a session of its own, with `environment` added to this process's."""
        log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by __exit__
        self._logs.append(log)
        added = {name: str(value) for name, value in environment.items()}
        process = subprocess.Popen(
            [str(word) for word in command],
            env={**LOOPBACK, **self._environment, "PYTHONUNBUFFERED": "1", **added, MARK: self._mark},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._running.append(process)
        assert self._guard.stdin is not None  # it was opened as a pipe
        self._guard.stdin.write(f"{process.pid}\n".encode())
        self._guard.stdin.flush()

    def codes(self) -> list[int | None]:
        """The exit status of each process; None while it runs, negative if a signal ended it."""
        return [process.poll() for process in self._running]

    def stop(self) -> None:
        """Let the guard end what still runs, and wait until it has."""
        self._guard.communicate()  # closes its input and waits for its end
        for process in self._running:
            process.wait()

    def output(self, index: int) -> str:
        """What a process has printed; to be called after `stop`."""
        self._logs[index].seek(0)
        return self._logs[index].read().decode("utf-8", errors="replace")


def _marked(mark: str) -> list[int]:
    """The processes of this machine with `mark` in their environment, as Linux shows it; a dead one has none."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:  # of another user, or gone
            continue
        if wanted in variables:
            found.append(int(folder.name))
    return found


def _signal(mark: str, groups: Sequence[int], force: bool) -> bool:
    """Send all of them SIGTERM, or SIGKILL if `force`; whether there was anyone."""
    if sys.platform == "win32":
        for group in groups:
            subprocess.run(["taskkill", "/T", "/F", "/PID", str(group)], capture_output=True, check=False)
        return False
    number = signal.SIGKILL if force else signal.SIGTERM
    linux = sys.platform == "linux"
    anyone = False
    for target in _marked(mark) if linux else groups:
        try:
            os.kill(target, number) if linux else os.killpg(target, number)
            anyone = True
        except (ProcessLookupError, PermissionError):  # it has ended
            pass
    return anyone


def _guard(mark: str) -> None:
    """Read the numbers of process groups until the input ends; then stop their processes."""
    groups = [int(line) for line in sys.stdin]
    begin = time.monotonic()
    force = False
    told = _signal(mark, groups, force)
    while told and time.monotonic() < begin + 2 * GRACE:
        time.sleep(0.05)
        if sys.platform == "linux" and not _marked(mark):
            return
        if force or time.monotonic() >= begin + GRACE:
            force = True
            told = _signal(mark, groups, force)


if __name__ == "__main__":
    _guard(sys.argv[1])
