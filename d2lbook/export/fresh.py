"""What a finished book is made from: fresh results, and the time of its sources."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path

from d2lbook.config import Config
from d2lbook.execute.cache import Run
from d2lbook.execute.state import page_result
from d2lbook.library import KeptCode
from d2lbook.messages import BookError, Messages
from d2lbook.model import Book


def fresh_runs(
    book: Book, config: Config, tab: str, messages: Messages, pages: Collection[str] | None = None
) -> dict[str, Run]:
    """The frozen results of a framework by page; one that is stale or missing is an error. `pages`: only these."""
    runs: dict[str, Run] = {}
    kept = KeptCode()
    library = kept.fingerprint(book, config, tab)
    for page in book.pages if config.eval_notebook else ():
        document = page.document
        if pages is not None and document.name not in pages:
            continue
        if not kept.digest(document, tab, book.tabs).cells:
            continue
        try:
            state, run = page_result(document, tab, book, config, kept, library)
        except BookError as error:
            messages.extend(error.messages)
            continue
        if run is not None and state == "fresh":
            runs[document.name] = run
        else:
            text = f"the result for {tab} is {state}; run: make eval, or d2lbook eval {document.path} --tab {tab}"
            messages.error(document.path, 0, 0, text, f"result-{state}")
    return runs


def epoch(root: Path) -> int:
    """When the sources were committed, in seconds since 1970: the date of what is built. 0 without a history."""
    command = ["git", "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 0
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else 0
