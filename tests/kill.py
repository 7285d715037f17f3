"""`make kill-test`: kills commands at random moments; nothing may be lost, nothing left, and the next run does well.

Before each kill a page is changed, so that there is work to do. What a killed command and the one after it have built
is compared, at the end, with what a book that nobody disturbed gives.
"""

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
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from d2lbook.files import TEMPORARY

ROOT = Path(__file__).resolve().parents[1]
TINYBOOK = ROOT / "tests" / "tinybook"
KILLS = 200
ONE = ("--tab", "plain", "--lang", "en")  # one edition: what is killed matters, not how much of it there is
COMMANDS = (
    ("html",),
    ("eval", "--tab", "plain", "--force"),
    ("lib",),
    ("translate", "update"),
    ("deploy",),
    ("ipynb", *ONE),
    ("pdf", *ONE),
    ("epub", *ONE),
    ("slides", *ONE),
    ("pkg", *ONE),
    ("offline", *ONE),
    ("colab", *ONE),
    ("sagemaker", *ONE),
    ("dist", "--trust"),
    ("linkcheck",),
)
SOURCES = ("*.md", "*.ini", "*.bib", "*.svg", "*.py", "*.po", "*.toml", "outputs/**/*.json")
# These write nothing into `_build`, or what the others have written: they come after them.
LAST = ("deploy",)
NO_FORMATS = ("eval", "lib", "translate", "linkcheck", *LAST)
PACKAGE = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "tinybook"
version = "0.1"
[tool.setuptools]
packages = ["tiny"]
"""


@dataclass
class Book:
    """A copy of the tiny book, with all that the commands need."""

    root: Path
    round: int = 0
    seconds: dict[Sequence[str], float] = field(default_factory=dict)

    def make(self) -> None:
        shutil.copytree(TINYBOOK, self.root, ignore=shutil.ignore_patterns("_build", "__pycache__"))
        config = self.root / "config.ini"
        text = config.read_text().replace(
            "lang = en\n", "lang = en\nlanguages = xx\nd2l_address = https://example.org/tinybook.whl\n"
        )
        config.write_text(text + "".join(f"[{name}]\ngithub_repo = a/b\n" for name in ("colab", "sagemaker")))
        (self.root / "pyproject.toml").write_text(PACKAGE)
        for command in (("lib",), ("eval",), ("translate", "update")):
            self.run(command)

    def change(self) -> None:
        """Gives every command something to do: words of a page that has cells, and a saved definition."""
        self.round += 1
        page = self.root / "chapter_numbers" / "means.md"
        first = page.read_text().partition("\n\nRound ")[0]
        page.write_text(first + f"\n\nRound {self.round}.\n")

    def start(self, command: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "d2lbook", *command],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, command: Sequence[str]) -> None:
        """Runs a command that nothing stops, and notes how long it takes."""
        begun = time.monotonic()
        process = self.start(command)
        said = process.communicate()[0]
        if process.returncode:
            raise SystemExit(f"d2lbook {' '.join(command)} fails by itself: {said}")
        self.seconds[command] = time.monotonic() - begun

    def files(self, *patterns: str) -> dict[str, bytes]:
        paths = [path for pattern in patterns for path in self.root.rglob(pattern) if "_build" not in path.parts]
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in paths}

    def built(self) -> dict[str, bytes]:
        output = self.root / "_build"
        paths = (path.relative_to(output) for path in output.rglob("*") if path.is_file())
        return {
            path.as_posix(): (output / path).read_bytes()
            for path in paths
            if not path.parts[0].startswith((".", "latex"))
        }


def killed(book: Book, command: Sequence[str], moments: random.Random) -> tuple[float, str]:
    """When a command was killed, with all that it had started, and what is wrong after it has run again."""
    while True:
        book.change()
        kept = book.files(*SOURCES)
        after = moments.uniform(0, book.seconds[command])
        process = book.start(command)
        try:
            process.communicate(timeout=after)
            book.seconds[command] *= 0.8  # it was quicker than that, and ended by itself
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return after, "; ".join(_wrong(book, command, kept))


def _wrong(book: Book, command: Sequence[str], kept: dict[str, bytes]) -> Iterator[str]:
    for name, content in kept.items():
        if not (book.root / name).exists():
            yield f"{name} is lost"
        elif not _may_change(name, command) and (book.root / name).read_bytes() != content:
            yield f"{name} is not what it was"
    again = book.start(command)
    said = again.communicate()[0]
    if again.returncode:
        yield f"the next run fails: {said.strip()[-300:]}"
    for path in book.root.rglob(f".*{TEMPORARY}"):
        if "_build" not in path.parts:
            yield f"{path.relative_to(book.root)} is left"


def _may_change(name: str, command: Sequence[str]) -> bool:
    """Whether the command writes this file: results, catalogs."""
    written = {"eval": "outputs/", "translate": "locales/"}.get(command[0], "\0")
    return name.startswith(written)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Kills commands at random moments.")
    parser.add_argument("--kills", type=int, default=KILLS, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the moments (default: %(default)s)")
    arguments = parser.parse_args(argv)
    moments, begun, failed, count = random.Random(arguments.seed), time.monotonic(), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        book, calm = Book(Path(folder) / "a" / "book"), Book(Path(folder) / "b" / "book")
        book.make()
        for command in COMMANDS:
            book.change()
            book.run(command)
        for number in range(arguments.kills):
            command = COMMANDS[number % len(COMMANDS)]
            after, found = killed(book, command, moments)
            count[command[0]] += 1
            if (number + 1) % 20 == 0:
                print(f"{number + 1} kills, {failed} with something wrong afterwards", flush=True)
            failed += bool(found)
            if found:
                print(f"d2lbook {' '.join(command)}, killed after {after:.2f} s: {found}", flush=True)
        # The last round's pages, built at once where nothing was ever killed.
        shutil.copytree(book.root, calm.root, ignore=shutil.ignore_patterns("_build"))
        for command in (*(command for command in COMMANDS if command[0] not in NO_FORMATS), LAST):
            book.run(command)
            calm.run(command)
        ours, wanted = book.built(), calm.built()
        other = sorted(name for name in ours.keys() | wanted.keys() if ours.get(name) != wanted.get(name))
        failed += len(other)
        if other:
            print(f"{len(other)} files are not what an undisturbed build gives: {', '.join(other[:9])}", flush=True)
    each = ", ".join(f"{name} {times}" for name, times in count.items())
    minutes = (time.monotonic() - begun) / 60
    print(f"{arguments.kills} kills ({each}), {failed} with something wrong afterwards, {minutes:.1f} minutes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
