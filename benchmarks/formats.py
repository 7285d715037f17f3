"""The formats beside the site, of our own book: notebooks, PDF, ePub; how long they take and how large they are.

The peer is d2lbook 1.0.3 where it has the format and gets through, else our own cold build in the same run. Nothing is
executed: upstream runs with `eval_notebook = False`, ours from frozen results, so that ours alone has outputs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchmarks.bigbook import TABS
from benchmarks.html import ROOT, copy_own_book, edit, upstream_environment
from benchmarks.measure import Measured, run
from benchmarks.table import Row

TAB = TABS[0]  # whose PDF and ePub are measured
EDITED = "chapter_computation/lenet.md"
COLD = "our cold build"
# Upstream asks for fonts that are not in Debian's main TeX packages; ours stand in for them.
FONTS = "\n[pdf]\nmain_font = Noto Serif\nsans_font = Noto Sans\nmono_font = Noto Sans Mono\n"


def measure(work: Path) -> list[Row]:
    """Rows of the table; `work` is an empty directory."""
    ours, theirs = work / "ours", work / "theirs"
    copy_own_book(ours, execute_nothing=False)
    copy_own_book(theirs, execute_nothing=True)
    with (theirs / "config.ini").open("a") as config:
        config.write(FONTS)
    upstream = upstream_environment(ROOT / ".venv" / "upstream")
    return [*_notebooks(ours, theirs, upstream), *_printed(ours, theirs, upstream), *_sizes(ours)]


def _notebooks(ours: Path, theirs: Path, upstream: Path) -> list[Row]:
    peer = _upstream(theirs, upstream, [["d2lbook", "build", "ipynb", "--tab", tab] for tab in TABS])
    found = list((theirs / "_build").glob(f"**/{Path(EDITED).stem}.ipynb"))
    if peer.status or len(found) < len(TABS):
        raise SystemExit(f"benchmarks: upstream's notebooks are missing in {theirs}:\n{peer.output[-4000:]}")
    built = _ours(ours, "ipynb", f"_build/ipynb/en/{TAB}/{Path(EDITED).with_suffix('.ipynb')}")
    what = "notebooks of the book, with outputs and without, all frameworks"
    return [_row(what, built.seconds, f"{peer.seconds:.2f} s", peer.seconds, "< 5 s")]


def _printed(ours: Path, theirs: Path, upstream: Path) -> list[Row]:
    commands = [["d2lbook", "build", "pdf", "--tab", TAB]]
    peer = _upstream(theirs, upstream, commands)
    has_peer = not peer.status and any((theirs / "_build").glob("pdf*/*.pdf"))
    if not has_peer:
        print(f"upstream builds no PDF of these sources: {_last_line(peer)}", flush=True)
    rows = []
    for name, path in (("pdf", f"_build/pdf/en/{TAB}.pdf"), ("epub", f"_build/epub/en/{TAB}.epub")):
        cold = _ours(ours, name, path)
        unchanged = _ours(ours, name, path)
        edit(ours / EDITED)
        edited = _ours(ours, name, path)
        against = (f"{peer.seconds:.2f} s", peer.seconds) if name == "pdf" and has_peer else ("", None)
        label = {"pdf": "one PDF", "epub": "one ePub"}[name]
        rows += [
            _row(f"{label}, cold", cold.seconds, *against),
            _row(f"{label}, one page edited, to {COLD}", edited.seconds, f"{cold.seconds:.2f} s", cold.seconds),
            _row(f"{label}, nothing changed, to {COLD}", unchanged.seconds, f"{cold.seconds:.2f} s", cold.seconds),
        ]
    return rows


def _sizes(ours: Path) -> list[Row]:
    _ours(ours, "html", "_build/html/index.html")
    site = sum(path.stat().st_size for path in (ours / "_build" / "html").rglob("*") if path.is_file())
    files = {
        "size of the site, all frameworks": site,
        "size of one PDF": (ours / f"_build/pdf/en/{TAB}.pdf").stat().st_size,
        "size of one ePub": (ours / f"_build/epub/en/{TAB}.epub").stat().st_size,
    }
    return [Row(what, f"{size / 1e6:.1f} MB", "", None) for what, size in files.items()]


def _row(what: str, seconds: float, peer: str, peer_seconds: float | None, goal: str = "") -> Row:
    ratio = None if peer_seconds is None else peer_seconds / seconds
    return Row(what, f"{seconds:.2f} s", peer, ratio, goal)


def _ours(book: Path, stage: str, made: str) -> Measured:
    """One of our stages; it has to succeed and to leave the file `made`."""
    arguments = ["--lang", "en", *(["--tab", TAB] if stage in ("pdf", "epub") else [])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    measured = run([sys.executable, "-m", "d2lbook", stage, *arguments], book, environment)
    if measured.status or not (book / made).is_file():
        raise SystemExit(f"benchmarks: our {stage} failed in {book}:\n{measured.output[-4000:]}")
    return measured


def _upstream(book: Path, bin_directory: Path, commands: list[list[str]]) -> Measured:
    environment = {**os.environ, "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)  # where our own d2lbook may be
    program = f"import subprocess, sys; sys.exit(max(subprocess.call(c) for c in {commands!r}))"
    return run([str(bin_directory / "python"), "-c", program], book, environment)


def _last_line(measured: Measured) -> str:
    return (measured.output.strip().splitlines() or [f"status {measured.status}"])[-1]
