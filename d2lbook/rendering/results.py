"""Which frozen results are a cell's, what they hold, and what is said of one that only a browser shows."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from d2lbook.config import Config
from d2lbook.execute.frozen import CPU, CellResult, Run
from d2lbook.execute.key import cell_hash
from d2lbook.execute.state import DeviceRun
from d2lbook.model import Document, ViewCell


@dataclass(frozen=True, slots=True)
class Result:
    """What a cell put out on one kind of device."""

    kind: str  # "cpu", "cuda"
    run: Run
    outputs: tuple[dict[str, Any], ...]
    stale: bool = False  # made with other code; told of other devices than the CPU only, whose staleness is an error
    free: bool = False  # of a cell that needs no framework


@dataclass(frozen=True, slots=True)
class Results:
    """The frozen results of a page in a framework: the CPU's, then those of other devices."""

    runs: tuple[DeviceRun, ...] = ()
    free: tuple[DeviceRun, ...] = ()  # of the page's cells that need no framework
    complete: bool = True  # no cell lacks its result

    @property
    def all_runs(self) -> tuple[DeviceRun, ...]:
        return self.runs + self.free

    def of(self, cell: ViewCell) -> list[Result]:
        """The results of a cell that differ, in the order in which readers meet them."""
        found: list[Result] = []
        for device in sorted(
            self.free if cell.free else self.runs, key=lambda one: (one.kind == CPU) == cell.gpu_first
        ):
            result = _result_of(cell, device.run)
            if result is not None and all(result.outputs != other.outputs for other in found):
                stale = device.state == "stale" and device.kind != CPU
                found.append(Result(device.kind, device.run, result.outputs, stale, cell.free))
        return [one for one in found if one.outputs] or found[:1]

    def printed(self, cell: ViewCell) -> list[Result]:
        """Where readers cannot choose: the GPU's result, and all where the text compares them."""
        found = self.of(cell)
        return found if cell.compare_devices else [one for one in found if one.kind != CPU][:1] or found[:1]


NO_RESULTS = Results()


def _result_of(cell: ViewCell, run: Run) -> CellResult | None:
    """The result of the cell's code, which in a stale run may stand at another position; None when there is none."""
    wanted = cell_hash(cell.runs)
    here = run.cells[cell.number : cell.number + 1]
    return next((result for result in (*here, *run.cells) if result.hash == wanted), None)


def printed_in(document: Document, config: Config) -> str:
    """The language of what a page prints, where it is not the page's: languages share results until one has its own."""
    return "" if document.results or config.lang == config.source_lang else config.source_lang


def texts_of(data: Mapping[str, object]) -> dict[str, str]:
    """What an output holds, by its MIME type; nbformat may keep a text as a list of lines."""
    return {mime: "".join(value) if isinstance(value, list) else str(value) for mime, value in data.items()}


def bitmap(encoded: str) -> bytes:
    """The bytes of a bitmap that an output holds in base64. Raises ValueError for what is none."""
    try:
        return base64.b64decode("".join(encoded.split()), validate=True)
    except ValueError as error:
        raise ValueError("is not written in base64") from error


def left_out(tab: str, kinds: Iterable[str]) -> str:
    """The message on an output that has a form on the site at most: the same in each format that leaves it out."""
    only = ", ".join(sorted(kinds))
    return f"[{tab}] PDF, ePub and slides leave out an output that is only {only}; let the cell give text as well"
