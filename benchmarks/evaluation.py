"""Seconds of `d2lbook eval` by each scheduler: two kernels of this machine beside two workers of a Dask cluster.

The cluster runs already, as one that several people share does; `--dask-local`, which starts its own, has a row, too.
"""

from __future__ import annotations

import os
import shutil
import socket
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.measure import run
from benchmarks.table import Row

ROOT = Path(__file__).resolve().parent.parent
PAGES, PAGE_SECONDS, ROUNDS = 6, 12.0, 3  # the median of our own pages is 28 s
# Work of the processor, as a page's is: so long that the fastest machine still counts seconds.
CELL = """```{{.python .input}}
import time
end = time.process_time() + {seconds}
total = 0
while time.process_time() < end:
    total += sum(range(10_000))
```
"""


def measure(work: Path) -> list[Row]:
    books = {
        "tiny book": _tiny_book(work / "tiny"),
        f"{PAGES} pages of {PAGE_SECONDS:.0f} s": _book(work / "pages"),
    }
    rows = []
    with _cluster(work) as address:
        for name, book in books.items():
            ways = {"": ["--jobs", "2"], "Dask": ["--dask", address], "own Dask": ["--dask-local", "2"]}
            seconds = _in_turns(book, ways)
            local = seconds.pop("")
            goals = {"Dask": "≥ 0.95" if book.name == "pages" else "", "own Dask": ""}
            for way, there in seconds.items():
                what = f"evaluation of {name}, {way} with two workers, to two local kernels"
                rows.append(Row(what, f"{there:.2f} s", f"{local:.2f} s", local / there, goals[way]))
    return rows


def measure_book() -> list[Row]:
    """The whole book of this repository, in all frameworks: an hour or so, so only when asked for by name."""
    seconds = _seconds(ROOT, ["--jobs", "2"])
    return [Row("evaluation of the whole book, all frameworks, two local kernels", f"{seconds / 60:.0f} min", "", None)]


def _tiny_book(folder: Path) -> Path:
    shutil.copytree(ROOT / "tests" / "tinybook", folder, ignore=shutil.ignore_patterns("outputs", "_build"))
    return folder


def _book(folder: Path) -> Path:
    folder.mkdir()
    names = [f"page{number}" for number in range(PAGES)]
    (folder / "config.ini").write_text("[project]\nname = pages\n[build]\ntime_limit = 600\n")
    toc = "\n".join(names)
    (folder / "index.md").write_text(f"# Pages\n\n```toc\n\n{toc}\n```\n")
    for name in names:
        (folder / f"{name}.md").write_text(f"# {name}\n\n{CELL.format(seconds=PAGE_SECONDS)}")
    return folder


def _in_turns(book: Path, ways: dict[str, list[str]]) -> dict[str, float]:
    """The median seconds of each way to evaluate a book, taken in turns so that all meet the same machine."""
    rounds = [{name: _seconds(book, options) for name, options in ways.items()} for _ in range(ROUNDS)]
    return {name: statistics.median(seconds[name] for seconds in rounds) for name in ways}


def _seconds(book: Path, options: list[str]) -> float:
    command = [sys.executable, "-m", "d2lbook", "eval", "--force", "--dry-run", *options]
    done = run(command, book, _environment(), limit=4 * 3600)
    if done.status:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.output}")
    return done.seconds


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@contextmanager
def _cluster(work: Path) -> Iterator[str]:
    """The address of a scheduler with two workers on this machine, one page at a time each."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
    host = ("--host", "127.0.0.1", "--no-dashboard")
    with ExitStack() as processes, (work / "dask.log").open("wb") as log:

        def begin(*command: str) -> None:
            child = subprocess.Popen(
                [sys.executable, "-m", "dask", *command], cwd=work, env=_environment(), stdout=log, stderr=log
            )
            processes.callback(child.wait)
            processes.callback(child.terminate)

        begin("scheduler", *host, "--port", address.rpartition(":")[2])
        for _ in range(2):
            begin("worker", address, *host, "--nthreads", "1", "--no-nanny")
        _wait_for_workers(address)
        yield address


def _wait_for_workers(address: str) -> None:
    program = "import sys; from distributed import Client; Client(sys.argv[1], timeout=60).wait_for_workers(2, 60)"
    subprocess.run([sys.executable, "-c", program, address], check=True, env=_environment())
