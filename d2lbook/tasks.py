"""What `make` does, for every system: `python -m d2lbook make TARGET`. Standard library only.

The Makefile calls these targets; each first brings `.venv` to what it needs and says what is missing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from d2lbook.apt import AptError, apt
from d2lbook.frameworks import FRAMEWORKS
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


@dataclass(frozen=True, slots=True)
class Target:
    """One target: what it is for, the environment it needs, and the commands it runs there."""

    help: str
    environment: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    needs: tuple[str, ...] = ()  # uses of `system_packages.NEEDS`; "html" goes without saying


def _book(*arguments: str) -> tuple[str, ...]:
    return ("{python}", "-m", "d2lbook", *arguments)


_MARKS_OF_TEST = ("frameworks", "browser", "tex")  # what `test-fast` leaves out of `test`
_MARKS_ALONE = ("pages", "gpu", "hosted", "wheels")  # each has a target of its own


def _tests(*arguments: str) -> tuple[str, ...]:
    """The tests, on as many processes as there are cores: four at most, since each may load four frameworks."""
    processes = str(min(4, os.cpu_count() or 1))
    return ("{python}", "-m", "pytest", "tests", "-n", processes, *arguments)


_FORMATS = _book(
    "build", "html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker", "dist",
)  # fmt: skip
TARGETS: dict[str, Target] = {
    "help": Target("list the targets"),
    "html": Target("build the website into _build/html from the frozen results", "html", (_book("html"),)),
    "test": Target(
        "run all tests; each page in short mode in one of the frameworks", "test", (_tests(),),
        ("test",),
    ),
    "test-fast": Target(
        "run the tests that need no framework, no browser and no TeX", "test",
        (_tests("-m", " and ".join(f"not {mark}" for mark in (*_MARKS_OF_TEST, *_MARKS_ALONE))),), ("fast",),
    ),
    "test-pages": Target(
        "run every page in short mode in every framework, and with one GPU pretended", "test",
        (_tests("-m", "pages"),), ("eval",),
    ),
    "setup": Target("install all that the other targets need into .venv", "test"),
    "check": Target("report everything wrong in the book that shows without running code", "html", (_book("check"),)),
    "lib": Target("write the libraries d2l/*.py from the cells marked #@save", "html", (_book("lib"),)),
    "eval": Target("run the pages whose frozen results are stale or missing", "test", (_book("eval"),), ("eval",)),
    "status": Target("list which frozen results are fresh, stale, missing", "test", (_book("status"),)),
    "ipynb": Target("write the notebooks into _build/ipynb", "html", (_book("ipynb"),)),
    "pdf": Target("build a PDF per framework into _build/pdf from the frozen results", "html", (_book("pdf"),),
                  ("pdf",)),
    "epub": Target("build an ePub per framework into _build/epub from the frozen results", "html", (_book("epub"),)),
    "slides": Target("build a deck per marked page and framework into _build/slides", "html", (_book("slides"),)),
    "pkg": Target("pack the notebooks of all frameworks into one zip in _build/pkg", "html", (_book("pkg"),)),
    "offline": Target("pack the site into a zip in _build/offline that needs no server", "html", (_book("offline"),)),
    "colab": Target("write notebooks for Google Colab into _build/colab", "html", (_book("colab"),), ("hosted",)),
    "sagemaker": Target(
        "write notebooks for SageMaker into _build/sagemaker", "html", (_book("sagemaker"),), ("hosted",)
    ),
    "dist": Target("build the wheel and the source archive of the package into _build/dist", "html", (_book("dist"),)),
    "all-formats": Target("build the site and every other format; one that fails stops no other", "html", (_FORMATS,)),
    "deploy-preview": Target(
        "build every format and put all into one folder to publish, _build/deploy", "html", ((*_FORMATS, "deploy"),)
    ),
    "linkcheck": Target("report links of the site that lead nowhere", "html", (_book("linkcheck"),)),
    "translate": Target(
        "bring the translations' catalogs in step with the pages, and say how far they are", "html",
        (_book("translate", "update"), _book("translate", "status")),
    ),
    "serve": Target("serve the site on port 8000 and rebuild what changes", "html", (_book("serve"),)),
    "lint": Target(
        "ruff, strict mypy, and oxlint for the scripts", "test",
        (
            ("{python}", "-m", "ruff", "check", "."),
            ("{python}", "-m", "ruff", "format", "--check", "d2lbook", "tests", "benchmarks"),
            ("{python}", "-m", "mypy", "--strict", "d2lbook"),
            ("{programs}/oxlint", "d2lbook", "img", "tests"),
        ),
    ),
    "fuzz": Target(
        "read, check and write 100,000 pages changed at random: nothing may raise or hang", "test",
        (("{python}", "tests/fuzz.py"),),
    ),
    "bench": Target(
        "measure against peers and print the ratios", "test", (("{python}", "-m", "benchmarks"),),
        ("bench", "eval", "pdf"),
    ),
    # The pinned environment has CPU builds, so these run with the Python that sees the accelerator: make PYTHON=…
    "test-gpu": Target(
        "run the tests that need an accelerator, with your own Python's frameworks", "",
        (("{python}", "-m", "pytest", "tests/frameworks", "-m", "gpu"),),
    ),
    "test-hosted": Target(
        "run hosted notebooks on their platforms' versions (needs Python 3.12 and 3.13)", "test",
        (_tests("-m", "hosted"),), ("eval", "hosted"),
    ),
    "test-wheels": Target(
        "install the package on Python 3.10 to 3.13, with each framework that has a CPU build", "test",
        (_tests("-m", "wheels"),),
    ),
    "test-fresh": Target(
        "run `make html` and `make test` in a minimal Debian of its own (root; 15 GB for the time being)", "",
        (("{python}", "tests/fresh_machine.py"),), ("fresh",),
    ),
    "system": Target("install the system packages that all of these need, or say how", needs=("gate", "html", "test")),
    "clean": Target("remove what was built (.venv stays)"),
}  # fmt: skip


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
        _check_root(root)
        if name == "clean":
            shutil.rmtree(root / "_build", ignore_errors=True)
            return 0
        python = _prepare(target, root, say)
        return _run_commands(target.commands, python, root)
    except (TaskError, AptError) as error:
        print(f"make {name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"make {name}: stopped; run it again to go on", file=sys.stderr)
        return 130


def _check_root(root: Path) -> None:
    if not (root / REQUIREMENTS / "html.txt").is_file():
        raise TaskError(
            f"{root} is not the repository of Deep Learning Computation, whose targets these are; change to the folder"
            " with its Makefile, or for another book say `d2lbook --help`"
        )


def _prepare(target: Target, root: Path, say: Say) -> Path:
    """Brings the system, `.venv` and the data to what a target needs; its Python, without `.venv` the one running."""
    if not target.environment:
        _provide(target.needs, say)
        return Path(sys.executable)
    _check_python()
    venv = root / ".venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    filled = python.exists() and _is_filled(target.environment, root)
    whole = filled or _is_whole(venv, python)
    _provide(target.needs if whole else ("html", *target.needs), say)
    if not whole:
        _make_venv(venv, root, say)
    if not filled:
        _fill(target.environment, python, root, say)
    _fetch_data(target.needs, python, root, say)
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


def _run_commands(commands: Sequence[Sequence[str]], python: Path, root: Path) -> int:
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
