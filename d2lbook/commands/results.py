"""The commands `lib`, `eval` and `status`: libraries from marked cells, and frozen results."""

from __future__ import annotations

from d2lbook import library
from d2lbook.session import Session


def write_libraries(session: Session) -> bool:
    for path in library.write_libraries(session.book, session.config, session.tabs, session.messages):
        session.say(f"wrote {path}")
    return not session.messages.failed


def evaluate(session: Session) -> bool:
    known = set(session.messages.found)  # other pages' findings, when only some pages are asked for
    write_libraries(session)
    if any(message.level == "error" for message in session.messages.found - known):
        return False
    from d2lbook import execute

    arguments = session.arguments
    # English, and the pages of other languages whose printed strings are translated.
    every = [session.to_run(lang) if lang in session.translations else None for lang in session.languages]
    done = [
        execute.evaluate(
            session.book, session.config, session.tabs, session.pages, arguments.force, arguments.jobs,
            session.messages, session.say, store=not arguments.dry_run, documents=documents,
        )
        for documents in every
        if documents is None or documents
    ]  # fmt: skip
    return all(done)


def show_status(session: Session) -> bool:
    from d2lbook.execute import status

    documents = [document for lang in session.translations for document in session.to_run(lang)]
    shown = {*session.pages, *(document.result_name for document in documents if document.name in session.pages)}
    rows = [row for row in status(session.book, session.config, session.tabs, documents) if row[0] in shown]
    width = max((len(page) for page, _, _ in rows), default=0)
    for page, tab, state in rows:
        session.say(f"{page:<{width}}  {tab:<12}{state}")
    counts = {state: sum(row[2] == state for row in rows) for state in ("fresh", "stale", "missing")}
    session.say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["stale"] + counts["missing"] == 0
