"""`make TARGET` for every system, as `python -m d2lbook make TARGET`. Standard library only: it runs first of all.

The Makefile calls these targets; each first brings `.venv` to what it needs and says what is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from d2lbook.make.apt import AptError
from d2lbook.make.environment import Say, TaskError, check_root, prepare
from d2lbook.make.targets import TARGETS

__all__ = ["TARGETS", "main"]


def main(names: Sequence[str], root: Path, say: Say) -> int:
    """Runs targets in order; 0 when all succeeded, else the first failure's status."""
    for name in names or ["help"]:
        status = _run_target(name, root, say)
        if status:
            return status
    return 0


def _run_target(name: str, root: Path, say: Say) -> int:
    target = TARGETS.get(name)
    try:
        if target is None:
            raise TaskError(f"unknown target '{name}'; `make help` lists them")
        if name == "help":
            width = max(map(len, TARGETS))
            say("\n".join(f"make {key:<{width}}  {value.help}" for key, value in TARGETS.items()))
            return 0
        check_root(root)
        if name == "clean":
            shutil.rmtree(root / "_build", ignore_errors=True)
            return 0
        python = prepare(target.environment, target.needs, root, say)
        return run_commands(target.commands, python, root)
    except (TaskError, AptError) as error:
        print(f"make {name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"make {name}: stopped; run it again to go on", file=sys.stderr)
        return 130


def run_commands(commands: Sequence[Sequence[str]], python: Path, root: Path) -> int:
    for command in commands:
        status = _status([part.format(python=python, programs=python.parent) for part in command], root)
        if status:
            return status
    return 0


def _status(command: Sequence[str], root: Path) -> int:
    """What a command ends with. Ctrl-C reaches it, too: it ends in its own way, and says so."""
    process = subprocess.Popen(command, cwd=root)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue
