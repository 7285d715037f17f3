"""`make fuzz`: reads, checks and writes many pages changed at random, and what a book has beside pages.

These are catalogs, frozen results, drawings, HTML and configurations. What something does not bear is kept in
`.kept/fuzz`, with how it ended, and the command fails.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from mutated_files import dealt_out, failure
from mutation import Failure, failures, mutated

PAGES = 100_000
FILES = 20_000  # beside the pages
AT_ONCE = 100  # pages of one book
BOOKS = 10  # of one process, which then gives its memory back
KEPT = Path(__file__).parent.parent / ".kept" / "fuzz"  # `_build` is the builder's alone


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Builds books of pages that are changed at random.")
    parser.add_argument("--pages", type=int, default=PAGES, help="how many (default: %(default)s)")
    parser.add_argument("--files", type=int, default=FILES, help="beside them, of all kinds (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first page (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: %(default)s)")
    arguments = parser.parse_args(argv)
    begun, done, failed = time.monotonic(), 0, 0
    stop = arguments.seed + arguments.pages
    ranges = [(first, min(first + AT_ONCE, stop)) for first in range(arguments.seed, stop, AT_ONCE)]
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=BOOKS) as pool:
        for (first, last), found in pool.imap_unordered(_examined, ranges):
            done += last - first
            for failure in found:
                failed += 1
                _report(failure, failed)
            if done % (20 * AT_ONCE) == 0:
                print(f"{done:,} pages, {failed} failed, {_minutes(begun)}", flush=True)
    files = dealt_out(arguments.files, arguments.seed)
    with ProcessPoolExecutor(arguments.jobs) as executor:  # whose processes may have some of their own
        for file_failure in executor.map(_examined_file, files, chunksize=20):
            if file_failure is not None:
                failed += 1
                _report(file_failure, failed)
    print(f"{done:,} pages and {len(files):,} other files changed at random: {failed} failed, {_minutes(begun)}")
    return 1 if failed else 0


def _examined_file(kind_and_seed: tuple[str, int]) -> Failure | None:
    return failure(*kind_and_seed)


def _examined(seeds: tuple[int, int]) -> tuple[tuple[int, int], list[Failure]]:
    return seeds, list(failures([mutated(seed) for seed in range(*seeds)]))


def _report(failure: Failure, number: int) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    page = KEPT / f"{number}.md"
    page.write_text(failure.page, encoding="utf-8", newline="")
    page.with_suffix(".txt").write_text(failure.trace, encoding="utf-8")
    print(f"{page}: {failure.trace.strip().splitlines()[-1][:160]}", flush=True)


def _minutes(begun: float) -> str:
    return f"{(time.monotonic() - begun) / 60:.1f} minutes"


if __name__ == "__main__":
    sys.exit(main())
