"""The command `ipynb`: notebooks of every page, framework and language, with and without outputs."""

from __future__ import annotations

from d2lbook.export.notebook.build import build
from d2lbook.session import Session


def run(session: Session) -> bool:
    solutions = not session.arguments.without_solutions
    for context in session.each_language():
        for with_outputs in (False, True):
            paths = build(context, with_outputs, solutions, session.chosen)
            if paths:
                kind = "with" if with_outputs else "without"
                session.say(f"{len(paths)} notebooks {kind} outputs in {paths[0].parent}")
    return not session.messages.failed
