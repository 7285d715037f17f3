"""Which frozen results are fresh, stale or missing; needs no kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from d2lbook.config import Config
from d2lbook.diagnostics import BookError
from d2lbook.execute.frozen import Run, frozen_devices, load_run
from d2lbook.execute.key import kept_key, result_key
from d2lbook.execute.versions import Wanted
from d2lbook.library import code_of
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

State = Literal["fresh", "stale", "missing"]


def page_state(document: Document, tab: str, book: Book, config: Config) -> State:
    """Whether the CPU's frozen result of a page in a framework is what running it now would replace."""
    try:
        return page_result(document, tab, book, config)[0]
    except BookError:  # damaged: running the page replaces it
        return "stale"


@dataclass(frozen=True, slots=True)
class DeviceState:
    """A frozen result of another device than the CPU."""

    page: str
    tab: str
    kind: str  # "cuda"
    state: State
    device: str  # its name, as "NVIDIA H100 80GB HBM3"; "" when the file is damaged
    date: str


def device_states(
    book: Book, config: Config, tabs: Sequence[str], documents: Iterable[Document] = ()
) -> list[DeviceState]:
    """The results that there are of other devices, in page order. Versions make none of them stale."""
    every = [*(page.document for page in book.pages), *documents]
    return [
        _device_state(make_view(document, tab, book.tabs), kind, book, config)
        for document in every
        for tab in tabs
        for kind in frozen_devices(config.root, document.result_name, tab)
    ]


def _device_state(view: View, kind: str, book: Book, config: Config) -> DeviceState:
    page = view.document.result_name
    try:
        run = load_run(config.root, page, view.tab, kind)
    except BookError:  # damaged
        run = None
    if run is None:
        return DeviceState(page, view.tab, kind, "stale", "", "")
    state: State = "fresh" if run.key == result_key(view, book, config, None) else "stale"
    return DeviceState(page, view.tab, kind, state, run.produced.device, run.produced.date)


@dataclass(frozen=True, slots=True)
class DeviceRun:
    """A frozen result of a page in a framework, from one kind of device."""

    kind: str  # "cpu", "cuda"
    state: State
    run: Run


def other_results(document: Document, tab: str, book: Book, config: Config) -> Iterator[DeviceRun]:
    """The results from other devices than the CPU. Raises BookError when a file is damaged."""
    for kind in frozen_devices(config.root, document.result_name, tab):
        run = load_run(config.root, document.result_name, tab, kind)
        if run is not None:
            key = kept_key(document, tab, book, config, None)
            yield DeviceRun(kind, "fresh" if run.key == key else "stale", run)


def page_result(document: Document, tab: str, book: Book, config: Config) -> tuple[State, Run | None]:
    """The CPU's frozen result of a page that has cells for a framework. Raises BookError when the file is damaged."""
    run = load_run(config.root, document.result_name, tab)
    if run is None:
        return "missing", None
    wanted: Wanted | None = book.memo.get(("wanted", tab))
    if wanted is None:
        wanted = book.memo["wanted", tab] = Wanted.now(tab, config.root)
    key = kept_key(document, tab, book, config, wanted.versions(run.produced.versions))
    return "fresh" if run.key == key else "stale", run


def status(
    book: Book, config: Config, tabs: Sequence[str], documents: Iterable[Document] = ()
) -> list[tuple[str, str, State]]:
    """State of every page that has cells, in page order, and of `documents`, pages in another language with results
    of their own; nothing where `eval_notebook` is off."""
    if not config.eval_notebook:
        return []
    every = [*(page.document for page in book.pages), *documents]
    code, views = code_of(book), ((document, tab) for document in every for tab in tabs)
    with_cells = (view for view in views if code.digest(*view, book.tabs).runs)
    return [(document.result_name, tab, page_state(document, tab, book, config)) for document, tab in with_cells]
