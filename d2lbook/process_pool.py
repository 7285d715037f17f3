"""Work done side by side: each piece in a copy of this process, which knows all that was read so far."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection
from pathlib import Path
from typing import Any, Generic, TypeVar

from d2lbook.diagnostics import BookError, error_at

Result = TypeVar("Result")
FEW = 4  # pages, which are done before further processes would have started


def processors() -> int:
    """How many processes may be at work: one where a copy of this process could wait for ever.

    A copy has only the thread that made it. Locks that a library's own threads hold, as frameworks start them, stay
    locked in the copy. Python's threads, of which there are some while Jupyter or a debugger runs, are no better.
    """
    return 1 if _threads() > 1 else os.cpu_count() or 1


def _threads() -> int:
    """The threads of this process, those that Python does not know of included, where the system tells."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()


def run_all(works: Iterable[Callable[[], Result]], at_once: int) -> Iterator[Result]:
    """What each work returns, in their order; `at_once` of them run while the next ones are being prepared.

    BookError and OSError of a work are raised here. A work sees and changes a copy of everything but files: what it
    finds out is lost unless it returns it. Where processes cannot be copied (Windows), or with `at_once` of 1, all is
    done in this one.
    """
    if at_once < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (work() for work in works)
        return
    started: list[_Forked[Result]] = []
    try:
        for work in works:
            _wait(started, at_once)
            started.append(_Forked(work))
        yield from (forked.result() for forked in started)
    finally:
        for forked in started:
            forked.stop()


def _wait(started: Iterable[_Forked[Any]], at_once: int) -> None:
    """Returns when fewer than `at_once` are at work."""
    while len(running := [forked.receiver for forked in started if not forked.ended()]) >= at_once:
        connection.wait(running)


class _Forked(Generic[Result]):
    """A work in a process of its own. Its result may be larger than a pipe holds, so it is taken when it is there."""

    def __init__(self, work: Callable[[], Result]) -> None:
        context = multiprocessing.get_context("fork")
        self.receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_report, args=(work, sender))
        self._process.start()
        sender.close()  # only the process holds it now: its end is seen here
        self._results: list[Result] = []  # the one, when it is there
        self._error: Exception | None = None

    def ended(self) -> bool:
        if not self._received and self.receiver.poll():
            self._receive()
        return self._received

    def result(self) -> Result:
        if not self._received:
            self._receive()
        if self._error is not None:
            raise self._error
        return self._results[0]

    @property
    def _received(self) -> bool:
        return bool(self._results) or self._error is not None

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()
        self._process.close()
        self.receiver.close()

    def _receive(self) -> None:
        try:
            self._results, self._error = self.receiver.recv()
        except EOFError:
            self._process.join()
            what = f"a process that had a part of the work ended early, with status {self._process.exitcode}"
            hint = "where memory is short, build one language at a time: --lang"
            self._error = error_at("html", 0, 0, f"{what}; {hint}", "site-process")


def _report(work: Callable[[], object], sender: connection.Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all of them: the first one stops the others
    gc.disable()  # the copy is short-lived, and destructors of what it shares with this process are not its to run
    try:
        found: tuple[list[object], Exception | None] = [work()], None
    except (BookError, OSError) as error:  # with any other, this process prints it and ends
        found = [], error
    sender.send(found)
