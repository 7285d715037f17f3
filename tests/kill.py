"""`make kill-test`: kills commands at random moments; nothing may be lost, nothing left, and the next run does well."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from d2lbook.files import TEMPORARY

ROOT = Path(__file__).resolve().parents[1]
TINYBOOK = ROOT / "tests" / "tinybook"
KILLS = 200
COMMANDS = (
    ("html",),
    ("eval", "--tab", "plain", "--force"),
    ("lib",),
    ("translate", "update"),
    ("deploy",),
    ("ipynb",),
    ("pdf", "--tab", "plain"),
    ("epub",),
    ("slides",),
    ("pkg",),
    ("offline",),
    ("linkcheck",),
)
SOURCES = ("*.md", "*.ini", "*.bib", "*.svg", "*.py", "*.po")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Kills commands at random moments.")
    parser.add_argument("--kills", type=int, default=KILLS, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: %(default)s)")
    arguments = parser.parse_args(argv)
    moments = random.Random(arguments.seed)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book"
        shutil.copytree(TINYBOOK, book, ignore=shutil.ignore_patterns("_build"))
        for command in (("lib",), ("eval",)):
            _seconds(book, command)
        seconds = {command: _seconds(book, command) for command in COMMANDS}
        kept = _sources(book)
        for number in range(arguments.kills):
            command = COMMANDS[number % len(COMMANDS)]
            after = moments.uniform(0, seconds[command])
            found = _killed(book, command, after, kept)
            failed += bool(found)
            if found:
                print(f"d2lbook {' '.join(command)}, killed after {after:.2f} s: {found}", flush=True)
    print(f"{arguments.kills} kills, {failed} with something wrong afterwards")
    return 1 if failed else 0


def _start(book: Path, command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "d2lbook", *command],
        cwd=book,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _seconds(book: Path, command: Sequence[str]) -> float:
    """How long a command takes that nothing stops."""
    begun = time.monotonic()
    process = _start(book, command)
    said = process.communicate()[0]
    if process.returncode:
        raise SystemExit(f"d2lbook {' '.join(command)} fails by itself: {said}")
    return time.monotonic() - begun


def _killed(book: Path, command: Sequence[str], after: float, kept: dict[str, bytes]) -> str:
    """What is wrong after a command was killed, with all that it had started, and run again."""
    process = _start(book, command)
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    again = _start(book, command)
    said = again.communicate()[0]
    if again.returncode:
        return f"the next run fails: {said.strip()[-300:]}"
    if lost := [name for name, content in kept.items() if (book / name).read_bytes() != content]:
        return f"{lost[0]} is not what it was"
    left = [path for path in book.rglob(f".*{TEMPORARY}") if "_build" not in path.parts]
    return f"{left[0]} is left" if left else ""


def _sources(book: Path) -> dict[str, bytes]:
    paths = [path for pattern in SOURCES for path in book.rglob(pattern) if "_build" not in path.parts]
    return {path.relative_to(book).as_posix(): path.read_bytes() for path in paths}


if __name__ == "__main__":
    sys.exit(main())
