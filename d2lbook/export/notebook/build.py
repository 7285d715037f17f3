"""Notebooks: one per page and framework, with the figures they show, in a directory per framework."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from d2lbook.book.assets import IMAGE, assets_of
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import Run
from d2lbook.export.notebook.maker import NotebookMaker
from d2lbook.export.notebook.markdown import PageMarkdown
from d2lbook.export.shared.api import Api, api_of
from d2lbook.export.shared.figures import resolve_colours, safe_svg
from d2lbook.export.shared.fresh import fresh_runs
from d2lbook.files import read_text, remove_others, write_atomic
from d2lbook.model import Book, Page, View, walk
from d2lbook.security.inside import book_file
from d2lbook.view import make_view


def directory(config: Config, with_outputs: bool = False, solutions: bool = True) -> Path:
    """Where the directories of the frameworks are: `_build/ipynb/en`, `_build/ipynb-with-outputs/en` and the like."""
    name = "ipynb" + ("-with-outputs" if with_outputs else "") + ("" if solutions else "-without-solutions")
    return config.output_dir / name / config.lang


def notebook_path(config: Config, tab: str, page: str, with_outputs: bool = False, solutions: bool = True) -> Path:
    return directory(config, with_outputs, solutions) / tab / f"{page}.ipynb"


def build(
    book: Book,
    config: Config,
    tabs: Iterable[str],
    messages: Messages,
    with_outputs: bool,
    solutions: bool = True,
    pages: Collection[str] = (),
) -> list[Path]:
    """Writes a notebook per page and framework; the paths of all that are up to date now.

    With outputs, a page whose frozen result is missing or stale is an error and its older notebook stays. What an
    earlier build left in these directories and the book no longer has is removed. Without `solutions` they are for a
    class; with `pages`, the names of some, the others stay as they are.
    """
    makers = [_Tab(book, config, tab, messages, with_outputs, solutions, pages) for tab in tabs]
    return [path for maker in makers for path in maker.build()]


@dataclass(frozen=True, slots=True)
class _Tab:
    """The notebooks of one framework."""

    book: Book
    config: Config
    tab: str
    messages: Messages
    with_outputs: bool
    solutions: bool
    pages: Collection[str]  # empty for all

    def build(self) -> list[Path]:
        written: list[Path] = []
        kept: set[Path] = set()
        pages = [page for page in self.book.pages if not self.pages or page.document.name in self.pages]
        runs = self._runs(pages)
        for page in pages:
            view, name = make_view(page.document, self.tab, self.book.tabs), page.document.name
            path = notebook_path(self.config, self.tab, name, self.with_outputs, self.solutions)
            kept.add(path)
            run = runs.get(name)
            if run is not None or not (self.with_outputs and view.cells and self.config.eval_notebook):
                api = api_of(self.book, self.config)
                text = notebook_text(page, view, self.book, run, api, self.solutions, self.config.lang)
                write_atomic(path, text, durable=False)
                written.append(path)
            kept.update(self._copy_figures(view))
        if not self.pages:
            remove_others(directory(self.config, self.with_outputs, self.solutions) / self.tab, kept)
        return written

    def _runs(self, pages: Sequence[Page]) -> dict[str, Run]:
        """The results that the notebooks show, by page; none where they show none."""
        names = {page.document.name for page in pages} if self.with_outputs else set()
        return fresh_runs(self.book, self.config, self.tab, self.messages, names)

    def _copy_figures(self, view: View) -> Iterator[Path]:
        """Puts the figures a page shows where its notebook looks for them, drawings with their colours resolved."""
        for target in sorted(set(figure_targets(view))):
            relative = posixpath.normpath(posixpath.join(posixpath.dirname(view.document.name), target))
            source = book_file(self.config.root, view.document.name, target)
            if source is None:
                continue  # outside the book, or reported by `check`
            copy = directory(self.config, self.with_outputs, self.solutions) / self.tab / relative
            if source.suffix == ".svg":
                try:
                    svg = safe_svg(self.book.drawings.get(source) or read_text(source))
                except ValueError:
                    continue  # no drawing, which the formats that draw it report
                write_atomic(copy, resolve_colours(svg), durable=False)
            else:
                write_atomic(copy, source.read_bytes(), durable=False)
            yield copy


def notebook_text(
    page: Page,
    view: View,
    book: Book,
    run: Run | None = None,
    api: Api | None = None,
    solutions: bool = True,
    lang: str = "",
) -> str:
    """A page's notebook in one framework as JSON, valid nbformat 4.5; with outputs when there is a run.

    `api` is what a page that lists the libraries, or refers to what is in them, has it from; `lang` its language.
    """
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    known: dict[str, Any] = {"lang": lang} if lang else {}
    if run is not None:
        produced = run.produced
        known |= {"versions": produced.versions, "device": produced.device, "date": produced.date}
    if known:
        metadata["d2lbook"] = known
    cells = NotebookMaker(PageMarkdown(page, view.tab, book, api), view, run, solutions).make()
    content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    notebook = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    return str(nbformat.v4.writes(notebook)) + "\n"  # type: ignore[no-untyped-call]


def figure_targets(view: View) -> Iterator[str]:
    """Paths of the images of the book that a view shows, relative to its page."""
    for asset in assets_of(walk(view.blocks)):
        if asset.kind == IMAGE and ":" not in asset.target and not asset.target.startswith(("/", "#")):
            yield asset.target
