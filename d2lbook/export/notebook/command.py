"""The command `ipynb`: notebooks of every page, framework and language, with and without outputs."""

from __future__ import annotations

from d2lbook.export.notebook.build import build
from d2lbook.session import Session


def run(session: Session) -> bool:
    solutions = not session.arguments.without_solutions
    for edition, found in session.each_edition():
        for with_outputs in (False, True):
            paths = build(
                edition.book,
                edition.config,
                session.tabs,
                found,
                with_outputs,
                solutions=solutions,
                pages=session.chosen,
            )
            if paths:
                kind = "with" if with_outputs else "without"
                session.say(f"{len(paths)} notebooks {kind} outputs in {paths[0].parent}")
    return not session.messages.failed
