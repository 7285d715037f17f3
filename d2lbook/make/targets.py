"""What each target of `make` is for, needs and runs; those of the book's commands come from their table."""

from __future__ import annotations

import os
from dataclasses import dataclass

from d2lbook.commands.command import Command
from d2lbook.commands.table import COMMANDS, TRUST


@dataclass(frozen=True, slots=True)
class Target:
    """One target: what it is for, the environment it needs, and the commands it runs there."""

    help: str
    environment: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    needs: tuple[str, ...] = ()  # uses of `system_packages.NEEDS`; "html" goes without saying


def _book(*arguments: str) -> tuple[str, ...]:
    return ("{python}", "-m", "d2lbook", *arguments)


_MARKS_OF_TEST = ("frameworks", "browser", "tex", "slow")  # what `test-fast` leaves out of `test`
_MARKS_ALONE = ("pages", "one_gpu", "gpu", "hosted", "wheels")  # each has a target of its own


def _tests(*arguments: str) -> tuple[str, ...]:
    """The tests, on half as many processes again as there are cores, since many wait for a browser or another process.

    Four at most, since each may load four frameworks.
    """
    cores = os.cpu_count() or 1
    processes = str(min(4, cores + cores // 2))
    return ("{python}", "-m", "pytest", "tests", "-n", processes, *arguments)


def _trusted(row: Command) -> tuple[str, ...]:
    """This book's package is built by its own backend; whoever runs make in it means to."""
    return (TRUST.flag,) if TRUST in row.options else ()


def _of_commands() -> dict[str, Target]:
    """A target for each command that has an environment."""
    return {
        row.name: Target(row.help, row.environment, (_book(row.name, *_trusted(row)),), row.needs)
        for row in COMMANDS
        if row.environment
    }


_MANUAL = (("{python}", "manual/generate.py"), _book("html", "--config", "manual/config.ini"))
_FORMATS = _book("build", *(row.name for row in COMMANDS if row.is_format), TRUST.flag)
TARGETS: dict[str, Target] = {
    "help": Target("list the targets"),
    **_of_commands(),
    "test": Target(
        "run all tests; each page in short mode in one of the frameworks, with one GPU pretended",
        "test",
        (_tests(),),
        ("test",),
    ),
    "test-fast": Target(
        "run the tests that need no framework, no browser and no TeX, and are quick",
        "test",
        (_tests("-m", " and ".join(f"not {mark}" for mark in (*_MARKS_OF_TEST, *_MARKS_ALONE))),),
        ("fast",),
    ),
    "test-pages": Target(
        "run every page in short mode in every framework; that frozen results are fresh proves as much",
        "test",
        (_tests("-m", "pages"),),
        ("eval",),
    ),
    "test-one-gpu": Target(
        "run every page in short mode in the three frameworks in which `make test` did not, with one GPU pretended",
        "test",
        (_tests("-m", "one_gpu"),),
        ("eval",),
    ),
    "setup": Target("install all that the other targets need into .venv", "test"),
    "all-formats": Target("build the site and every other format; one that fails stops no other", "html", (_FORMATS,)),
    "deploy-preview": Target(
        "build every format and put all into one folder to publish, _build/deploy",
        "html",
        (*_MANUAL, (*_FORMATS[:-1], "deploy", TRUST.flag)),
    ),
    "manual": Target("build the builder's manual into _build/manual", "html", _MANUAL),
    "translate": Target(
        "bring the translations' catalogs in step with the pages, and say how far they are",
        "html",
        (_book("translate", "update"), _book("translate", "status")),
    ),
    "lint": Target(
        "ruff, strict mypy, and oxlint for the scripts",
        "test",
        (
            ("{python}", "-m", "ruff", "check", "."),
            ("{python}", "-m", "ruff", "format", "--check", "d2lbook", "tests", "benchmarks", "manual"),
            ("{python}", "-m", "mypy", "--strict", "d2lbook", "d2l"),
            ("{programs}/oxlint", "d2lbook", "img", "tests"),
        ),
    ),
    "fuzz": Target(
        "read, check and write 100,000 pages changed at random: nothing may raise or hang",
        "test",
        (("{python}", "tests/fuzz.py"),),
    ),
    "kill-test": Target(
        "kill commands at 200 random moments: nothing may be lost or left, and the next run does well",
        "test",
        (("{python}", "tests/kill.py"),),
        ("eval", "pdf"),
    ),
    "bench": Target(
        "measure against peers and print the ratios",
        "test",
        (("{python}", "-m", "benchmarks"),),
        ("bench", "eval", "pdf"),
    ),
    # The pinned environment has CPU builds, so these run with the Python that sees the accelerator: make PYTHON=…
    "test-gpu": Target(
        "run the tests that need an accelerator, with your own Python's frameworks",
        "",
        (("{python}", "-m", "pytest", "tests/frameworks/test_gpu.py", "-m", "gpu"),),
    ),
    "test-hosted": Target(
        "run hosted notebooks on their platforms' versions (needs Python 3.12 and 3.13)",
        "test",
        (_tests("-m", "hosted"),),
        ("eval", "hosted"),
    ),
    "test-wheels": Target(
        "install the package on Python 3.10 to 3.13, with each framework that has a CPU build",
        "test",
        (_tests("-m", "wheels"),),
    ),
    "test-fresh": Target(
        "run `make html` and `make test` in a minimal Debian of its own (root; 15 GB for the time being)",
        "",
        (("{python}", "tests/fresh_machine.py"),),
        ("fresh",),
    ),
    "system": Target("install the system packages that all of these need, or say how", needs=("gate", "html", "test")),
    "clean": Target("remove what was built (.venv stays)"),
}
