"""Which pages have to run, and running them by a scheduler, each result frozen as soon as it is there."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages, to_install
from d2lbook.execute.board import Board, Table
from d2lbook.execute.frozen import Produced, Run, load_run, run_path, store_run
from d2lbook.execute.key import result_key
from d2lbook.execute.local import Local
from d2lbook.execute.state import page_state
from d2lbook.execute.task import Done, Failed, Machine, Scheduler, Task
from d2lbook.execute.versions import different, pinned
from d2lbook.library import surroundings
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Job:
    view: View
    task: Task


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
    scheduler: Scheduler | None = None,
    table: Table | None = None,
) -> bool:
    """Runs the pages whose results are stale or missing, all with `force`; False when one failed.

    `jobs` kernels run at a time; on a machine with GPUs, one per GPU; with a `scheduler`, as many as that has places. A
    failing page is reported with its place, and the others go on. A result is frozen as soon as its page is done, none
    without `store`. On an interrupt the running pages are given up and what was finished stays. `documents`: pages in
    another language, whose strings are translated, to run in place of the book's. With a `table` that is shown, cells
    are told to that instead of reported.
    """
    if store and os.environ.get("D2L_SHORT"):
        text = "D2L_SHORT is set, and short results are not kept; unset it, or add --dry-run"
        messages.error(config.name_in_messages, 0, 0, text, "eval-short")
        return False
    known = set(messages.found)
    if documents is None:
        documents = [page.document for page in book.pages]
    scheduler = scheduler or Local(config, jobs)
    waiting = _Queue(book, config, messages, report, store, scheduler).jobs(documents, tabs, pages, force)
    report(f"{len(waiting)} to run")
    if not waiting:
        return messages.found <= known
    board = Board(report, len(waiting), table)
    freezing = _Freezing(book, config, messages, board, store)
    views = {job.task: job.view for job in waiting}
    with contextlib.closing(scheduler.run([job.task for job in waiting], board.watch)) as outcomes:
        succeeded = sum(freezing.take(views[task], task, outcome) for task, outcome in outcomes)
    report(f"{succeeded} of {len(waiting)} succeeded")
    return succeeded == len(waiting) and messages.found <= known


@dataclass(frozen=True, slots=True)
class _Queue:
    book: Book
    config: Config
    messages: Messages
    report: Report
    store: bool
    scheduler: Scheduler

    def jobs(self, documents: Sequence[Document], tabs: Sequence[str], pages: Sequence[str], force: bool) -> list[Job]:
        """What has to run, the longest first."""
        wanted = [document for document in documents if document.name in pages]
        found = [job for tab in tabs for job in self._of_tab(wanted, tab, force)]
        return sorted(found, key=lambda job: -job.task.expected)

    def _of_tab(self, documents: Sequence[Document], tab: str, force: bool) -> list[Job]:
        views = [view for document in documents if (view := make_view(document, tab, self.book.tabs)).own]
        wanted = [
            view for view in views if force or page_state(view.document, view.tab, self.book, self.config) != "fresh"
        ]
        if not wanted:
            return []
        imported = surroundings(self.book, self.config, tab).packages
        machines = self.scheduler.machines(tab, imported)
        if text := next((_lacking(machine) for machine in machines if machine.lacking), ""):
            count = f"{len(wanted)} page{'s' if len(wanted) > 1 else ''}"
            line = self.config.line("build", "tabs")
            what = f"{tab}: {count} cannot run without {text}"
            self.messages.error(self.config.name_in_messages, line, 0, what, "eval-not-installed")
            return []
        if self.store:
            self._tell_stale(tab, machines)
        return [Job(view, Task.of(view, imported, self._last_seconds(view))) for view in wanted]

    def _tell_stale(self, tab: str, machines: Sequence[Machine]) -> None:
        pins = pinned(self.config.root)
        found = {(name, *pair) for machine in machines for name, pair in different(machine.versions, pins).items()}
        for name, here, pin in sorted(found):
            self.report(f"{tab}: {name} {here} is installed, {pin} pinned: these results will count as stale")

    def _last_seconds(self, view: View) -> float:
        try:
            run = load_run(self.config.root, view.document.result_name, view.tab)
        except BookError:
            return 0.0
        return run.produced.seconds if run else 0.0


def _lacking(machine: Machine) -> str:
    names = ", ".join(machine.lacking)
    return (
        f"{names} on {machine.name}; install it there"
        if machine.name
        else f"{names}; run: {to_install(*machine.lacking)}"
    )


@dataclass(frozen=True, slots=True)
class _Freezing:
    """Keeps what came of pages."""

    book: Book
    config: Config
    messages: Messages
    board: Board
    store: bool

    def take(self, view: View, task: Task, outcome: Done | Failed) -> bool:
        """Whether the page has run to its end and its result is kept."""
        if isinstance(outcome, Failed):
            return self._fail(view, task, outcome)
        try:
            if self.store:
                self._freeze(view, outcome)
        except OSError as error:
            return self._fail(view, task, Failed(0, self._unwritable(view, error), "result-unwritable"))
        except BookError as error:
            self.messages.extend(error.messages)
            self.board.end(task.title)
            return False
        self.board.done(task.title, outcome.seconds)
        return True

    def _freeze(self, view: View, outcome: Done) -> None:
        date = datetime.datetime.now(datetime.UTC).date().isoformat()
        packages = {name: version for name, version in outcome.versions.items() if name != "python"}
        key = result_key(view, self.book, self.config, packages if outcome.device.kind == "cpu" else None)
        produced = Produced(outcome.versions, outcome.device.description, date, outcome.seconds)
        run = Run(key, outcome.cells, produced)
        store_run(self.config.root, view.document.result_name, view.tab, run, outcome.device.kind)

    def _unwritable(self, view: View, error: OSError) -> str:
        path = run_path(self.config.root, view.document.result_name, view.tab).relative_to(self.config.root).as_posix()
        full = "; free some space and run it again" if error.errno == errno.ENOSPC else ""
        return f"{path} cannot be written: {error.strerror}{full}; the older result stays"

    def _fail(self, view: View, task: Task, why: Failed) -> bool:
        self.board.end(task.title)
        self.messages.error(view.document.path, why.line, 0, f"{view.tab}: {why.text}", why.code)
        self.board.say(f"{view.document.path}:{why.line}: {view.tab}: {why.text}")
        if why.details:
            self.board.say(why.details)
        return False
