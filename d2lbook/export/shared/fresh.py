"""What a finished book is made from: fresh results, and the time of its sources."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute.frozen import Run
from d2lbook.execute.state import page_result
from d2lbook.execute.versions import Wanted
from d2lbook.library import code_of
from d2lbook.model import Book, Document

EARLIEST = 315532800  # 1980-01-01: zip knows no time before
_LATEST = 2**32 - 1  # in 2106: gzip has four bytes for a date, zip ends in 2107
Runs = dict[tuple[str, str], Run]  # by page and framework


def frozen_runs(
    documents: Collection[Document],
    book: Book,
    config: Config,
    tabs: Iterable[str],
    messages: Messages,
    stale_ok: bool = False,
) -> Runs:
    """The frozen results of pages of a book. One that is missing or stale is an error and left out.

    With `stale_ok` it is none, and a stale one counts.
    """
    runs: Runs = {}
    for tab in tabs if config.eval_notebook and documents else ():
        wanted, code = Wanted.now(tab, config.root), code_of(book)
        library = code.fingerprint(book, config, tab)
        for document in documents:
            if not code.digest(document, tab, book.tabs).cells:
                continue
            try:
                state, run = page_result(document, wanted, book, config, library)
            except BookError as error:
                messages.extend(error.messages)
                continue
            if run is not None and (stale_ok or state == "fresh"):
                runs[document.name, tab] = run
            elif not stale_ok:
                text = f"the result for {tab} is {state}; run: make eval, or d2lbook eval {document.path} --tab {tab}"
                messages.error(document.path, 0, 0, text, f"result-{state}")
    return runs


def fresh_runs(
    book: Book, config: Config, tab: str, messages: Messages, pages: Collection[str] | None = None
) -> dict[str, Run]:
    """The frozen results of a framework by page; one that is stale or missing is an error. `pages`: only these."""
    documents = [page.document for page in book.pages if pages is None or page.document.name in pages]
    runs = frozen_runs(documents, book, config, (tab,), messages)
    return {name: run for (name, _), run in runs.items()}


def epoch(root: Path) -> int:
    """When the sources were committed, in seconds since 1970: the date of what is built. 0 without a history.

    A date that no archive can hold, which a wrong clock may have made, counts as the last one that they can.
    """
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return min(int(done.stdout), _LATEST) if done.returncode == 0 and done.stdout.strip().isdigit() else 0
