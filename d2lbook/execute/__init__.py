"""Running pages and freezing what comes out: which results are fresh, stale or missing, and making them fresh."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.execute.board import Table
from d2lbook.execute.state import DeviceState, State, device_states, page_state, status
from d2lbook.execute.task import Scheduler
from d2lbook.model import Book, Document

__all__ = ["DeviceState", "State", "device_states", "evaluate", "page_state", "status"]


def evaluate(
    book: Book,
    config: Config,
    tabs: Sequence[str],
    pages: Sequence[str],
    force: bool,
    jobs: int,
    messages: Messages,
    report: Callable[[str], None],
    store: bool = True,
    documents: Sequence[Document] | None = None,
    scheduler: Scheduler | None = None,
    table: Table | None = None,
) -> bool:
    """As `schedule.evaluate`, which loads what runs kernels: the site is built without that."""
    from d2lbook.execute import schedule

    what = book, config, tabs, pages, force, jobs, messages
    return schedule.evaluate(*what, report, store, documents, scheduler, table)
