"""Our builder beside itself at commit 33f5757, which wrote the site with Sphinx: both build that commit's book.

Medians of five. The old builder gets an environment of its own, with the packages that the commit pins. The frozen
results of the old book are given today's keys, since today's builder would call them stale and show no output.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.bigbook import write_book
from benchmarks.html import PAGES, ROOT, copy_own_book, edit
from benchmarks.languages import CHANGED, change_a_sentence, time_until_served
from benchmarks.measure import run
from benchmarks.table import Row

COMMIT = "33f5757"
TIMES = 5
PAGE = "chapter_computation/lenet.md"
# Keys that the old book has and that today's builder refuses; its cells use names that today's check would refuse.
LEFT_OUT = ("discuss_url", "strict")


class Builder:
    """A builder: its Python, where its package lies, and the book that it builds again and again."""

    def __init__(self, python: Path, home: Path, book: Path) -> None:
        self.command = [str(python), "-m", "d2lbook"]
        self.environment = {**os.environ, "PYTHONPATH": str(home)}
        self.book = book

    def html(self, *arguments: str) -> float:
        """Seconds of a command that builds the site."""
        measured = run([*self.command, "html", *arguments], self.book, self.environment)
        if measured.status:
            raise SystemExit(f"benchmarks: html failed in {self.book}:\n{measured.output[-4000:]}")
        return measured.seconds

    def cold(self, *arguments: str) -> float:
        shutil.rmtree(self.book / "_build", ignore_errors=True)
        return self.html(*arguments)

    def edited(self, *arguments: str) -> float:
        edit(self.book / PAGE)
        return self.html(*arguments)

    def changed_sentence(self) -> float:
        change_a_sentence(self.book / CHANGED, "one sentence more")
        return self.html()


def measure(work: Path) -> list[Row]:
    """Rows of the table; `work` is an empty directory."""
    old_home = work / "builder"
    _extract(old_home)
    python = _environment(ROOT / ".venv" / "before", old_home)
    old = Builder(python, old_home, _old_book(old_home, work / "old-book"))
    new = Builder(Path(sys.executable), ROOT, _old_book(old_home, work / "new-book"))
    _give_todays_keys(new)
    english = ("--lang", "en")
    rows = [
        _row("cold in English", "≥ 1.8", old, new, lambda builder: builder.cold(*english)),
        _row("nothing changed", "< 0.2 s", old, new, lambda builder: builder.html(*english)),
        _row("one page edited", "≥ 2.4", old, new, lambda builder: builder.edited(*english)),
        _row("cold in four languages", "≥ 1.86", old, new, lambda builder: builder.cold()),
        _row("one sentence of a translation changed", "", old, new, lambda builder: builder.changed_sentence()),
    ]
    for lang in ("en", "ko", "vi", "tr"):
        before, now = (
            time_until_served(builder.book, lang, builder.command, builder.environment) for builder in (old, new)
        )
        rows.append(_seconds(f"from save to browser, {lang}", "< 0.5 s", before, now))
    old.book, new.book = work / "old-big", work / "new-big"
    for builder in (old, new):
        write_book(builder.book, PAGES)
    return [*rows, _row(f"{PAGES} pages, cold", "≥ 1.56", old, new, lambda builder: builder.cold())]


def _row(what: str, goal: str, old: Builder, new: Builder, action: Callable[[Builder], float]) -> Row:
    """Both in turns, so that they meet the same machine."""
    pairs = [(action(old), action(new)) for _ in range(TIMES)]
    before, now = (statistics.median(column) for column in zip(*pairs, strict=True))
    return _seconds(what, goal, before, now)


def _seconds(what: str, goal: str, before: float, now: float) -> Row:
    return Row(f"the book of {COMMIT}: {what}, to its builder", f"{now:.2f} s", f"{before:.2f} s", before / now, goal)


def _extract(target: Path) -> None:
    done = subprocess.run(["git", "archive", COMMIT], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"benchmarks: the history lacks commit {COMMIT}; fetch it all: git fetch --unshallow")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(target, filter="data")


def _environment(venv: Path, home: Path) -> Path:
    python = venv / "bin" / "python"
    if not (venv / "whole").exists():
        subprocess.check_call([sys.executable, "-m", "venv", "--clear", str(venv)])
        pins = home / "requirements" / "html.txt"
        subprocess.check_call([str(python), "-m", "pip", "install", "--quiet", "-r", str(pins)])
        (venv / "whole").touch()
    return python


def _old_book(home: Path, target: Path) -> Path:
    """A copy of the commit's book without its builder."""
    copy_own_book(target, execute_nothing=False, home=home)
    return target


def _give_todays_keys(new: Builder) -> None:
    """Has today's builder take the old results for fresh."""
    config = new.book / "config.ini"
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    config.write_text("".join(line for line in lines if not line.startswith(LEFT_OUT)), encoding="utf-8")
    for path, key in _todays_keys(config):
        result = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**result, "key": key}), encoding="utf-8")


def _todays_keys(config_file: Path) -> Sequence[tuple[Path, str]]:
    from d2lbook.book import load_book
    from d2lbook.config import load
    from d2lbook.diagnostics import Messages
    from d2lbook.execute.frozen import load_run, run_path
    from d2lbook.execute.key import kept_key
    from d2lbook.execute.state import Wanted

    messages = Messages()
    config = load(config_file, messages)
    book = load_book(config, messages)
    found = []
    for page in book.pages:
        for tab in book.tabs:
            name = page.document.result_name
            if (result := load_run(config.root, name, tab)) is not None:
                versions = Wanted.now(tab, config.root).versions(result.produced.versions)
                found.append((run_path(config.root, name, tab), kept_key(page.document, tab, book, config, versions)))
    return found
