"""Builds the notebooks of a hosted platform: `_build/colab/LANG/TAB/PAGE.ipynb` and the like."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from d2lbook.cache import sources_digests
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.hosted.install import (
    asks_for_gpu,
    install_code,
    install_lines,
    needs_of,
    own_package,
    own_words,
)
from d2lbook.export.notebook.hosted.markdown import HostedMarkdown, linked_by_cell
from d2lbook.export.notebook.hosted.pictures import Pictures, badge, image_tag, width_in_pixels
from d2lbook.export.notebook.hosted.platforms import Platform
from d2lbook.export.notebook.hosted.settings import Settings, read_settings
from d2lbook.export.notebook.hosted.wheel import PLACE, Carried, carried
from d2lbook.export.notebook.maker import NotebookCell, NotebookMaker
from d2lbook.export.notebook.text import notebook_text
from d2lbook.export.package.pep517 import PackageError
from d2lbook.files import is_file, is_folder, remove_others, write_atomic
from d2lbook.library import used_sources
from d2lbook.model import Book, Page, View
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import BadPicture

_FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}  # in Colab; in JupyterLab, Notebook and Studio


def directory(config: Config, platform: Platform) -> Path:
    """Where the directories of the frameworks are."""
    return config.output_dir / platform.key / config.lang


def build(context: BookContext, platform: Platform, pages: Sequence[str] = ()) -> list[Path]:
    """Writes a notebook per page and framework; the paths of all that are up to date now.

    A page with an error keeps its last good notebook. With errors in the platform's section nothing is written.
    What an earlier build left there and the book no longer has is removed.
    """
    config, cache, name = context.config, context.cache, f"{platform.key}-{context.lang}"
    made_of = "" if pages else _made_of(config, context.tabs, context.messages.draft)
    if made_of and (there := cache.outputs(name, made_of)) is not None:
        return [path for path in there if path.suffix == ".ipynb"]
    cache.forget(name)
    apart = context.apart()
    found = apart.messages
    settings = read_settings(config, platform, found)
    bitmaps = config.output_dir / ".cache" / "bitmaps"
    maker = _Maker(apart, settings, Pictures(bitmaps, config.lang, context.book.drawings))
    paths = [] if found.failed else [path for tab in context.tabs for path in maker.build(tab, pages)]
    context.messages.extend(found)
    if made_of and not found:  # findings are told again until they are mended
        cache.mark(name, made_of, sorted(path for path in directory(config, platform).rglob("*") if path.is_file()))
    return paths


def _made_of(config: Config, tabs: Sequence[str], draft: bool) -> str:
    """Digest of all that the notebooks are made from; empty when some of it may lie outside of the book."""
    place = config.path.parent / config.d2l_address
    package = b""
    if config.d2l_address and is_file(place):
        package = place.read_bytes()
    elif is_folder(place) and not place.resolve().is_relative_to(config.root):  # without an address, the library
        return ""
    return f"{sources_digests(config, tabs, draft)[config.lang]} {hashlib.sha256(package).hexdigest()}"


@dataclass(slots=True)
class _Maker:
    """Makes a platform's notebooks."""

    context: BookContext
    settings: Settings
    pictures: Pictures
    _carried: Carried | None = None  # the book's package, when it has no address on the network

    @property
    def platform(self) -> Platform:
        return self.settings.platform

    @property
    def config(self) -> Config:
        return self.context.config

    @property
    def book(self) -> Book:
        return self.context.book

    def build(self, tab: str, pages: Sequence[str]) -> list[Path]:
        base = directory(self.config, self.platform) / tab
        kept: set[Path] = set()
        written: list[Path] = []
        for page in self.context.pages(pages):
            name = page.document.name
            if self.settings.excludes(name):
                continue
            path = base / f"{name}.ipynb"
            kept.add(path)
            apart = self.context.apart()
            text = self._notebook(apart, page, tab)
            self.context.messages.extend(apart.messages)
            if self.config.goes_on or not apart.messages.failed:
                write_atomic(path, text, durable=False)
                written.append(path)
        if not pages:
            remove_others(base, kept)
        return written

    # ---- a notebook --------------------------------------------------------------------------------------------------

    def _notebook(self, context: BookContext, page: Page, tab: str) -> str:
        view, messages = context.view(page, tab), context.messages
        kernel = {"display_name": self._kernel_name(view.tab), "name": self.settings.kernel(view.tab)}
        metadata: dict[str, Any] = {
            "kernelspec": {**kernel, "language": "python"},
            "language_info": {"name": "python"},
            "d2lbook": {"lang": self.config.lang},
        }
        if self.platform.picks_gpu and self._asks_for_gpu(view):
            metadata["accelerator"] = "GPU"
        markdown = HostedMarkdown(context, page, tab, pictures=self.pictures, address=partial(self._address, tab))
        own = NotebookMaker(markdown).make()
        cells = [*self._front(page, view.tab, messages), *self._install(page, view, messages), *own]
        if not self.platform.has_anchors:
            cells = linked_by_cell(cells)
        return notebook_text(cells, metadata)

    def _kernel_name(self, tab: str) -> str:
        kernel = self.settings.kernel(tab)
        return self.platform.kernel_name if kernel == self.platform.kernel else kernel

    def _asks_for_gpu(self, view: View) -> bool:
        own = [cell.code for cell in view.cells]
        if not own or asks_for_gpu(own, view.tab, self.settings):
            return bool(own)
        return asks_for_gpu(used_sources(self.book, self.config, view.tab, own), view.tab, self.settings)

    def _address(self, tab: str, name: str) -> str:
        """Where a page can be read: on the site, else in the repository that holds the notebooks; else empty."""
        if self.config.base_url:
            several = f"?fw={tab}" if len(self.book.tabs) > 1 else ""
            folder = "" if self.config.lang == self.config.source_lang else f"{self.config.lang}/"
            return f"{self.config.base_url.rstrip('/')}/{folder}{name}.html{several}"
        repository = self.settings.repositories.get(tab)
        if repository is None or self.settings.excludes(name):
            return ""
        return f"https://github.com/{repository.file(f'{name}.ipynb')}"

    # ---- what stands before the page ---------------------------------------------------------------------------------

    def _front(self, page: Page, tab: str, messages: Messages) -> list[NotebookCell]:
        """The way back to the page, when the book knows where it is."""
        if not self.config.base_url:
            return []
        sign = badge(self.book.words("read in"), self.config.title)
        try:
            png, data = self.pictures.drawing(sign), self.pictures.encoded(sign)
        except BadPicture as error:
            messages.error(page.document.path, 0, 0, f"the badge: {error}", "figure-hosted")
            return []
        alt = self.book.words("Read this page in {title}", title=self.config.title)
        tag = image_tag(data, alt, str(width_in_pixels(png)))
        return [_cell("markdown", f'<a href="{self._address(tab, page.document.name)}">{tag}</a>', "badge")]

    def _install(self, page: Page, view: View, messages: Messages) -> list[NotebookCell]:
        library = self.config.libraries.get(view.tab)
        name = own_package(library.lib_file if library is not None else "")
        needs = needs_of(view, name)
        wanted = name in needs.imports and not self.settings.library(view.tab, name)
        own, package = self._own(name, messages) if wanted else ([], None)
        lines = install_lines(needs, view.tab, self.settings, own, name)
        if not lines:
            return []
        words, code = self.book.words, install_code(lines)
        header = self.settings.header or words(
            "The next cell installs what this page needs and {platform} ({described}) lacks."
            " What is there already stays as it is.",
            platform=self.platform.name,
            described=self.platform.described(words),
        )
        if package is None:
            return [_cell("markdown", header, "install-header"), _cell("code", code, "install")]
        says = words("The book's package, {file}, is inside it, as text.", file=f"`{package.name}`")
        folded = _cell("code", self._with_package(package, code), "install") | {"metadata": _FOLDED}
        return [_cell("markdown", f"{header} {says}", "install-header"), folded]

    def _with_package(self, package: Carried, code: str) -> str:
        """The code that installs, behind the package itself; its first line says what the cell is, also when folded."""
        words = self.book.words
        title = words("Install what this page needs: {file} is inside ({size})", file=package.name, size=package.size)
        damaged = words("The package in this cell is damaged: download the notebook again.")
        return f"#@title {title}\n{package.code(damaged)}\n{code}"

    def _own(self, package: str, messages: Messages) -> tuple[list[str], Carried | None]:
        """pip's words for the package that the book builds, and what the notebook carries of it; none if it cannot."""
        if words := own_words(self.config.d2l_address, package):
            return [words], None
        if self._carried is None:
            try:
                self._carried = carried(self.config, package)
            except PackageError as error:
                line = self.config.line("project", "d2l_address")
                messages.error(self.config.name_in_messages, line, 1, str(error), "d2l-address")
                return [], None
        # An older build of the same version may be there, which pip would keep; then what the package requires.
        return [f'--no-deps --force-reinstall "{PLACE}"', f'"{PLACE}"'], self._carried


def _cell(kind: str, source: str, name: str) -> NotebookCell:
    unique = f"{name}-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    cell: NotebookCell = {"cell_type": kind, "id": unique, "metadata": {}, "source": source}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell
