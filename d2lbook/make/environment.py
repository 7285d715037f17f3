"""Brings the system, `.venv` and the data to what a target needs. Standard library only."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from d2lbook.frameworks import FRAMEWORKS
from d2lbook.make.apt import AptError, apt
from d2lbook.system_packages import how_to_get, lacking, needed, this_system

Say = Callable[[str], None]
OLDEST_PYTHON = (3, 11)
REQUIREMENTS = Path("requirements")
# What pip is asked for, in order: the frameworks that have a file of their own, then test.txt with the others, then
# those whose own requirements do not count.
_FRAMEWORKS = [framework.requirements for framework in FRAMEWORKS if framework.requirements]
ENVIRONMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "html": (("-r", "html.txt"), ("--no-deps", "-e", "..", "-e", "../builder")),
    "test": (
        ("-r", "html.txt"),
        *(arguments for arguments in _FRAMEWORKS if "--no-deps" not in arguments),
        ("-r", "test.txt"),
        *(arguments for arguments in _FRAMEWORKS if "--no-deps" in arguments),
        ("--no-deps", "-e", "..", "-e", "../builder"),
    ),
}


class TaskError(Exception):
    """A target that cannot go on; the text says why and what to do."""


def check_root(root: Path) -> None:
    if not (root / REQUIREMENTS / "html.txt").is_file():
        raise TaskError(
            f"{root} is not the repository of Deep Learning Computation, whose targets these are; change to the folder"
            " with its Makefile, or for another book say `d2lbook --help`"
        )


def prepare(environment: str, needs: Sequence[str], root: Path, say: Say) -> Path:
    """Brings the system, `.venv` and the data to what a target needs; its Python, without `.venv` the one running."""
    if not environment:
        _provide(needs, say)
        return Path(sys.executable)
    _check_python()
    venv = root / ".venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    filled = python.exists() and _is_filled(environment, root)
    whole = filled or _is_whole(venv, python)
    _provide(needs if whole else ("html", *needs), say)
    if not whole:
        _make_venv(venv, root, say)
    if not filled:
        _fill(environment, python, root, say)
    _fetch_data(needs, python, root, say)
    return python


def _check_python() -> None:
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        found = sys.version.split()[0]
        raise TaskError(f"Python {wanted} or newer is needed, this is {found}; try `make PYTHON=python3.11`")


def _provide(uses: Sequence[str], say: Say) -> None:
    """Installs what the system lacks for these uses, or raises an error that says how to get it."""
    missing = lacking(needed(uses))
    system = this_system()
    packages = list(dict.fromkeys(name for need in missing for name in need.packages(system)))
    tool = apt(say) if packages and system.key in ("debian", "ubuntu") else None
    if tool is not None:
        say("\n".join(["the system lacks:", *(f"  {need.name}: {need.reason}" for need in missing)]))
        try:
            tool.install(packages)
        except AptError as error:
            if not all(need.comes_by_itself for need in missing):
                raise
            say(str(error))
        missing = lacking(missing)
    if missing := [need for need in missing if not need.comes_by_itself]:
        raise TaskError(how_to_get(missing, system))


def _stamp(name: str, root: Path) -> Path:
    return root / ".venv" / f".{name}-{_requirements_hash(name, root)}"


def _is_filled(name: str, root: Path) -> bool:
    """Whether `.venv` has what an environment asks for; the tests' has all that others do."""
    return any(_stamp(other, root).exists() for other in {name, "test"})


def _is_whole(venv: Path, python: Path) -> bool:
    """Whether there is a `.venv` to install into: its Python starts, and pip in it was not stopped half-way."""
    if not python.exists() or any(path.name.startswith("pip-") for path in _half_installed(venv)):
        return False
    try:
        return not subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode
    except OSError:
        return False


def _half_installed(venv: Path) -> list[Path]:
    """What pip was stopped in the middle of, and would take for installed: the list of files is written last."""
    places = (*venv.glob("lib/python3*/site-packages"), venv / "Lib" / "site-packages")
    return [path for place in places for path in place.glob("*.dist-info") if not (path / "RECORD").exists()]


def _make_venv(venv: Path, root: Path, say: Say) -> None:
    say(f"{venv} is not whole; making it anew" if venv.exists() else f"creating {venv}")
    base = getattr(sys, "_base_executable", sys.executable)  # which stays when this one's `.venv` is made anew
    _call([base, "-m", "venv", "--clear", str(venv)], root, "the module venv and a directory that may be written")


def _fill(name: str, python: Path, root: Path, say: Say) -> None:
    """Installs what an environment asks for. Stopped at any point it can be done again."""
    venv = root / ".venv"
    for stamp in [path for other in ENVIRONMENTS for path in venv.glob(f".{other}-*")]:
        stamp.unlink()  # pip changes what the others have, too: until it is done none of them is sure
    for path in _half_installed(venv):
        shutil.rmtree(path)
    for arguments in ENVIRONMENTS[name]:
        say(f"installing {' '.join(arguments)}")
        # A build environment would fetch setuptools anew; html.txt pins one.
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if "-e" in arguments:
            command.append("--no-build-isolation")
        _call([*command, *arguments], root / REQUIREMENTS, "pip and its network; what is installed stays: run it again")
    _stamp(name, root).touch()


def _fetch_data(needs: Sequence[str], python: Path, root: Path, say: Say) -> None:
    """Downloads Fashion-MNIST for what runs pages where no package has it: once, before several programs ask."""
    if lacking([need for need in needed({"eval", "test"}.intersection(needs)) if need.comes_by_itself]):
        say("downloading Fashion-MNIST, 30 MB, for which there is no package here")
        _call([str(python), "-m", "d2l.fashion_mnist"], root, "the network; or set D2L_DATA to a folder with the files")


def _requirements_hash(name: str, root: Path) -> str:
    digest = hashlib.sha256(sys.version.encode())
    for arguments in ENVIRONMENTS[name]:
        for argument in arguments:
            path = root / REQUIREMENTS / argument
            digest.update(path.read_bytes() if path.is_file() else argument.encode())
    for project in ("pyproject.toml", "builder/pyproject.toml"):
        digest.update((root / project).read_bytes())
    return digest.hexdigest()[:16]


def _call(command: list[str], directory: Path, needs: str) -> None:
    # Editable installs warn of what they are meant for: the package in this directory goes before others.
    status = subprocess.call(command, cwd=directory, env={**os.environ, "PYTHONWARNINGS": "ignore"})
    if status:
        raise TaskError(f"`{' '.join(command)}` ended with status {status}; it needs {needs}")
