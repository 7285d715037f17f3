"""What a Dask worker does for a page: it starts a kernel, a process of its own, and ends it in any case."""

from __future__ import annotations

import io
import os
import tempfile
import threading
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from distributed import Worker, get_worker
from distributed.comm.addressing import get_address_host

from d2lbook.execute.dask.seats import seats
from d2lbook.execute.device import available_cores, visible_gpus
from d2lbook.execute.kernel import Place
from d2lbook.execute.local import share_of
from d2lbook.execute.runner import Limits, run_task
from d2lbook.execute.task import Done, Failed, Task
from d2lbook.execute.versions import described, lacking

_LOOK_SECONDS = 0.25  # how often a task looks whether it is still wanted
_SOURCES = ".book"  # no page lies in a folder that begins so


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for all tasks of an evaluation."""

    topic: str  # of the events that tell how far a page is
    time_limit: float
    resources: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]
    threads: dict[str, int]  # of the workers on each host, together: as many tasks may run there at once
    tasks: int  # in all
    gpus: bool  # tasks have GPUs of their own


def packages_here(tab: str, packages: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """What of a framework a worker lacks, and the versions of what it has."""
    return lacking(tab, packages), described(tab, packages)


def run_there(task: Task, sources: bytes, terms: Terms) -> Done | Failed:
    """What came of a task on this worker. Raises `Stopped` when nobody wants it any more."""
    worker = get_worker()
    key = worker.get_current_task()

    def progress(cell: int, cells: int, seconds: float) -> None:
        worker.log_event(terms.topic, [task.title, worker.address, cell, cells, seconds])

    progress(0, len(task.cells), 0.0)
    if missing := lacking(task.tab, task.packages):  # a worker that came later than the first look
        return Failed(0, f"{', '.join(missing)} is not installed on {worker.address}", "eval-not-installed")
    directory = tempfile.TemporaryDirectory(prefix="d2lbook-", dir=worker.local_directory, ignore_cleanup_errors=True)
    with directory as name, _share(worker, task, terms) as (cores, gpus), _stop(worker, key) as stop:
        root = Path(name) / _SOURCES
        with zipfile.ZipFile(io.BytesIO(sources)) as archive:
            archive.extractall(root)
        place = Place(root, Path(name), task.page, terms.resources, cores, gpus, terms.variables)
        return run_task(task, place, Limits(terms.time_limit, stop), progress)


@contextmanager
def _share(worker: Worker, task: Task, terms: Terms) -> Generator[tuple[tuple[int, ...], tuple[str, ...]], None, None]:
    """The cores and the GPUs of a task: what other tasks on this machine do not have."""
    at_once = max(1, min(terms.tasks, terms.threads.get(get_address_host(worker.address), worker.state.nthreads)))
    known = visible_gpus() if terms.gpus else []
    with (
        seats([f"core-{number}" for number in range(at_once)], 1) as places,
        seats([f"gpu-{name}" for name in known], task.gpus) as cards,
    ):
        number = next((int(place.removeprefix("core-")) for place in places), None)
        cores = () if number is None else share_of(available_cores(), number, at_once)
        yield cores, tuple(card.removeprefix("gpu-") for card in cards)


@contextmanager
def _stop(worker: Worker, key: object) -> Generator[threading.Event, None, None]:
    """An event that is set when the task is cancelled: after Ctrl-C, or because whoever asked for it is gone."""
    stop, over = threading.Event(), threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            state = worker.state.tasks.get(key)
            if state is None or state.state == "cancelled" or worker.status.name in {"closing", "closed", "failed"}:
                stop.set()

    watcher = threading.Thread(target=look, name="d2lbook-watch", daemon=True)
    watcher.start()
    try:
        yield stop
    finally:
        over.set()
        watcher.join()


def environment_for_pages() -> tuple[tuple[str, str], ...]:
    """Variables that change what pages do, and so have to be those of whoever asks."""
    return (("D2L_SHORT", os.environ.get("D2L_SHORT", "")),)
