"""Runs one task: a page in one framework, in a kernel of its own, cell by cell, under a time limit."""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from d2lbook.diagnostics import to_install
from d2lbook.execute.device import Device, from_probe
from d2lbook.execute.frozen import CellResult
from d2lbook.execute.kernel import Client, Place, environment
from d2lbook.execute.outputs import ANSI, SIZE_LIMIT, clean, size, stream_text
from d2lbook.execute.task import Done, Failed, Task
from d2lbook.execute.versions import described

Progress = Callable[[int, int, float], None]  # cell (1-based), cells in all, seconds it took
TRACEBACK_LIMIT = 6000  # characters: enough for the frames that matter
_FRAME = re.compile(r"^\s*(?:File\s+)?(?:Cell In\[\d+\]|<ipython-input-[^>]*>)[,:]\s*(?:line\s+)?(\d+)", re.MULTILINE)


class PageError(Exception):
    """A page that could not be run to its end; names the line of the page. Here only: others see `Failed`."""

    def __init__(self, line: int, text: str, code: str, details: str = "") -> None:
        super().__init__(text)
        self.line, self.text, self.code, self.details = line, text, code, details


class Stopped(Exception):
    """The run was asked to stop; nothing is wrong with the page."""


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float  # that the page may take
    stop: threading.Event  # set from outside: give up soon


def run_task(task: Task, place: Place, limits: Limits, progress: Progress) -> Done | Failed:
    """Results of all cells and the device they ran on; or why a cell failed, its kernel died, the page took longer than
    its limit, or an output is too large to keep.

    Raises Stopped when asked to. The kernel is gone in any case.
    """
    start = time.monotonic()
    try:
        cells, device = asyncio.run(_PageRun(task, place, limits, progress).run())
    except PageError as error:
        return Failed(error.line, error.text, error.code, error.details)
    except OSError as error:
        what = f"its kernel did not start: {error.strerror or error}; it needs space in {place.directory.parent}"
        return Failed(0, what, "eval-no-kernel")
    return Done(cells, device, described(task.tab, task.packages), round(time.monotonic() - start, 1))


class _PageRun:
    def __init__(self, task: Task, place: Place, limits: Limits, progress: Progress) -> None:
        self.task, self.place, self.limits, self.progress = task, place, limits, progress
        codes = [cell.code for cell in task.cells] + [task.probe]
        cells = [nbformat.v4.new_code_cell(code) for code in codes]  # type: ignore[no-untyped-call]
        self.notebook = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
        self.client = Client(self.notebook, place)
        self.log_path = place.directory / "kernel.log"
        self.end = 0.0  # set when the kernel is there: a busy machine's slow start is not the page's

    async def run(self) -> tuple[tuple[CellResult, ...], Device]:
        watcher = asyncio.create_task(self._watch(asyncio.current_task()))
        try:
            working = str(self.place.make_working_directory())
            with self.log_path.open("wb") as log:
                settings = {"env": environment(self.place), "cwd": working, "stdout": log, "stderr": log}
                async with self.client.async_setup_kernel(**settings):
                    self.client.keep_to(self.place.cores)
                    self.end = time.monotonic() + self.limits.seconds
                    results = [await self._cell(number) for number in range(len(self.task.cells))]
                    await self._execute(len(self.task.cells))
        except (asyncio.CancelledError, DeadKernelError) as error:
            if self.limits.stop.is_set():
                raise Stopped from error
            raise
        except NoSuchKernel as error:
            raise PageError(
                0, f"ipykernel is not installed here; run: {to_install('ipykernel')}", "eval-no-kernel"
            ) from error
        except RuntimeError as error:  # as nbclient reports a kernel that does not come up
            raise PageError(0, f"its kernel did not start: {error}", "eval-no-kernel") from error
        finally:
            watcher.cancel()
        return tuple(results), from_probe(stream_text(self.notebook.cells[-1].outputs), len(self.place.cores))

    async def _watch(self, page: asyncio.Task[Any] | None) -> None:
        while not self.limits.stop.is_set():
            await asyncio.sleep(0.1)
        if page is not None:
            page.cancel()

    async def _execute(self, number: int) -> None:
        self.client.timeout = max(1, math.ceil(self.end - time.monotonic()))
        self.client.received = 0
        await self.client.async_execute_cell(self.notebook.cells[number], number)

    async def _cell(self, number: int) -> CellResult:
        start = time.monotonic()
        try:
            await self._execute(number)
        except CellTimeoutError as error:
            text = f"was still running at the page's limit of {self.limits.seconds:.0f} s ([build] time_limit)"
            raise self._error(number, text, "eval-time-limit") from error
        except DeadKernelError as error:
            if self.limits.stop.is_set():
                raise
            raise self._dead(number) from error
        except CellExecutionError as error:
            raise self._failed(number, error) from error
        seconds = time.monotonic() - start
        outputs = self.notebook.cells[number].outputs
        if size(outputs) > SIZE_LIMIT:
            raise self._too_large(number)
        self.progress(number + 1, len(self.task.cells), seconds)
        # What needs no framework runs here for what it defines; its result is kept once, of its own run.
        cell = self.task.cells[number]
        return CellResult(cell.hash, round(seconds, 3), () if cell.free else clean(outputs))

    def _dead(self, number: int) -> PageError:
        if self.client.too_large:
            return self._too_large(number)
        status = self.client.exit_status()
        how = f" ({status})" if status else ""
        text = f"ended its kernel{how}: out of memory, a crash in a library, or an exit in the code"
        log = self.log_path.read_text(encoding="utf-8", errors="replace")[-TRACEBACK_LIMIT:]
        return self._error(
            number, text, "eval-kernel-died", f"--- the kernel's last words\n{log}" if log.strip() else ""
        )

    def _too_large(self, number: int) -> PageError:
        text = f"put out more than the {SIZE_LIMIT / 1e6:.0f} MB that a page can keep; print less"
        return PageError(self._line(number, 1), f"cell {number + 1} {text}", "output-too-large")

    def _failed(self, number: int, error: CellExecutionError) -> PageError:
        outputs = self.notebook.cells[number].outputs
        raised = [output["traceback"] for output in outputs if output["output_type"] == "error"]
        traceback = ANSI.sub("", "\n".join(raised[-1]) if raised else error.traceback)
        value = " ".join(ANSI.sub("", str(error.evalue)).split())[:300]
        text = f"failed: {error.ename}: {value}" if value else f"failed: {error.ename}"
        return self._error(number, text, "eval-failed", traceback[-TRACEBACK_LIMIT:], _failing_line(traceback))

    def _error(self, number: int, text: str, code: str, traceback: str = "", line: int = 1) -> PageError:
        printed = ANSI.sub("", stream_text(self.notebook.cells[number].outputs))[-TRACEBACK_LIMIT:].rstrip()
        streams = f"--- what the cell printed\n{printed}\n" if printed.strip() else ""
        return PageError(self._line(number, line), f"cell {number + 1} {text}", code, f"{streams}{traceback}")

    def _line(self, number: int, line: int) -> int:
        """The page's line of a cell's line."""
        lines = self.task.cells[number].lines
        return lines[min(max(line, 1), len(lines)) - 1]


def _failing_line(traceback: str) -> int:
    """The line of the cell itself that failed: the outermost frame of IPython's traceback."""
    found = _FRAME.search(traceback)
    return int(found[1]) if found else 1
