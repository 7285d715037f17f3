"""The commands `deploy` and `serve`: the book for readers, and for its author at work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from d2lbook.commands.command import load
from d2lbook.commands.table import COMMANDS
from d2lbook.session import Session


def offers() -> dict[str, Callable[..., Any]]:
    """What each format has for readers, in the table's order."""
    return {row.name: load(row.offer) for row in COMMANDS if row.offer}


def deploy(session: Session) -> bool:
    from d2lbook.export.deploy.command import deploy

    return deploy(session, offers())


def serve(session: Session) -> bool:
    from d2lbook.serve import serve

    session.messages.found.clear()  # `serve` reports them itself, each time it builds
    arguments = session.arguments
    serve(session.config, arguments.port, session.say, session.languages, arguments.eval, arguments.draft)
    return True
