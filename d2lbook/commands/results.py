"""The commands `lib`, `eval` and `status`: libraries from marked cells, and frozen results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook import library
from d2lbook.diagnostics import error_at
from d2lbook.session import Session

if TYPE_CHECKING:
    from d2lbook.execute.task import Scheduler
    from d2lbook.model import Document


def write_libraries(session: Session) -> bool:
    _write_libraries(session, session.tabs)
    return not session.messages.failed


def _write_libraries(session: Session, tabs: Sequence[str]) -> None:
    tries = not session.arguments.no_import
    for path in library.write_libraries(session.book, session.config, tabs, session.messages, tries):
        session.say(f"wrote {path}")


def evaluate(session: Session) -> bool:
    known = set(session.messages.found)  # other pages' findings, when only some pages are asked for
    _write_libraries(session, [tab for tab in session.runs if tab in session.book.tabs])
    if any(message.level == "error" for message in session.messages.found - known):
        return False
    arguments = session.arguments
    if arguments.bundle or arguments.take:
        return _elsewhere(session)
    # English, and the pages of other languages whose printed strings are translated.
    every = [session.to_run(lang) if lang in session.translations else None for lang in session.languages]
    with _scheduler(session) as scheduler:
        done = [_run(session, documents, scheduler) for documents in every if documents is None or documents]
    session.forget_results()
    return all(done)


def _run(session: Session, documents: list[Document] | None, scheduler: Scheduler | None) -> bool:
    from d2lbook.execute import schedule

    arguments = session.arguments
    what = session.book, session.config, session.runs, session.pages, arguments.force, arguments.jobs, session.messages
    return schedule.evaluate(*what, session.say, not arguments.dry_run, documents, scheduler, session.table)


def _scheduler(session: Session) -> AbstractContextManager[Scheduler | None]:
    """The Dask cluster that was asked for; None for kernels of this machine."""
    arguments = session.arguments
    if not (arguments.dask or arguments.dask_local):
        return nullcontext()
    if arguments.dask and arguments.dask_local:
        raise error_at("--dask-local", 0, 0, "names another cluster than --dask; leave one of them out", "dask-address")
    from d2lbook.execute.dask import cluster

    return cluster(session.config, arguments.dask or "", arguments.dask_local or 0)


def _elsewhere(session: Session) -> bool:
    """What `eval` does for a machine that has no builder: packs what it needs, or freezes what it has sent back."""
    from d2lbook.execute import bundle

    arguments, what = session.arguments, (session.book, session.config, session.runs, session.pages)
    if arguments.bundle:
        wheels = Path(arguments.wheels) if arguments.wheels else None
        session.say(bundle.pack(*what, Path(arguments.bundle), arguments.size, wheels))
    if not arguments.take:
        return True
    session.forget_results()
    store = not arguments.dry_run
    return bundle.take(*what, Path(arguments.take), session.messages, session.say, store)


def show_status(session: Session) -> bool:
    from d2lbook.execute import device_states, status

    documents = [document for lang in session.translations for document in session.to_run(lang)]
    shown = {*session.pages, *(document.result_name for document in documents if document.name in session.pages)}
    rows = [row for row in status(session.book, session.config, session.runs, documents) if row[0] in shown]
    width = max((len(page) for page, _, _ in rows), default=0)
    for page, tab, state in rows:
        session.say(f"{page:<{width}}  {tab:<12}{state}")
    for found in device_states(session.book, session.config, session.runs, documents):
        if found.page in shown:
            made = ", ".join(filter(None, (found.kind, found.device, found.date)))
            session.say(f"{found.page:<{width}}  {found.tab:<12}{found.state}  {made}")
    counts = {state: sum(row[2] == state for row in rows) for state in ("fresh", "stale", "missing")}
    session.say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["stale"] + counts["missing"] == 0
