"""Which pages have to run, and running them: several kernels at a time, each result kept as soon as it is there."""

from __future__ import annotations

import concurrent.futures
import datetime
import errno
import os
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute.device import available_cores, gpu_count
from d2lbook.execute.frozen import Produced, Run, load_run, run_path, store_run
from d2lbook.execute.kernel import Place
from d2lbook.execute.key import result_key
from d2lbook.execute.runner import Limits, PageError, Stopped, run_view
from d2lbook.execute.state import view_state
from d2lbook.execute.versions import described, different, installed, lacking
from d2lbook.library import surroundings
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    view: View
    seconds: float  # of the last run, to start the longest first; 0 when there was none


def evaluate(
    book: Book,
    config: Config,
    tabs: Sequence[str],
    pages: Sequence[str],
    force: bool,
    jobs: int,
    messages: Messages,
    report: Report,
    store: bool = True,
    documents: Sequence[Document] | None = None,
) -> bool:
    """Runs the pages whose results are stale or missing, all with `force`; False when one failed.

    `jobs` kernels run at a time; on a machine with GPUs, one per GPU. A failing page is reported with its place, and
    the others go on. A result is frozen as soon as its page is done, none without `store`. On an interrupt the
    running pages are given up and what was finished stays. `documents`: pages in another language, whose strings are
    translated, to run in place of the book's.
    """
    if store and os.environ.get("D2L_SHORT"):
        text = "D2L_SHORT is set, and short results are not kept; unset it, or add --dry-run"
        messages.error(config.name_in_messages, 0, 0, text, "eval-short")
        return False
    known = set(messages.found)
    if documents is None:
        documents = [page.document for page in book.pages]
    waiting = _Queue(book, config, messages, report, store).jobs(documents, tabs, pages, force)
    report(f"{len(waiting)} to run")
    if not waiting:
        return messages.found <= known
    evaluation = _Evaluation(book, config, messages, report, store, len(waiting), jobs)
    succeeded = evaluation.run_all(waiting)
    report(f"{succeeded} of {len(waiting)} succeeded")
    return succeeded == len(waiting) and messages.found <= known


@dataclass(frozen=True, slots=True)
class _Queue:
    book: Book
    config: Config
    messages: Messages
    report: Report
    store: bool

    def jobs(self, documents: Sequence[Document], tabs: Sequence[str], pages: Sequence[str], force: bool) -> list[Job]:
        """What has to run, the longest first."""
        wanted = [document for document in documents if document.name in pages]
        found = [job for tab in tabs for job in self._of_tab(wanted, tab, force)]
        return sorted(found, key=lambda job: -job.seconds)

    def _of_tab(self, documents: Sequence[Document], tab: str, force: bool) -> list[Job]:
        views = [view for document in documents if (view := make_view(document, tab, self.book.tabs)).cells]
        wanted = [view for view in views if force or view_state(view, self.book, self.config) != "fresh"]
        imported = surroundings(self.book, self.config, tab).packages if wanted else ()
        if wanted and (missing := lacking(tab, imported)):
            count = f"{len(wanted)} page{'s' if len(wanted) > 1 else ''}"
            text = f"{tab}: {count} cannot run without {', '.join(missing)}; run: make setup"
            line = self.config.line("build", "tabs")
            self.messages.error(self.config.name_in_messages, line, 0, text, "eval-not-installed")
            return []
        if wanted and self.store:
            for name, (here, pin) in different(tab, self.config.root, imported).items():
                self.report(f"{tab}: {name} {here} is installed, {pin} pinned: these results will count as stale")
        return [Job(view, self._last_seconds(view)) for view in wanted]

    def _last_seconds(self, view: View) -> float:
        try:
            run = load_run(self.config.root, view.document.result_name, view.tab)
        except BookError:
            return 0.0
        return run.produced.seconds if run else 0.0


class _Evaluation:
    """What the threads share; messages and progress are written by one at a time."""

    def __init__(
        self, book: Book, config: Config, messages: Messages, report: Report, store: bool, total: int, jobs: int
    ) -> None:
        self.book, self.config, self.messages, self.store = book, config, messages, store
        self.total, self.finished = total, 0
        self._report, self._lock, self._stop = report, threading.Lock(), threading.Event()
        self._gpus = gpu_count()
        self.at_once = min(total, self._gpus or jobs)
        self._slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(self.at_once):
            self._slots.put(slot)

    def run_all(self, jobs: Sequence[Job]) -> int:
        """How many of the jobs succeeded."""
        pool = concurrent.futures.ThreadPoolExecutor(self.at_once)
        try:
            running = [pool.submit(self._run, job) for job in jobs]
            return sum(future.result() for future in concurrent.futures.as_completed(running))
        finally:
            self._stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _run(self, job: Job) -> bool:
        view, slot = job.view, self._slots.get()
        try:
            self._run_page(view, slot)
        except Stopped:
            return False
        except PageError as error:
            return self._fail(view, error.line, error.text, error.code, error.details)
        except OSError as error:
            return self._fail(view, 0, self._unwritable(view, error), "result-unwritable")
        except BookError as error:
            with self._lock:
                self.messages.extend(error.messages)
            return False
        finally:
            self._slots.put(slot)
        return True

    def _run_page(self, view: View, slot: int) -> None:
        name = f"{view.document.result_name} [{view.tab}]"

        def progress(cell: int, cells: int, seconds: float) -> None:
            self._say(f"{name} cell {cell}/{cells} {seconds:.1f} s")

        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="d2lbook-", ignore_cleanup_errors=True) as directory:
            place = self._place(view, slot, Path(directory))
            cells, device = run_view(view, place, Limits(self.config.time_limit, self._stop), progress)
        seconds = round(time.monotonic() - start, 1)
        if self.store:
            date = datetime.datetime.now(datetime.UTC).date().isoformat()
            with self._lock:  # keys share the library's cache
                imported = surroundings(self.book, self.config, view.tab).packages
                versions = installed(view.tab, imported) if device.kind == "cpu" else None
                key = result_key(view, self.book, self.config, versions)
            produced = Produced(described(view.tab, imported), device.description, date, seconds)
            store_run(self.config.root, view.document.result_name, view.tab, Run(key, cells, produced), device.kind)
        with self._lock:
            self.finished += 1
        self._say(f"{name} done in {seconds:.0f} s ({self.finished}/{self.total})")

    def _place(self, view: View, slot: int, directory: Path) -> Place:
        # Each kernel sees all GPUs, its own first: pages that use one are spread, pages that use several find them.
        gpus = tuple((slot + number) % self._gpus for number in range(self._gpus)) if self._gpus > 1 else ()
        cores = available_cores()
        share = cores[slot :: self.at_once] or cores[slot % len(cores) :][:1]
        return Place(self.config.root, directory, view.document.name, self.config.resources, share, gpus)

    def _unwritable(self, view: View, error: OSError) -> str:
        path = run_path(self.config.root, view.document.result_name, view.tab).relative_to(self.config.root).as_posix()
        full = "; free some space and run it again" if error.errno == errno.ENOSPC else ""
        return f"{path} cannot be written: {error.strerror}{full}; the older result stays"

    def _say(self, text: str) -> None:
        with self._lock:
            self._report(text)

    def _fail(self, view: View, line: int, text: str, code: str, details: str = "") -> bool:
        with self._lock:
            self.messages.error(view.document.path, line, 0, f"{view.tab}: {text}", code)
            self._report(f"{view.document.path}:{line}: {view.tab}: {text}")
            if details:
                self._report(details)
        return False
