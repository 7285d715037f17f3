"""The commands that look at a book without running or building it: `check`, `tabcheck`, `outputcheck`."""

from __future__ import annotations

from d2lbook.check import check_book, outputcheck, tabcheck
from d2lbook.session import Session
from d2lbook.translate.edition import check_translations


def before_build(session: Session) -> bool:
    """Report what is wrong with the pages; whether a build may go on."""
    check_book(session.book, session.config, session.messages, session.kept.checked)
    if not session.arguments.pages:
        return not session.messages.failed
    # An author at work on one page is not held up by another's: its findings are reported all the same.
    others = {page.document.path for page in session.book.pages if page.document.name not in session.pages}
    return not any(message.level == "error" and message.path not in others for message in session.messages)


def check(session: Session) -> bool:
    """Check the translations, too; before a build they hold nothing up."""
    succeeded = before_build(session)
    check_translations(session.book, session.config, session.translations, session.messages, session.kept.translations)
    return succeeded and (bool(session.arguments.pages) or not session.messages.failed)


def check_tabs(session: Session) -> bool:
    tabcheck(session.book, session.messages)
    return not session.messages.failed


def check_outputs(session: Session) -> bool:
    outputcheck(session.messages)
    return not session.messages.failed
