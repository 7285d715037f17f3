"""`python -m benchmarks [PART ...]`: measures and prints; without a part, all of `PARTS` but the last.

`book` evaluates the whole book, for an hour or so: only when it is named.
"""

from __future__ import annotations

import datetime
import importlib
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, render

PARTS = ("imports", "data", "training", "evaluation", "html", "before", "languages", "formats", "book")
IN_A_DIRECTORY = {"evaluation", "html", "before", "languages", "formats"}  # they are given an empty one


def main(names: list[str]) -> None:
    if unknown := [name for name in names if name not in PARTS]:
        raise SystemExit(f"benchmarks: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each run compiles what it imports anew
    rows: list[Row] = []
    for part in names or PARTS[:-1]:
        rows += _measure(part)
    print(render(rows), flush=True)
    today = datetime.datetime.now(datetime.UTC).date()
    print(f"\n{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, {today}")


def _measure(part: str) -> list[Row]:
    if part == "book":
        from benchmarks import evaluation

        return evaluation.measure_book()
    module = importlib.import_module(f"benchmarks.{part}")
    if part not in IN_A_DIRECTORY:
        return list(module.measure())
    with tempfile.TemporaryDirectory(prefix="d2l-bench-") as work:
        return list(module.measure(Path(work)))


if __name__ == "__main__":
    main(sys.argv[1:])
