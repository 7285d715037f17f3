"""Every page runs from top to bottom in short mode; and what is frozen is fresh.

That every page ran in every framework, and not in short mode, its frozen results prove as long as they are fresh. So
the gate runs pages with one GPU pretended only, as `test_one_gpu.py` does.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from d2lbook.book import load_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.execute import status
from d2lbook.execute.frozen import load_run
from d2lbook.execute.schedule import evaluate
from d2lbook.model import Book
from d2lbook.view import make_view

ROOT = Path(__file__).parent.parent.parent
TABS = ("pytorch", "mxnet", "jax", "tensorflow")
FILES = [ROOT / "index.md", *ROOT.glob("chapter_*/*.md")]
PAGES = sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in FILES)


def load_own_book() -> tuple[Book, Config, Messages]:
    messages = Messages()
    config = load(ROOT / "config.ini", messages)
    return load_book(config, messages), config, messages


@functools.cache
def turns() -> dict[str, str]:
    """The framework in which a page runs where it runs in one only: the one whose results took the least time, while it
    has had no more than its share of the pages. Where it matters most is decided first. No page without cells."""
    book, _, _ = load_own_book()
    documents = {page.document.name: page.document for page in book.pages}
    seconds: dict[str, dict[str, float]] = {}
    for name in PAGES:
        if tabs := [tab for tab in book.tabs if make_view(documents[name], tab, book.tabs).cells]:
            seconds[name] = {tab: run.produced.seconds if (run := load_run(ROOT, name, tab)) else 0.0 for tab in tabs}
    share, rest = divmod(len(seconds), len(book.tabs))  # as many frameworks run one page more as there is a rest
    had, found = Counter[str](), dict[str, str]()
    for name, of_tabs in sorted(seconds.items(), key=_advantage):
        most = share + (sum(pages > share for pages in had.values()) < rest)
        found[name] = min(of_tabs, key=lambda tab: (had[tab] >= most, of_tabs[tab]))
        had[found[name]] += 1
    return found


def _advantage(page: tuple[str, dict[str, float]]) -> float:
    """The least seconds of a page to all of them: the smaller, the more it matters which framework runs it."""
    return min(page[1].values()) / (sum(page[1].values()) or 1.0)


@contextmanager
def own_cores() -> Iterator[int]:
    """Keeps to this process's share of the cores, if others run tests, too: frameworks that have a core each are faster
    than those that take turns at all of them. How many cores there are then."""
    cores = sorted(os.sched_getaffinity(0))
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    own = cores[number % len(cores) :: int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))]
    os.sched_setaffinity(0, own)
    try:
        yield len(own)
    finally:
        os.sched_setaffinity(0, cores)


def run_short(tab: str, pages: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("D2L_SHORT", "1")
    if tab == "jax":  # a short run takes longer to compile than to compute: machine code need not be good
        monkeypatch.setenv("XLA_FLAGS", "--xla_backend_optimization_level=0")
    book, config, messages = load_own_book()
    lines: list[str] = []
    with own_cores() as cores:
        succeeded = evaluate(book, config, (tab,), pages, True, min(cores, 2), messages, lines.append, store=False)
    told = "\n".join([*lines, *map(str, messages)])  # whole: what a process printed last says why it ended
    assert succeeded and not messages, told


def test_all_pages_are_dealt_out_evenly() -> None:
    book, _, _ = load_own_book()
    assert {page.document.name for page in book.pages} == set(PAGES)
    lists = {page.document.name for page in book.pages if page.children}
    assert set(PAGES) - turns().keys() == {*lists, "chapter_computation/api"}
    dealt = Counter(turns().values())
    assert dealt.keys() == set(TABS) and max(dealt.values()) - min(dealt.values()) <= 1


@pytest.mark.pages
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("tab", TABS)
def test_every_page_runs(tab: str, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_short(tab, (page,), monkeypatch)


def test_frozen_results_are_fresh_in_every_framework() -> None:
    book, config, _ = load_own_book()
    assert book.tabs == TABS
    assert [row for row in status(book, config, book.tabs) if row[2] != "fresh"] == []
