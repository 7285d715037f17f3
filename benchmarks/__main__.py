"""`python -m benchmarks [imports] [data] [training] [evaluation] [html] [languages] [formats]`: measures and prints.

`python -m benchmarks book` evaluates the whole book, for an hour or so: only when it is named.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, render


def main(names: list[str]) -> None:
    chosen = names or ["imports", "data", "training", "evaluation", "html", "languages", "formats"]
    rows: list[Row] = []
    if "imports" in chosen:
        from benchmarks import imports

        rows += imports.measure()
    if "data" in chosen:
        from benchmarks import data

        rows += data.measure()
    if "training" in chosen:
        from benchmarks import training

        rows += training.measure()
    if "evaluation" in chosen:
        from benchmarks import evaluation

        with tempfile.TemporaryDirectory(prefix="d2l-bench-") as work:
            rows += evaluation.measure(Path(work))
    if "book" in chosen:
        from benchmarks import evaluation

        rows += evaluation.measure_book()
    if "html" in chosen:
        from benchmarks import html

        with tempfile.TemporaryDirectory(prefix="d2l-bench-") as work:
            rows += html.measure(Path(work))
    if "languages" in chosen:
        from benchmarks import languages

        with tempfile.TemporaryDirectory(prefix="d2l-bench-") as work:
            rows += languages.measure(Path(work))
    if "formats" in chosen:
        from benchmarks import formats

        with tempfile.TemporaryDirectory(prefix="d2l-bench-") as work:
            rows += formats.measure(Path(work))
    print(render(rows), flush=True)
    today = datetime.datetime.now(datetime.UTC).date()
    print(f"\n{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, {today}")


if __name__ == "__main__":
    main(sys.argv[1:])
