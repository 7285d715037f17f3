"""Which pages have to run, and running them: several kernels at a time, each result kept as soon as it is there."""

from __future__ import annotations

import concurrent.futures
import datetime
import errno
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from d2lbook.config import Config
from d2lbook.execute.cache import Produced, Run, load_run, run_path, store_run
from d2lbook.execute.device import gpu_count
from d2lbook.execute.key import result_key
from d2lbook.execute.runner import PageError, run_view
from d2lbook.execute.versions import described, expected, installed, lacking
from d2lbook.messages import BookError, Messages
from d2lbook.model import Book, View
from d2lbook.view import make_view

State = Literal["fresh", "stale", "missing"]
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    view: View
    seconds: float  # of the last run, to start the longest first; 0 when there was none


def view_state(view: View, book: Book, config: Config) -> State:
    """Whether the CPU's frozen result of a page in a framework is what running it now would replace."""
    run = load_run(config.root, view.document.name, view.tab)
    if run is None:
        return "missing"
    versions = expected(view.tab, config.root, run.produced.versions)
    return "fresh" if run.key == result_key(view, book, config, versions) else "stale"


def status(book: Book, config: Config, tabs: Sequence[str]) -> list[tuple[str, str, State]]:
    """State of every page that has cells, in page order; nothing where `eval_notebook` is off."""
    if not config.eval_notebook:
        return []
    views = [make_view(page.document, tab, book.tabs) for page in book.pages for tab in tabs]
    return [(view.document.name, view.tab, view_state(view, book, config)) for view in views if view.cells]


def evaluate(
    book: Book, config: Config, tabs: Sequence[str], pages: Sequence[str], force: bool, jobs: int,
    messages: Messages, report: Report, store: bool = True,
) -> bool:  # fmt: skip
    """Runs the pages whose results are stale or missing, all with `force`; False when one failed.

    A failing page is reported with its place, and the others go on. Without `store` nothing is frozen.
    """
    queue = _queue(book, config, tabs, pages, force, messages, report)
    if not queue:
        return not messages.failed
    evaluation = _Evaluation(book, config, messages, report, store, len(queue))
    at_once = gpu_count() or jobs
    pool = concurrent.futures.ThreadPoolExecutor(at_once)
    try:
        done = [pool.submit(evaluation.run, job) for job in queue]
        succeeded = [future.result() for future in concurrent.futures.as_completed(done)]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    report(f"{sum(succeeded)} of {len(queue)} succeeded")
    return all(succeeded) and not messages.failed


def _queue(
    book: Book, config: Config, tabs: Sequence[str], pages: Sequence[str], force: bool, messages: Messages, report: Report
) -> list[Job]:
    queue: list[Job] = []
    for tab in tabs:
        missing = lacking(tab)
        views = [make_view(page.document, tab, book.tabs) for page in book.pages if page.document.name in pages]
        wanted = [view for view in views if view.cells and (force or view_state(view, book, config) != "fresh")]
        if missing and wanted:
            text = f"{len(wanted)} pages wait for {', '.join(missing)}, not installed here; run: make setup"
            messages.error(config.name_in_messages, config.line("build", "tabs"), 0, f"{tab}: {text}", "eval-not-installed")
            continue
        for view in wanted:
            run = load_run(config.root, view.document.name, tab)
            queue.append(Job(view, run.produced.seconds if run else 0.0))
    report(f"{len(queue)} to run")
    return sorted(queue, key=lambda job: -job.seconds)


class _Evaluation:
    """What the threads share; messages and progress are written by one at a time."""

    def __init__(
        self, book: Book, config: Config, messages: Messages, report: Report, store: bool, total: int
    ) -> None:
        self.book, self.config, self.messages, self.store = book, config, messages, store
        self.total, self.finished = total, 0
        self._report, self._lock = report, threading.Lock()

    def say(self, text: str) -> None:
        with self._lock:
            self._report(text)

    def run(self, job: Job) -> bool:
        view = job.view
        name = f"{view.document.name} [{view.tab}]"

        def progress(cell: int, cells: int, seconds: float) -> None:
            self.say(f"{name} cell {cell}/{cells} {seconds:.1f} s")

        start = time.monotonic()
        try:
            cells, device = run_view(view, self.config.root, self.config.time_limit, progress)
            seconds = round(time.monotonic() - start, 1)
            if self.store:
                date = datetime.datetime.now(datetime.UTC).date().isoformat()
                produced = Produced(described(view.tab), device.description, date, seconds)
                with self._lock:  # keys share the library's cache
                    key = result_key(view, self.book, self.config, installed(view.tab))
                store_run(self.config.root, view.document.name, view.tab, Run(key, cells, produced), device.kind)
        except PageError as error:
            return self._fail(view, error.line, f"[{view.tab}] {error.text}", error.code, error.details)
        except OSError as error:
            path = run_path(self.config.root, view.document.name, view.tab).relative_to(self.config.root)
            full = "; free some space and run it again" if error.errno == errno.ENOSPC else ""
            text = f"[{view.tab}] {path} cannot be written: {error.strerror}{full}; the older result stays"
            return self._fail(view, 0, text, "result-unwritable")
        except BookError as error:
            with self._lock:
                self.messages.extend(error.messages)
            return False
        self.finished += 1
        self.say(f"{name} done in {seconds:.0f} s ({self.finished}/{self.total})")
        return True

    def _fail(self, view: View, line: int, text: str, code: str, details: str = "") -> bool:
        with self._lock:
            self.messages.error(view.document.path, line, 0, text, code)
            self._report(f"{view.document.path}:{line}: {text}")
            if details:
                self._report(details)
        return False
