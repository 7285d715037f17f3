"""Which frozen results are fresh, stale or missing; needs no kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from d2lbook.config import Config
from d2lbook.diagnostics import BookError
from d2lbook.execute.frozen import Run, frozen_devices, load_run
from d2lbook.execute.key import kept_key, result_key
from d2lbook.execute.versions import Wanted, expected
from d2lbook.model import Book, Document, View
from d2lbook.view import make_view

State = Literal["fresh", "stale", "missing"]


def view_state(view: View, book: Book, config: Config) -> State:
    """Whether the CPU's frozen result of a page in a framework is what running it now would replace."""
    try:
        run = load_run(config.root, view.document.result_name, view.tab)
    except BookError:  # damaged: running the page replaces it
        return "stale"
    if run is None:
        return "missing"
    versions = expected(view.tab, config.root, run.produced.versions)
    return "fresh" if run.key == result_key(view, book, config, versions) else "stale"


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


def page_result(
    document: Document, wanted: Wanted, book: Book, config: Config, library: str
) -> tuple[State, Run | None]:
    """The CPU's frozen result of a page that has cells for a framework whose library has the fingerprint `library`.

    Raises BookError when the file is damaged.
    """
    run = load_run(config.root, document.result_name, wanted.tab)
    if run is None:
        return "missing", None
    versions = wanted.versions(run.produced.versions)
    key = kept_key(document, wanted.tab, book, config, versions, library)
    return "fresh" if run.key == key else "stale", run


def status(
    book: Book, config: Config, tabs: Sequence[str], documents: Iterable[Document] = ()
) -> list[tuple[str, str, State]]:
    """State of every page that has cells, in page order, and of `documents`, pages in another language with results
    of their own; nothing where `eval_notebook` is off."""
    if not config.eval_notebook:
        return []
    every = [*(page.document for page in book.pages), *documents]
    views = [make_view(document, tab, book.tabs) for document in every for tab in tabs]
    return [(view.document.result_name, view.tab, view_state(view, book, config)) for view in views if view.cells]
