"""Notebooks: one per page and framework, with the figures they show, in a directory per framework."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from d2lbook.book.assets import IMAGE, assets_of
from d2lbook.config import Config
from d2lbook.export.notebook.maker import NotebookMaker
from d2lbook.export.notebook.markdown import PageMarkdown, Texts
from d2lbook.export.notebook.text import notebook_text
from d2lbook.files import read_text, remove_others, write_atomic
from d2lbook.model import Page, View, walk
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import resolve_colours, safe_svg
from d2lbook.rendering.paths import beside, shown_file
from d2lbook.rendering.results import NO_RESULTS, Results


def directory(config: Config, with_outputs: bool = False, solutions: bool = True) -> Path:
    """Where the directories of the frameworks are: `_build/ipynb/en`, `_build/ipynb-with-outputs/en` and the like."""
    name = "ipynb" + ("-with-outputs" if with_outputs else "") + ("" if solutions else "-without-solutions")
    return config.output_dir / name / config.lang


def notebook_path(config: Config, tab: str, page: str, with_outputs: bool = False, solutions: bool = True) -> Path:
    return directory(config, with_outputs, solutions) / tab / f"{page}.ipynb"


def build(context: BookContext, with_outputs: bool, solutions: bool = True, pages: Collection[str] = ()) -> list[Path]:
    """Writes a notebook per page and framework; the paths of all that are up to date now.

    With outputs, a page whose frozen result is missing or stale is an error and its older notebook stays, unless the
    build goes on. What an earlier build left in these directories and the book no longer has is removed. Without
    `solutions` they are for a class; with `pages`, the names of some, the others stay as they are.
    """
    asked = context.pages(pages)
    runs = context.results(asked) if with_outputs else {}
    needs_results = with_outputs and context.config.eval_notebook
    written: list[Path] = []
    for tab in context.tabs:
        folder = directory(context.config, with_outputs, solutions) / tab
        kept: set[Path] = set()
        for page in asked:
            view, name = context.view(page, tab), page.document.name
            path = folder / f"{name}.ipynb"
            kept.add(path)
            results = runs.get((name, tab), NO_RESULTS)
            if results.complete or context.config.goes_on or not (needs_results and view.cells):
                write_atomic(path, page_notebook(context, page, tab, results, solutions), durable=False)
                written.append(path)
            kept.update(_copy_figures(context, view, folder))
        if not pages:
            remove_others(folder, kept)
    return written


def _copy_figures(context: BookContext, view: View, folder: Path) -> Iterator[Path]:
    """Puts the figures a page shows where its notebook looks for them, drawings with their colours resolved."""
    name = view.document.name
    for target in sorted(set(figure_targets(view))):
        source, copy = shown_file(context.book, name, target), folder / beside(name, target)
        if source is None:
            continue  # outside the book, or reported by `check`
        if source.suffix == ".svg":
            try:
                svg = safe_svg(context.book.drawings.get(source) or read_text(source))
            except ValueError:
                continue  # no drawing, which the formats that draw it report
            write_atomic(copy, resolve_colours(svg), durable=False)
        else:
            write_atomic(copy, source.read_bytes(), durable=False)
        yield copy


def page_notebook(
    context: BookContext,
    page: Page,
    tab: str,
    results: Results = NO_RESULTS,
    solutions: bool = True,
    texts: Texts | None = None,
) -> str:
    """A page's notebook in one framework as JSON; with outputs when there are results.

    `texts` is for all notebooks of a page: what Markdown reads with its references resolved.
    """
    metadata: dict[str, Any] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    known: dict[str, Any] = {"lang": context.lang}
    made = [
        {key: getattr(one.run.produced, key) for key in ("versions", "device", "date")}
        for one in results.runs or results.free
    ]
    known |= made[0] if made else {}
    if made[1:]:
        known["others"] = made[1:]
    metadata["d2lbook"] = known
    markdown = PageMarkdown(context, page, tab, texts if texts is not None else {})
    return notebook_text(NotebookMaker(markdown, results, solutions).make(), metadata)


def figure_targets(view: View) -> Iterator[str]:
    """Paths of the images of the book that a view shows, relative to its page."""
    for asset in assets_of(walk(view.blocks)):
        if asset.kind == IMAGE and ":" not in asset.target and not asset.target.startswith(("/", "#")):
            yield asset.target
