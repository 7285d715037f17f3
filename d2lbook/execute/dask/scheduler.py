"""Gives tasks to a Dask cluster and takes what comes of them."""

from __future__ import annotations

import contextlib
import io
import queue
import time
import uuid
import zipfile
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from distributed import Client, Future, KilledWorker
from distributed.comm.addressing import get_address_host

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, error_at
from d2lbook.execute.dask.worker import Terms, environment_for_pages, packages_here, run_there
from d2lbook.execute.sources import sources
from d2lbook.execute.task import Done, Failed, Machine, Outcomes, Step, Task, Watch

_LOOK_SECONDS = 1.0  # how often the cluster is looked at while nothing comes
_PATIENCE = 30.0  # seconds without any worker: a nanny has started another by then


@dataclass(frozen=True, slots=True)
class Dask:
    """The scheduler of a cluster: as many pages at a time as its workers have threads, or GPUs where they have any."""

    config: Config
    client: Client

    def machines(self, tab: str, packages: Sequence[str]) -> list[Machine]:
        found = self.client.run(packages_here, tab, list(packages))
        return [Machine(name, tuple(lacking), versions) for name, (lacking, versions) in sorted(found.items())]

    def run(self, tasks: Sequence[Task], watch: Watch) -> Outcomes:
        return _Running(self, tasks, watch).outcomes()

    def workers(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return found


class _Running:
    def __init__(self, dask: Dask, tasks: Sequence[Task], watch: Watch) -> None:
        self._dask, self._client, self._tasks, self._watch = dask, dask.client, tasks, watch
        self._came: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._waiting: dict[str, tuple[Future, Task]] = {}
        self._later: deque[Task] = deque()  # given to the cluster when a seat is free
        self._alone_since = 0.0  # when the last worker went
        self._gpus = 0  # that a worker has at most; 0: pages get none of their own

    def outcomes(self) -> Outcomes:
        workers = self._dask.workers()
        self._gpus = max((int(worker["resources"].get("GPU", 0)) for worker in workers.values()), default=0)
        with self._events() as topic:
            yield from self._refused()
            give = self._giver(self._terms(topic, workers))
            try:
                while self._waiting or self._later:
                    self._fill(give)
                    if (future := self._next()) is not None:
                        _, task = self._waiting.pop(future.key)
                        yield task, self._outcome(future, task)
            finally:  # workers stop what nobody waits for
                with contextlib.suppress(Exception):  # the cluster may be gone
                    self._client.cancel([future for future, _ in self._waiting.values()], force=True)

    def _asks_too_much(self, task: Task) -> bool:
        return 0 < self._gpus < task.gpus

    def _refused(self) -> Outcomes:
        """Pages that ask for more GPUs than any worker has, where workers have some."""
        for task in self._tasks:
            if self._asks_too_much(task):
                what = f"asks for {task.gpus} GPUs, and no worker has more than {self._gpus}"
                how = f"start one with: dask worker --resources GPU={task.gpus}"
                yield task, Failed(0, f"{what}; {how}", "dask-resource")

    def _terms(self, topic: str, workers: dict[str, Any]) -> Terms:
        threads: Counter[str] = Counter()
        for address, worker in workers.items():
            threads[get_address_host(address)] += worker["nthreads"]
        config = self._dask.config
        about = topic, config.time_limit, config.resources, environment_for_pages()
        return Terms(*about, dict(threads), len(self._tasks), self._gpus > 0)

    def _fill(self, give: Callable[[Task], Future]) -> None:
        """Give the cluster as many pages as it has seats.

        Given all at once, it would divide them by times that it cannot know: of six, one worker may get four.
        """
        free = self._seats() - len(self._waiting) if self._later else 0
        for _ in range(min(free, len(self._later))):
            task = self._later.popleft()
            future = give(task)
            self._waiting[future.key] = future, task
            future.add_done_callback(self._came.put)

    def _seats(self) -> int:
        """How many pages may run at a time: as many as there are threads, one at least. Raises BookError."""
        try:
            workers = self._dask.workers().values()
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        return max(sum(int(worker["nthreads"]) for worker in workers), 1)

    def _giver(self, terms: Terms) -> Callable[[Task], Future]:
        """What submits a task, the sources with it. Pages that some worker can run wait for their turn."""
        tabs = sorted({task.tab for task in self._tasks})
        found = sources(self._dask.config, tabs, (cell.code for task in self._tasks for cell in task.cells))
        # A task's result, not data of a worker's: Dask makes it again when its worker goes.
        packed = self._client.submit(bytes, _zipped(found), pure=False)
        self._later.extend(task for task in self._tasks if not self._asks_too_much(task))

        def give(task: Task) -> Future:
            named = {"key": f"{task.title} {terms.topic}", "priority": task.expected, "retries": 1, "pure": False}
            resources = {"GPU": task.gpus} if self._gpus else None
            return self._client.submit(run_there, task, packed, terms, resources=resources, **named)

        return give

    def _next(self) -> Future | None:
        """The next future that came to an end, None while there is none. Raises BookError when none will."""
        try:
            return self._came.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            pass
        if self._client.status != "running":
            raise self._lost()
        if self._has_worker():
            self._alone_since = 0.0
        elif not self._alone_since:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > _PATIENCE:
            what = f"no worker is left that could run them, for {_PATIENCE:.0f} s; start one and run it again"
            what = (
                f"{len(self._waiting) + len(self._later)} of the pages did not run: {what}; what was finished is kept"
            )
            raise error_at("--dask", 0, 0, what, "dask-no-worker")
        return None

    def _has_worker(self) -> bool:
        """Whether some page that has not run could run on some worker."""
        try:
            workers = self._dask.workers().values()
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        needed = min(task.gpus for _, task in self._waiting.values()) if self._gpus else 0
        return any(worker["resources"].get("GPU", 0) >= needed for worker in workers)

    def _outcome(self, future: Future, task: Task) -> Done | Failed:
        if future.status == "finished":
            outcome = future.result()
            return outcome if _is_of(outcome, task) else Failed(0, "came back as another page's result", "dask-failed")
        if future.status in {"cancelled", "lost"}:
            raise self._lost()
        error = future.exception()
        if isinstance(error, KilledWorker):
            what = f"its worker died {error.allowed_failures + 1} times while it ran, {error.last_worker.address} last"
            return Failed(0, f"{what}; look for too little memory there", "dask-worker-died")
        return Failed(0, f"could not be run on a worker: {type(error).__name__}: {error}", "dask-failed")

    def _lost(self) -> BookError:
        what = "the cluster is gone, and the pages that ran on it; start it and run it again: what was finished is kept"
        return error_at("--dask", 0, 0, what, "dask-lost")

    @contextlib.contextmanager
    def _events(self) -> Generator[str, None, None]:
        """The topic under which workers tell how far a page is."""
        topic = f"d2lbook-{uuid.uuid4().hex}"

        def hear(event: tuple[float, Sequence[Any]]) -> None:
            title, where, cell, cells, seconds = event[1]
            self._watch(Step(title, where, cell, cells, seconds))

        self._client.subscribe_topic(topic, hear)
        try:
            yield topic
        finally:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self._client.unsubscribe_topic(topic)


def _is_of(outcome: object, task: Task) -> TypeGuard[Done | Failed]:
    """Whether it is what can come of a task."""
    if isinstance(outcome, Done):
        return [cell.hash for cell in outcome.cells] == [cell.hash for cell in task.cells]
    return isinstance(outcome, Failed)


def _zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return data.getvalue()
