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

Say = Callable[[str], None]
OLDEST_PYTHON = (3, 11)
REQUIREMENTS = Path("requirements")
# What pip is asked for, in order; mxnet's own requirement of NumPy < 2 is out of date, hence --no-deps.
ENVIRONMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "html": (("-r", "html.txt"), ("--no-deps", "-e", "..", "-e", "../builder")),
    "test": (
        ("-r", "html.txt"),
        ("-r", "torch.txt"),
        ("-r", "test.txt"),
        ("--no-deps", "-r", "mxnet.txt"),
        ("--no-deps", "-e", "..", "-e", "../builder"),
    ),
}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
TEX = (
    "texlive-xetex", "texlive-latex-recommended", "texlive-latex-extra", "texlive-plain-generic",
    "texlive-lang-european", "fonts-noto-core", "fonts-noto-mono", "fonts-noto-cjk", "librsvg2-bin",
)  # fmt: skip
EPUBCHECK = Path("/usr/share/java/epubcheck.jar")
FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")


class TaskError(Exception):
    """A target that cannot go on; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """One target: what it is for, the environment it needs, and the commands it runs there."""

    help: str
    environment: str = ""
    commands: tuple[tuple[str, ...], ...] = ()
    needs: tuple[str, ...] = ()  # "chromium", "data", "drawings", "tex": checked before anything is installed


def _book(*arguments: str) -> tuple[str, ...]:
    return ("{python}", "-m", "d2lbook", *arguments)


_FORMATS = _book(
    "build", "html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker", "dist",
)  # fmt: skip
TARGETS: dict[str, Target] = {
    "help": Target("list the targets"),
    "html": Target("build the website into _build/html from the frozen results", "html", (_book("html"),)),
    "test": Target(
        "run all tests (frameworks, pages in short mode, browser)", "test", (("{python}", "-m", "pytest", "tests"),),
        ("chromium", "data", "tex"),
    ),
    "setup": Target("install all that the other targets need into .venv", "test"),
    "check": Target("report everything wrong in the book that shows without running code", "html", (_book("check"),)),
    "lib": Target("write the libraries d2l/*.py from the cells marked #@save", "html", (_book("lib"),)),
    "eval": Target("run the pages whose frozen results are stale or missing", "test", (_book("eval"),), ("data",)),
    "status": Target("list which frozen results are fresh, stale, missing", "test", (_book("status"),)),
    "ipynb": Target("write the notebooks into _build/ipynb", "html", (_book("ipynb"),)),
    "pdf": Target("build a PDF per framework into _build/pdf from the frozen results", "html", (_book("pdf"),)),
    "epub": Target("build an ePub per framework into _build/epub from the frozen results", "html", (_book("epub"),)),
    "slides": Target("build a deck per marked page and framework into _build/slides", "html", (_book("slides"),)),
    "pkg": Target("pack the notebooks of all frameworks into one zip in _build/pkg", "html", (_book("pkg"),)),
    "offline": Target("pack the site into a zip in _build/offline that needs no server", "html", (_book("offline"),)),
    "colab": Target("write notebooks for Google Colab into _build/colab", "html", (_book("colab"),), ("drawings",)),
    "sagemaker": Target(
        "write notebooks for SageMaker into _build/sagemaker", "html", (_book("sagemaker"),), ("drawings",)
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
        "ruff and strict mypy", "test",
        (
            ("{python}", "-m", "ruff", "check", "."),
            ("{python}", "-m", "ruff", "format", "--check", "d2lbook", "tests", "benchmarks"),
            ("{python}", "-m", "mypy", "--strict", "d2lbook"),
        ),
    ),
    "bench": Target(
        "measure against peers and print the ratios", "test", (("{python}", "-m", "benchmarks"),), ("data",)
    ),
    # The pinned environment has CPU builds, so these run with the Python that sees the accelerator: make PYTHON=…
    "test-gpu": Target(
        "run the tests that need an accelerator, with your own Python's frameworks", "",
        (("{python}", "-m", "pytest", "tests/frameworks", "-m", "gpu"),),
    ),
    "test-hosted": Target(
        "run hosted notebooks on their platforms' versions (needs Python 3.12 and 3.13)", "test",
        (("{python}", "-m", "pytest", "tests", "-m", "hosted"),), ("data", "drawings"),
    ),
    "test-wheels": Target(
        "install the package on Python 3.10 to 3.13, with each framework that has a CPU build", "test",
        (("{python}", "-m", "pytest", "tests", "-m", "wheels"),),
    ),
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
        if name == "clean":
            shutil.rmtree(root / "_build", ignore_errors=True)
            return 0
        _check_needs(target.needs)
        python = _ensure_environment(target.environment, root, say)
        return _run_commands(target.commands, python, root)
    except TaskError as error:
        print(f"make {name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"make {name}: stopped; run it again to go on", file=sys.stderr)
        return 130


def _check_needs(needs: Sequence[str]) -> None:
    missing: list[str] = []
    if "chromium" in needs and not any(map(shutil.which, CHROMIUM)):
        missing.append("Chromium is missing; on Debian: apt-get install chromium")
    if "tex" in needs and not EPUBCHECK.exists():
        missing.append("epubcheck is missing; on Debian: apt-get install epubcheck default-jre-headless")
    if "tex" in needs and not (shutil.which("xelatex") and shutil.which("rsvg-convert")):
        missing.append(f"XeLaTeX or rsvg-convert is missing; on Debian: apt-get install {' '.join(TEX)}")
    if "drawings" in needs and not shutil.which("rsvg-convert"):
        missing.append("rsvg-convert is missing; on Debian: apt-get install librsvg2-bin")
    if "data" in needs and not (os.environ.get("D2L_DATA") or FASHION_MNIST.is_dir()):
        missing.append(
            "Fashion-MNIST is missing; on Debian: apt-get install dataset-fashion-mnist; "
            "elsewhere set D2L_DATA to a directory that holds its four idx files"
        )
    if missing:
        raise TaskError("; ".join(missing))


def _ensure_environment(name: str, root: Path, say: Say) -> Path:
    """`.venv` with what an environment asks for; its Python. Without a name, the Python that runs this."""
    if not name:
        return Path(sys.executable)
    if sys.version_info < OLDEST_PYTHON:
        wanted = ".".join(map(str, OLDEST_PYTHON))
        found = sys.version.split()[0]
        raise TaskError(f"Python {wanted} or newer is needed, this is {found}; try `make PYTHON=python3.11`")
    venv = root / ".venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = venv / f".{name}-{_requirements_hash(name, root)}"
    enough = [stamp] if name == "test" else [stamp, venv / f".test-{_requirements_hash('test', root)}"]
    if python.exists() and any(path.exists() for path in enough):
        return python
    if not python.exists():
        say(f"creating {venv}")
        _call(
            [sys.executable, "-m", "venv", str(venv)], root, "the module venv; on Debian: apt-get install python3-venv"
        )
    for arguments in ENVIRONMENTS[name]:
        say(f"installing {' '.join(arguments)}")
        # A build environment would fetch setuptools anew; html.txt pins one.
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if "-e" in arguments:
            command.append("--no-build-isolation")
        _call([*command, *arguments], root / REQUIREMENTS, "pip and its network")
    for old in venv.glob(f".{name}-*"):
        old.unlink()
    stamp.touch()
    return python


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
        status = _status([part.format(python=python) for part in command], root)
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
