"""Shows on a terminal what takes more than two seconds, with a table of what runs at the same time.

A process of its own draws: a thread here would keep the builder from copying itself to work on languages side by side
(`process_pool`). Run as a program, this file is that process.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

DELAY_SECONDS = 2.0
_TICK_SECONDS = 0.1


class Progress:
    """A line on the terminal at standard error, below a table if there are rows, from `delay` seconds on."""

    def __init__(self, delay: float = DELAY_SECONDS) -> None:
        # -P: modules of this directory must not stand in for those of the standard library.
        command = [sys.executable, "-P", str(Path(__file__).resolve()), str(delay)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def show(self, text: str, done: int = 0, total: int = 0, rows: Sequence[Sequence[str]] = ()) -> None:
        """Say what is being done; with `total` also how far it is, with `rows` what runs at the moment."""
        self._send({"text": text, "done": done, "total": total, "rows": rows})

    def pause(self) -> None:
        """Take the line away, until the next tick, so that other text can be printed."""
        self._send({"pause": True})

    def end(self) -> None:
        self._send({"end": True})
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _send(self, order: dict[str, object]) -> None:
        """Send an order and wait until it is carried out. A process that has gone is not missed."""
        if self._process.stdin is None or self._process.stdout is None or self._process.stdin.closed:
            return
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            self._process.stdout.readline()
        except BrokenPipeError:
            return


def _draw(delay: float) -> None:
    """Carry out orders from standard input, each answered with a line, until the last one or the parent's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then sends the last order
    start, parent, pending = time.monotonic(), os.getppid(), b""
    order: dict[str, Any] = {}
    line: _Line | None = None
    while os.getppid() == parent:
        ready, _, _ = select.select([sys.stdin.fileno()], [], [], _TICK_SECONDS)
        received = os.read(sys.stdin.fileno(), 65536) if ready else b""
        if ready and not received:
            break
        *orders, pending = (pending + received).split(b"\n")
        for written in orders:
            last: dict[str, Any] = json.loads(written)
            if line is not None and not last.get("text"):
                line.hide()
            os.write(sys.stdout.fileno(), b"\n")
            if last.get("end"):
                return
            order = last if last.get("text") else order
        if order and not ready and time.monotonic() - start >= delay:
            line = line or _Line(start)
            line.draw(order)
    if line is not None:
        line.hide()


class _Line:
    """The line: a spinner, what is being done, a bar where it is known how far, and the seconds since the start."""

    def __init__(self, start: float) -> None:
        from rich.console import Console, RenderableType
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Table

        class WithRows(Progress):
            rows: Sequence[Sequence[str]] = ()

            def get_renderables(self) -> Iterable[RenderableType]:
                if self.rows:
                    table = Table.grid(padding=(0, 2))
                    for row in self.rows:
                        table.add_row(*row)
                    yield table
                yield self.make_tasks_table(self.tasks)

        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        self._progress = WithRows(*columns, console=console, transient=True, auto_refresh=False)
        self._task = self._progress.add_task("", total=None)
        self._progress.tasks[0].start_time = self._progress.get_time() - (time.monotonic() - start)

    def draw(self, order: dict[str, Any]) -> None:
        self._progress.rows = order["rows"]
        self._progress.start()
        total, done = int(str(order["total"])), int(str(order["done"]))
        of = f" ({done} of {total})" if total else ""
        text = f"{order['text']}{of}"
        self._progress.update(self._task, description=text, completed=max(done - 1, 0), total=total or None)
        self._progress.refresh()

    def hide(self) -> None:
        self._progress.stop()


if __name__ == "__main__":
    _draw(float(sys.argv[1]))
