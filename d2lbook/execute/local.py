"""Runs tasks in kernels of this machine, several at a time."""

from __future__ import annotations

import concurrent.futures
import queue
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.execute.device import available_cores, gpu_count
from d2lbook.execute.kernel import Place
from d2lbook.execute.runner import Limits, Stopped, run_task
from d2lbook.execute.task import Done, Failed, Machine, Outcomes, Step, Task, Watch
from d2lbook.execute.versions import described, lacking


@dataclass(frozen=True, slots=True)
class Local:
    """The scheduler of this machine: `jobs` kernels at a time, one per GPU where there are any."""

    config: Config
    jobs: int

    def machines(self, tab: str, packages: Sequence[str]) -> list[Machine]:
        return [Machine("", tuple(lacking(tab, packages)), described(tab, packages))]

    def run(self, tasks: Sequence[Task], watch: Watch) -> Outcomes:
        places = _Places(self.config, min(len(tasks), gpu_count() or self.jobs))
        pool = concurrent.futures.ThreadPoolExecutor(places.at_once)
        try:
            running = {pool.submit(places.run, task, watch): task for task in tasks}
            for future in concurrent.futures.as_completed(running):
                if (outcome := future.result()) is not None:
                    yield running[future], outcome
        finally:
            places.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


class _Places:
    """The places for kernels, each with its cores and its first GPU."""

    def __init__(self, config: Config, at_once: int) -> None:
        self.config, self.at_once, self.stop = config, at_once, threading.Event()
        self._gpus = gpu_count()
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(at_once):
            self._free.put(number)

    def run(self, task: Task, watch: Watch) -> Done | Failed | None:
        """What came of a task; None when it was stopped."""

        def progress(cell: int, cells: int, seconds: float) -> None:
            watch(Step(task.title, "", cell, cells, seconds))

        number = self._free.get()
        try:
            with tempfile.TemporaryDirectory(prefix="d2lbook-", ignore_cleanup_errors=True) as directory:
                place = self._place(task, number, Path(directory))
                progress(0, len(task.cells), 0.0)
                return run_task(task, place, Limits(self.config.time_limit, self.stop), progress)
        except Stopped:
            return None
        finally:
            self._free.put(number)

    def _place(self, task: Task, number: int, directory: Path) -> Place:
        # Each kernel sees all GPUs, its own first: pages that use one are spread, pages that use several find them.
        gpus = tuple(str((number + more) % self._gpus) for more in range(self._gpus)) if self._gpus > 1 else ()
        cores = share_of(available_cores(), number, self.at_once)
        return Place(self.config.root, directory, task.page, self.config.resources, cores, gpus)


def share_of(cores: Sequence[int], number: int, at_once: int) -> tuple[int, ...]:
    """The cores of kernel `number` of so many at once: as many as the others have, and one at least."""
    return tuple(cores[number::at_once] or cores[number % len(cores) :][:1])
