"""Builds the notebooks of a hosted platform: `_build/colab/LANG/TAB/PAGE.ipynb` and the like."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from d2lbook.cache import Cache, sources_digests
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
from d2lbook.export.notebook.hosted.wheel import own_wheel
from d2lbook.export.notebook.maker import NotebookCell, NotebookMaker
from d2lbook.export.shared.api import api_of
from d2lbook.export.shared.figures import BadPicture
from d2lbook.export.shared.pep517 import PackageError
from d2lbook.files import is_file, is_folder, remove_others, write_atomic
from d2lbook.library import used_sources
from d2lbook.model import Book, Page, View
from d2lbook.view import make_view


def directory(config: Config, platform: Platform) -> Path:
    """Where the directories of the frameworks are."""
    return config.output_dir / platform.key / config.lang


def build(
    book: Book, config: Config, tabs: Sequence[str], platform: Platform, messages: Messages, pages: Sequence[str] = ()
) -> list[Path]:
    """Writes a notebook per page and framework; the paths of all that are up to date now.

    A page with an error keeps its last good notebook. With errors in the platform's section nothing is written.
    What an earlier build left there and the book no longer has is removed.
    """
    cache, name = Cache(config.output_dir), f"{platform.key}-{config.lang}"
    made_of = "" if pages else _made_of(config, tabs)
    if made_of and (there := cache.outputs(name, made_of)) is not None:
        return [path for path in there if path.suffix == ".ipynb"]
    cache.forget(name)
    found = Messages(messages.strict)
    settings = read_settings(config, platform, found)
    bitmaps = config.output_dir / ".cache" / "bitmaps"
    maker = _Maker(book, config, settings, found, Pictures(bitmaps, config.lang, book.drawings))
    paths = [] if found.failed else [path for tab in tabs for path in maker.build(tab, pages)]
    messages.extend(found)
    if made_of and not found:  # findings are told again until they are mended
        cache.mark(name, made_of, sorted(path for path in directory(config, platform).rglob("*") if path.is_file()))
    return paths


def _made_of(config: Config, tabs: Sequence[str]) -> str:
    """Digest of all that the notebooks are made from; empty when some of it may lie outside of the book."""
    place = config.path.parent / config.d2l_address
    package = b""
    if config.d2l_address and is_file(place):
        package = place.read_bytes()
    elif config.d2l_address and is_folder(place) and not place.resolve().is_relative_to(config.root):
        return ""
    return f"{sources_digests(config, tabs)[config.lang]} {hashlib.sha256(package).hexdigest()}"


@dataclass(slots=True)
class _Maker:
    """Makes a platform's notebooks."""

    book: Book
    config: Config
    settings: Settings
    messages: Messages
    pictures: Pictures
    _wheel: tuple[str, bytes] | None = None  # d2l's, when its address is on this machine

    @property
    def platform(self) -> Platform:
        return self.settings.platform

    def build(self, tab: str, pages: Sequence[str]) -> list[Path]:
        base = directory(self.config, self.platform) / tab
        kept: set[Path] = set()
        written: list[Path] = []
        for page in self.book.pages:
            name = page.document.name
            if (pages and name not in pages) or self.settings.excludes(name):
                continue
            path = base / f"{name}.ipynb"
            kept.add(path)
            found = Messages(self.messages.strict)
            text = self._notebook(page, make_view(page.document, tab, self.book.tabs), found)
            self.messages.extend(found)
            if text is not None and not found.failed:
                write_atomic(path, text, durable=False)
                written.append(path)
        if self._wheel is not None:
            path = base / self._wheel[0]
            kept.add(path)
            write_atomic(path, self._wheel[1])
        if not pages:
            remove_others(base, kept)
        return written

    # ---- a notebook --------------------------------------------------------------------------------------------------

    def _notebook(self, page: Page, view: View, messages: Messages) -> str | None:
        kernel = {"display_name": self._kernel_name(view.tab), "name": self.settings.kernel(view.tab)}
        metadata: dict[str, Any] = {
            "kernelspec": {**kernel, "language": "python"},
            "language_info": {"name": "python"},
            "d2lbook": {"lang": self.config.lang},
        }
        if self.platform.picks_gpu and self._asks_for_gpu(view):
            metadata["accelerator"] = "GPU"
        markdown = HostedMarkdown(
            page,
            view.tab,
            self.book,
            api_of(self.book, self.config),
            config=self.config,
            pictures=self.pictures,
            address=lambda name: self._address(view.tab, name),
            messages=messages,
        )
        own = NotebookMaker(markdown, view).make()
        cells = [*self._front(page, view.tab, messages), *self._install(page, view, messages), *own]
        if not self.platform.has_anchors:
            cells = linked_by_cell(cells)
        content = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
        notebook = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
        nbformat.validate(notebook)
        return str(nbformat.writes(notebook)) + "\n"  # type: ignore[no-untyped-call]

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
        own = self._own(page, view, name, messages) if wanted else ""
        lines = install_lines(needs, view.tab, self.settings, own, name)
        if not lines:
            return []
        code = install_code(lines)
        if own.startswith("./") and not self.platform.with_files:
            words = self.book.words(
                "First upload {file}, which lies beside the notebooks, into this runtime's folder.", file=own[2:]
            )
            code = f"# {words}\n{code}"
        header = self.settings.header or self.book.words(
            "The next cell installs what this page needs and {platform} ({described}) lacks."
            " What is there already stays as it is.",
            platform=self.platform.name,
            described=self.platform.described(self.book.words),
        )
        return [_cell("markdown", header, "install-header"), _cell("code", code, "install")]

    def _own(self, page: Page, view: View, package: str, messages: Messages) -> str:
        """pip's words for the package that the book builds; "" where the book does not say where it is."""
        address = self.config.d2l_address
        if words := own_words(address, package):
            return words
        if self._wheel is None:
            try:
                self._wheel = own_wheel(self.config, package)
            except PackageError as error:
                line = self.config.line("project", "d2l_address")
                messages.error(self.config.name_in_messages, line, 1, str(error), "d2l-address")
                return ""
        name = self._wheel[0]
        repository = self.settings.repositories.get(view.tab)
        if repository is not None:
            return f'"{package} @ {repository.raw(name)}"'
        up = page.document.name.count("/") if self.platform.with_files else 0
        return f"{'../' * up or './'}{name}"


def _cell(kind: str, source: str, name: str) -> NotebookCell:
    unique = f"{name}-{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    cell: NotebookCell = {"cell_type": kind, "id": unique, "metadata": {}, "source": source}
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell
