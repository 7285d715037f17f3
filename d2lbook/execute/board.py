"""How far an evaluation is: as a table where there is a terminal to show it, as lines elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from d2lbook.execute.task import Step

# Shows rows of texts, and how many pages are done of how many; False where nothing can be shown.
Table = Callable[[Sequence[Sequence[str]], int, int], bool]


class Board:
    """What runs at the moment. Schedulers call it from their own threads; it takes one call at a time."""

    def __init__(self, report: Callable[[str], None], total: int, table: Table | None = None) -> None:
        self._report, self._total, self._table = report, total, table
        self._finished = 0
        self._running: dict[str, Step] = {}
        self._ended: set[str] = set()
        self._lock = threading.Lock()

    def watch(self, step: Step) -> None:
        """A page has begun, or a cell of it is done. What comes late, after the page's end, does not count."""
        with self._lock:
            if step.task in self._ended:
                return
            before, self._running[step.task] = self._running.get(step.task), step
            shown = self._show()
            where = f" on {step.where}" if step.where else ""
            if not step.cell and before is not None and before.where != step.where:
                self._report(f"{step.task} begins again{where}: {before.where} is gone")
            elif step.cell and not shown:
                self._report(f"{step.task} cell {step.cell}/{step.cells} {step.seconds:.1f} s{where}")

    def done(self, task: str, seconds: float) -> None:
        with self._lock:
            self._finished += 1
            self._end(task)
            self._report(f"{task} done in {seconds:.0f} s ({self._finished}/{self._total})")

    def end(self, task: str) -> None:
        """A page that failed runs no more."""
        with self._lock:
            self._end(task)

    def say(self, text: str) -> None:
        with self._lock:
            self._report(text)

    def _end(self, task: str) -> None:
        self._ended.add(task)
        self._running.pop(task, None)
        self._show()

    def _show(self) -> bool:
        rows = [
            (step.task, step.where, f"{step.cell}/{step.cells}", f"{step.seconds:.1f} s" if step.cell else "")
            for step in self._running.values()
        ]
        return self._table is not None and self._table(rows, len(self._ended), self._total)
