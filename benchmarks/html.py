"""Our HTML build beside d2lbook 1.0.3's, on our own book's sources and on a generated book of 200 pages.

Neither executes anything: upstream runs with `eval_notebook = False`, ours from frozen results (our book) or with
`eval_notebook = False` (the generated one). Upstream gets an environment of its own; it also needs pandoc.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.bigbook import TABS, write_book
from benchmarks.measure import Measured, run
from benchmarks.table import Row
from d2lbook.system_packages import hint, program_package

ROOT = Path(__file__).resolve().parent.parent
UPSTREAM = ("d2lbook==1.0.3", "pybtex<0.25", "setuptools<70")  # today's pybtex breaks it, as does a newer setuptools
OWN_FILES = (
    "index.md",
    "references.bib",
    "config.ini",
    "chapter_computation",
    "img",
    "static",
    "d2l",
    "outputs",
    "locales",
    "requirements",
)
PAGES = 200


def measure(work: Path) -> list[Row]:
    """Rows of the table; `work` is an empty directory that may hold a gigabyte."""
    if not shutil.which("pandoc"):
        raise SystemExit(f"benchmarks: upstream needs pandoc; {hint([program_package('pandoc')])}")
    upstream = upstream_environment(ROOT / ".venv" / "upstream")
    rows = _own_book(work, upstream)
    return rows + _big_book(work, upstream)


def upstream_environment(venv: Path) -> Path:
    bin_directory = venv / "bin"
    if not (bin_directory / "d2lbook").exists():
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", str(venv)])
        subprocess.check_call([str(bin_directory / "pip"), "install", "--quiet", *UPSTREAM])
    return bin_directory


def copy_own_book(target: Path, *, execute_nothing: bool, home: Path = ROOT) -> None:
    """A copy of our book's sources, as they are at `home`; with `execute_nothing` in English, for upstream to build."""
    target.mkdir(parents=True)
    for name in OWN_FILES:
        source = home / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target / name)
    if execute_nothing:
        # Upstream rewrites aliases by a parser that our pages stop (`tab.selected` with `else`), so it is spared that.
        config = (target / "config.ini").read_text().split("[library]")[0]
        (target / "config.ini").write_text(config.replace("[build]", "[build]\neval_notebook = False", 1))


def _build_upstream(bin_directory: Path, book: Path) -> Measured:
    """Upstream's notebooks for each tab, then its site of all tabs, as one measured shell-less Python process."""
    environment = {**os.environ, "PATH": f"{bin_directory}{os.pathsep}{os.environ['PATH']}"}
    commands = [["d2lbook", "build", "eval", "--tab", tab] for tab in TABS] + [
        ["d2lbook", "build", "html", "--tab", "all"]
    ]
    program = f"import subprocess, sys; sys.exit(max(subprocess.call(c) for c in {commands!r}))"
    measured = run([str(bin_directory / "python"), "-c", program], book, environment)
    _expect_pages(measured, book / "_build" / "html", book)
    return measured


def _build_ours(book: Path, *arguments: str) -> Measured:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    measured = run([sys.executable, "-m", "d2lbook", "html", *arguments], book, environment)
    if measured.status:
        raise SystemExit(f"benchmarks: our build failed in {book}:\n{measured.output[-4000:]}")
    _expect_pages(measured, book / "_build" / "html", book)
    return measured


def _expect_pages(measured: Measured, html: Path, book: Path) -> None:
    sources = [path.relative_to(book) for path in book.glob("**/*.md")]
    no_pages = {"_build", "locales", "requirements"}
    wanted = {path.with_suffix(".html") for path in sources if path.parts[0] not in no_pages}
    missing = [str(path) for path in wanted if not (html / path).exists()]
    if missing:
        raise SystemExit(f"benchmarks: pages missing from {html}: {missing[:5]}\n{measured.output[-4000:]}")


def _row(what: str, ours: Measured, theirs: Measured, goal: str) -> Row:
    return Row(what, f"{ours.seconds:.2f} s", f"{theirs.seconds:.2f} s", theirs.seconds / ours.seconds, goal)


def _own_book(work: Path, upstream: Path) -> list[Row]:
    copy_own_book(work / "own-theirs", execute_nothing=True)
    copy_own_book(work / "own-ours", execute_nothing=False)
    theirs = _build_upstream(upstream, work / "own-theirs")
    english = "--lang", "en"  # which is all that upstream builds; `languages.py` has the others
    cold = _build_ours(work / "own-ours", *english)
    edited = _after_edit(work / "own-ours", work / "own-ours" / "chapter_computation" / "lenet.md", *english)
    return [
        _row("our book, cold", cold, theirs, "≥ 3, aim 6"),
        _row("our book, one page edited, to upstream's cold", edited, theirs, "≥ 20, < 3 s"),
    ]


def edit(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    heading = re.search(r"^# .*\n(:label:.*\n)?", text, re.MULTILINE)
    end = heading.end() if heading else 0
    page.write_text(f"{text[:end]}\nOne more sentence in this page.\n{text[end:]}", encoding="utf-8")


def _after_edit(book: Path, page: Path, *arguments: str) -> Measured:
    edit(page)
    return _build_ours(book, *arguments)


def _big_book(work: Path, upstream: Path) -> list[Row]:
    write_book(work / "big-theirs", PAGES)
    paths = write_book(work / "big-ours", PAGES)
    theirs = _build_upstream(upstream, work / "big-theirs")
    cold = _build_ours(work / "big-ours")
    unchanged = _build_ours(work / "big-ours")
    edited = _after_edit(work / "big-ours", paths[PAGES // 2])
    memory = theirs.peak_bytes / cold.peak_bytes
    return [
        _row(f"{PAGES} pages, cold", cold, theirs, "≥ 3, aim 6"),
        _row(f"{PAGES} pages, one edited, to upstream's cold", edited, theirs, "≥ 20, < 3 s"),
        _row(f"{PAGES} pages, nothing changed, to upstream's cold", unchanged, theirs, "< 1 s"),
        Row(f"{PAGES} pages, peak memory", _mib(cold), _mib(theirs), memory, "< 1 GiB"),
    ]


def _mib(measured: Measured) -> str:
    return f"{measured.peak_bytes / 2**20:.0f} MiB"
