"""What has to be run of a page in a framework, and what came of it: plain data, which may travel to another machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

from d2lbook.execute.device import Device, probe_code
from d2lbook.execute.frozen import CellResult
from d2lbook.execute.gpus import gpus_asked_for
from d2lbook.execute.key import cell_hash
from d2lbook.model import View, ViewCell


@dataclass(frozen=True, slots=True)
class TaskCell:
    code: str  # as it runs
    hash: str
    lines: tuple[int, ...]  # the page's line of each of the code's; of a cell without any, that of the cell
    free: bool = False  # needs no framework: its result is kept once, of its own run


@dataclass(frozen=True, slots=True)
class Task:
    """A page in a framework."""

    page: str  # the document's name; its directory is the working directory
    result: str  # the name of its results
    path: str  # of the page, for messages
    tab: str
    cells: tuple[TaskCell, ...]
    probe: str  # code that tells the device
    packages: tuple[str, ...]  # modules that the framework's library imports
    gpus: int  # that the page can use, where there are any
    expected: float  # seconds that its last run took, to begin the longest first; 0 when there was none

    @classmethod
    def of(cls, view: View, packages: Sequence[str], expected: float) -> Task:
        cells = tuple(TaskCell(cell.runs, cell_hash(cell.runs), _lines_of(cell), cell.free) for cell in view.cells)
        document = view.document
        names = document.name, document.result_name, document.path, view.tab
        return cls(*names, cells, probe_code(view.tab), tuple(packages), gpus_asked_for(view), expected)

    @property
    def title(self) -> str:
        return f"{self.result} [{self.tab}]"


def _lines_of(cell: ViewCell) -> tuple[int, ...]:
    return tuple(line.number for line in cell.lines) or (cell.cell.code_line,)


@dataclass(frozen=True, slots=True)
class Done:
    """A page that ran to its end."""

    cells: tuple[CellResult, ...]
    device: Device
    versions: dict[str, str]  # of the packages and of Python, where it ran
    seconds: float


@dataclass(frozen=True, slots=True)
class Failed:
    """A page that did not, and why."""

    line: int  # of the page
    text: str
    code: str
    details: str = ""  # the traceback, what was printed


Outcomes = Generator[tuple[Task, Done | Failed], None, None]


@dataclass(frozen=True, slots=True)
class Step:
    """How far a page is."""

    task: str  # its title
    where: str  # the worker, "" for this process
    cell: int  # that is done, 0 when the page begins
    cells: int
    seconds: float  # that the cell took


Watch = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Machine:
    """What is installed where tasks run, as far as a framework needs it."""

    name: str  # "" for this one
    lacking: tuple[str, ...]
    versions: dict[str, str]


class Scheduler(Protocol):
    """Where pages run. It freezes nothing and prints nothing."""

    def machines(self, tab: str, packages: Sequence[str]) -> list[Machine]:
        """What is installed for a framework, on each machine or in each environment that there is."""

    def run(self, tasks: Sequence[Task], watch: Watch) -> Outcomes:
        """Each task with what came of it, as soon as that is known.

        What still runs is given up when the iterator is closed. Raises BookError when nothing more can run.
        """
