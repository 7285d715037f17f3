"""The commands that look at a book without running or building it: `check`, `tabcheck`, `outputcheck`."""

from __future__ import annotations

from d2lbook.check import check_book, check_everything, outputcheck, tabcheck
from d2lbook.commands.command import load
from d2lbook.commands.table import COMMANDS
from d2lbook.session import Session


def before_build(session: Session) -> bool:
    """Report what is wrong with the pages; whether a build may go on. Translations do not hold it up."""
    check_book(session.book, session.config, session.messages, session.kept.checked)
    return _passes(session)


def check(session: Session) -> bool:
    check_everything(session, [load(row.check) for row in COMMANDS if row.check])
    return _passes(session)


def _passes(session: Session) -> bool:
    """Whether no error stands in the way. An author at work on some pages is not held up by another's."""
    if not session.arguments.pages:
        return not session.messages.failed
    others = {page.document.path for page in session.book.pages if page.document.name not in session.pages}
    return not any(message.level == "error" and message.path not in others for message in session.messages)


def check_tabs(session: Session) -> bool:
    tabcheck(session.book, session.messages)
    return not session.messages.failed


def check_outputs(session: Session) -> bool:
    outputcheck(session.messages)
    return not session.messages.failed
