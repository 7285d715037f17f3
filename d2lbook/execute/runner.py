"""Runs one page in one framework: a kernel of its own, cell by cell, under a time limit."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from d2lbook.execute.cache import CellResult
from d2lbook.execute.device import PROBES, Device, from_probe
from d2lbook.execute.key import cell_hash
from d2lbook.execute.outputs import ANSI, SIZE_LIMIT, clean, size, stream_text
from d2lbook.model import View, ViewCell

Progress = Callable[[int, int, float], None]  # cell (1-based), cells in all, seconds it took
TRACEBACK_LIMIT = 6000  # characters: enough for the frames that matter


class PageError(Exception):
    """A page that could not be run to its end; names the cell and the line of the page."""

    def __init__(self, line: int, text: str, code: str, details: str = "") -> None:
        super().__init__(text)
        self.line, self.text, self.code, self.details = line, text, code, details


def run_view(view: View, root: Path, time_limit: float, progress: Progress) -> tuple[tuple[CellResult, ...], Device]:
    """Results of all cells and the device they ran on.

    Raises PageError when a cell fails, its kernel dies, the page takes longer than `time_limit` seconds, or an
    output is too large to keep. The kernel is gone in any case.
    """
    with tempfile.TemporaryDirectory(prefix="d2lbook-", ignore_cleanup_errors=True) as directory:
        return asyncio.run(_run(view, root, time_limit, progress, Path(directory)))


def _environment(root: Path, directory: Path) -> dict[str, str]:
    path = os.pathsep.join(filter(None, (str(root), os.environ.get("PYTHONPATH", ""))))
    ours = {
        "PYTHONPATH": path,
        "PYTHONHASHSEED": "0",
        "IPYTHONDIR": str(directory / ".ipython"),  # no start-up files of whoever runs this
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "COLUMNS": "80",
    }
    return {**os.environ, **ours}


async def _run(
    view: View, root: Path, time_limit: float, progress: Progress, directory: Path
) -> tuple[tuple[CellResult, ...], Device]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.code) for cell in view.cells])
    probe = nbformat.v4.new_code_cell(PROBES.get(view.tab, "pass"))
    notebook.cells.append(probe)
    # "immediate": a kernel that hangs does not hear a polite request to end.
    client = NotebookClient(
        notebook, kernel_name="python3", timeout=time_limit, shutdown_kernel="immediate",
        resources={"metadata": {"path": str(directory)}},
    )  # fmt: skip
    end = time.monotonic() + time_limit
    results: list[CellResult] = []
    async with client.async_setup_kernel(env=_environment(root, directory), cwd=str(directory)):
        for cell in view.cells:
            seconds = await _run_cell(client, notebook, cell, end, time_limit)
            outputs = notebook.cells[cell.number].outputs
            if size(outputs) > SIZE_LIMIT:
                text = f"an output of {size(outputs) / 1e6:.0f} MB; a page can keep {SIZE_LIMIT / 1e6:.0f}: print less"
                raise PageError(_line(cell, 1), text, "output-too-large")
            results.append(CellResult(cell_hash(cell.code), round(seconds, 3), clean(outputs)))
            progress(cell.number + 1, len(view.cells), seconds)
        await client.async_execute_cell(probe, len(view.cells))
    return tuple(results), from_probe(stream_text(probe.outputs))


async def _run_cell(client: NotebookClient, notebook: Any, cell: ViewCell, end: float, time_limit: float) -> float:
    start = time.monotonic()
    client.timeout = max(1, int(end - start))
    try:
        await client.async_execute_cell(notebook.cells[cell.number], cell.number)
    except CellTimeoutError as error:
        text = f"cell {cell.number + 1} was still running at the page's limit of {time_limit:.0f} s ([build] time_limit)"
        raise PageError(_line(cell, 1), text, "eval-time-limit") from error
    except DeadKernelError as error:
        text = f"the kernel died in cell {cell.number + 1}; out of memory, or the process was ended"
        raise PageError(_line(cell, 1), text, "eval-kernel-died", _streams(notebook, cell)) from error
    except CellExecutionError as error:
        raise _failed_cell(notebook, cell, error) from error
    return time.monotonic() - start


def _failed_cell(notebook: Any, cell: ViewCell, error: CellExecutionError) -> PageError:
    traceback = ANSI.sub("", error.traceback)
    # The innermost frame inside the cell itself, as IPython writes it.
    lines = re.findall(r"(?:Cell In\[\d+\], line|Cell In\[\d+\].*?line|^File .*ipykernel_\d+.*?:)\s*(\d+)", traceback, re.M)
    line = _line(cell, int(lines[0]) if lines else 1)
    details = f"{_streams(notebook, cell)}{traceback[-TRACEBACK_LIMIT:]}"
    text = f"cell {cell.number + 1} failed: {error.ename}: {str(error.evalue).strip()[:300]}".replace("\n", " ")
    return PageError(line, text, "eval-failed", details)


def _line(cell: ViewCell, line: int) -> int:
    """The page's line of a cell's line."""
    if not cell.line_map:
        return cell.cell.code_line
    return cell.line_map[min(max(line, 1), len(cell.line_map)) - 1]


def _streams(notebook: Any, cell: ViewCell) -> str:
    text = ANSI.sub("", stream_text(notebook.cells[cell.number].outputs))
    return f"--- what the cell printed\n{text[-TRACEBACK_LIMIT:].rstrip()}\n" if text.strip() else ""
