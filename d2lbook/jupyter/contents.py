"""A contents manager for Jupyter's server: the pages of a book open as notebooks and are saved back into their files.

jupytext, which does this for formats of its own, knows neither `{.python .input}` nor spans: it would write each page
anew, with a header. Whatever is not a page is left to Jupyter's own manager.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from anyio.to_thread import run_sync
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from d2lbook.diagnostics import BookError
from d2lbook.files import read_text, write_atomic
from d2lbook.jupyter.notebook import NoPlaceError, notebook_of, text_of

SUFFIX = ".md"
_FOR_LAB = Path(__file__).resolve().parents[1] / "static" / "jupyter"


class PageContentsManager(AsyncLargeFileManager):
    """Jupyter's default manager, for which a page, `*.md`, is a notebook unless a client asks for its text."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        _open_pages_as_notebooks()

    async def get(
        self,
        path: str,
        content: bool = True,
        type: str | None = None,
        format: str | None = None,
        require_hash: bool = False,
    ) -> Any:
        if type is None and path.endswith(SUFFIX) and await self.file_exists(path):
            type = "notebook"
        return await super().get(path, content, type, format, require_hash)  # type: ignore[no-untyped-call]

    async def copy(self, from_path: str, to_path: str | None = None) -> Any:
        """A page's copy is its file's, byte for byte."""
        model = await super().copy(from_path, to_path)  # type: ignore[no-untyped-call]
        if from_path.endswith(SUFFIX) and model["path"].endswith(SUFFIX) and model["type"] != "directory":
            content = await run_sync(Path(self._get_os_path(from_path)).read_bytes)  # type: ignore[no-untyped-call]
            await run_sync(write_atomic, Path(self._get_os_path(model["path"])), content)  # type: ignore[no-untyped-call]
            model = await self.get(model["path"], content=False)
        return model

    async def _read_notebook(
        self, os_path: str, as_version: int = 4, capture_validation_error: Any = None, raw: bool = False
    ) -> Any:
        if not os_path.endswith(SUFFIX):
            return await super()._read_notebook(os_path, as_version, capture_validation_error, raw)
        text = await run_sync(_read, os_path)
        notebook = nbformat.from_dict(notebook_of(text, os_path))  # type: ignore[no-untyped-call]
        return (notebook, text.encode()) if raw else notebook

    async def _save_notebook(self, os_path: str, nb: Any, capture_validation_error: Any = None) -> None:
        if not os_path.endswith(SUFFIX):
            await super()._save_notebook(os_path, nb, capture_validation_error)  # type: ignore[no-untyped-call]
            return
        with self.perm_to_403(os_path):
            await run_sync(partial(_write, os_path, nb))


def _read(os_path: str) -> str:
    try:
        return read_text(Path(os_path))
    except BookError as error:
        raise HTTPError(400, str(error)) from error


def _write(os_path: str, notebook: Any) -> None:
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise HTTPError(400, f"not a notebook: {error}") from error
    path = Path(os_path).resolve()  # a link stays one
    try:
        text = text_of(notebook, _read(os_path) if path.exists() else "", os_path)
    except NoPlaceError as error:
        raise HTTPError(400, str(error)) from error
    write_atomic(path, text)


def _open_pages_as_notebooks() -> None:
    """Shows JupyterLab, which looks there for each browser, our viewer of pages and that it is Markdown's default."""
    for name in ("JUPYTER_PATH", "JUPYTER_CONFIG_PATH"):
        paths = os.environ.get(name, "").split(os.pathsep)
        if str(_FOR_LAB) not in paths:
            os.environ[name] = os.pathsep.join(filter(None, (*paths, str(_FOR_LAB))))
