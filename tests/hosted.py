"""What the tests of the hosted notebooks share: interpreters, the install cell's arguments for pip."""

from __future__ import annotations

import base64
import json
import lzma
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.hosted.build import build, directory
from d2lbook.export.notebook.hosted.platforms import Platform
from d2lbook.rendering.book_context import BookContext

ROOT = Path(__file__).parents[1]


def interpreter(version: tuple[int, int]) -> Path:
    """A Python of this version on this machine; its lack is a failure, not a reason to skip."""
    name = f"python{version[0]}.{version[1]}"
    found = [Path(path) for path in (shutil.which(name),) if path]
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += sorted(versions.glob(f"{version[0]}.{version[1]}.*/bin/python"))
    for path in found:
        code = "import sys, venv; print(*sys.version_info[:2])"
        done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        if done.returncode == 0 and tuple(map(int, done.stdout.split())) == version:
            return path
    pytest.fail(f"{name} is missing; install it (as {name}, or below {versions}) to test what is hosted on it")


def build_book(platform: Platform, output: Path) -> Path:
    """Builds the platform's notebooks of this book; the directory of its frameworks' directories."""
    messages = Messages()
    config = replace(load(ROOT / "config.ini", messages), output_dir=output)
    book = load_book(config, messages)
    assert [str(message) for message in messages] == []
    paths = build(BookContext.of(book, config, book.tabs, messages), platform)
    assert [str(message) for message in messages] == []
    assert len(paths) == len(book.tabs) * len(book.pages)
    return directory(config, platform)


def install_cell(notebook: dict[str, Any]) -> str:
    """The code of a notebook's installing cell; empty without one."""
    cells = [cell for cell in notebook["cells"] if cell["id"].startswith("install-") and cell["cell_type"] == "code"]
    return "".join(cells[0]["source"]) if cells else ""


def pip_arguments(code: str, platform: Platform) -> list[list[str]]:
    """What the installing cell gives to pip, line by line, with the platform's versions put in."""

    def version(found: re.Match[str]) -> str:
        return platform.packages[found[1]]

    lines = [line.removeprefix("%pip ") for line in code.splitlines() if line.startswith("%pip ")]
    return [shlex.split(re.sub(r"\{version\('([\w-]+)'\)\}", version, line)) for line in lines]


def with_package(arguments: list[list[str]], code: str, folder: Path) -> list[list[str]]:
    """pip's arguments with the path of the wheel that the cell carries, which is written into a folder."""
    found = re.search(r'b64decode\("""\n(.*?)\n"""\)', code, re.DOTALL)
    name = re.search(r'"([^"]+\.whl)"\)$', code, re.MULTILINE)
    if found is None or name is None:
        return arguments
    path = folder / name[1]
    path.write_bytes(lzma.decompress(base64.b64decode(found[1])))
    return [[word.replace("{_wheel}", str(path)) for word in line] for line in arguments]


class PlatformKernel(AsyncKernelManager):  # type: ignore[misc]
    """A kernel of another environment's Python."""

    python = Path()

    def format_kernel_cmd(self, extra_arguments: list[str] | None = None) -> list[str]:
        return [str(self.python), "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", self.connection_file]


def run(path: Path, python: Path, folder: Path, seconds: int = 900) -> Any:
    """The notebook at `path` after running in a folder; CellExecutionError for the first cell that fails.

    `seconds`: for one cell, which is enough beside other work, and the end of one that hangs.
    """
    notebook = nbformat.read(path, as_version=4)
    kernel = PlatformKernel(kernel_name="python3")
    kernel.python = python
    client = NotebookClient(notebook, km=kernel, timeout=seconds, resources={"metadata": {"path": str(folder)}})
    client.owns_km = True  # so that it ends the kernel, whatever happens: many of them do not fit into the memory
    client.execute()
    return notebook


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
