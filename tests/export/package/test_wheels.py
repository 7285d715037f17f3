"""The package, installed from its wheel and its source archive in fresh environments of each Python it is for.

Downloads the frameworks once, into pip's cache; an environment at a time, gone after its test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hosted import ROOT, interpreter
from test_dist import built, copied

from d2lbook.execute.versions import pinned

pytestmark = pytest.mark.wheels
PYTHONS = ((3, 10), (3, 11), (3, 12), (3, 13))
TORCH = "PyTorch's CPU build within reach is for Python 3.11; of any other the index has gigabytes of CUDA with it"
ABSENT = {
    ("torch", (3, 10)): TORCH,
    ("torch", (3, 12)): TORCH,
    ("torch", (3, 13)): TORCH,
    ("jax", (3, 10)): "the library needs flax 0.11, which is for Python 3.11 and newer",
}
# What is installed beside the package, a call of pip each, as the README says it but for builds without CUDA.
CALLS = {
    "torch": (("{wheel}[torch]", f"torch=={pinned(ROOT)['torch']}"),),
    "tensorflow": (("{wheel}", "tensorflow-cpu"),),
    "jax": (("{wheel}[jax]",),),
    "mxnet": (("{wheel}", "requests", "setuptools"), ("--no-deps", f"mxnet=={pinned(ROOT)['mxnet']}")),
}
PRESENT = [(name, python) for python in PYTHONS for name in CALLS if (name, python) not in ABSENT]
FORMATS = "html ipynb slides epub pdf pkg offline colab sagemaker deploy"
SPLIT = """
from importlib.metadata import version
import d2l as package
from d2l import {name} as d2l

devices = [d2l.try_gpu(), d2l.try_gpu()]
shards, _ = d2l.split_batch(d2l.ones((4, 5)), d2l.ones((4,)), devices)
print(version("d2l") == package.__version__, [tuple(shard.shape) for shard in shards], package.__file__)
"""


@dataclass(frozen=True, slots=True)
class Environment:
    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def pip(self, *arguments: str | Path, offline: bool = False) -> subprocess.CompletedProcess[str]:
        closed = {"PIP_NO_INDEX": "1", "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
        return subprocess.run(
            [self.python, "-m", "pip", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env=_clean(closed if offline else {}),
        )

    def install(self, *arguments: str | Path, offline: bool = False) -> None:
        done = self.pip("install", "--quiet", "--no-compile", *arguments, offline=offline)
        assert done.returncode == 0, done.stderr

    def d2lbook(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The builder, called as an author calls it."""
        command = [self.folder / "bin" / "d2lbook", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, env=_clean({}))

    def run(self, code: str) -> str:
        done = subprocess.run(
            [self.python, "-c", code], cwd=self.folder, capture_output=True, text=True, check=False, env=_clean({})
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def _clean(more: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Wheel and source archive, as `d2lbook dist` makes them, outside of the repository."""
    return built(copied(tmp_path_factory.mktemp("dist") / "project"))


@pytest.fixture
def environment(request: pytest.FixtureRequest) -> Iterator[Environment]:
    """A fresh environment of one Python."""
    folder = Path(tempfile.mkdtemp(prefix="wheels-"))
    subprocess.run([interpreter(request.param), "-m", "venv", folder], check=True)
    yield Environment(folder)
    shutil.rmtree(folder)


@pytest.mark.parametrize("environment", PYTHONS, indirect=True, ids=lambda python: ".".join(map(str, python)))
def test_the_archive_builds_and_installs_without_network(environment: Environment, files: tuple[Path, Path]) -> None:
    environment.install("setuptools>=77")
    environment.install("--no-build-isolation", "--no-deps", files[1], offline=True)
    code = (
        "import d2l, importlib.metadata as m, pathlib; d = m.distribution('d2l');"
        "names = {path.name for path in d.files};"
        "print(d.version == d2l.__version__, 'py.typed' not in names, 'LICENSE' in names, d2l.__file__)"
    )
    told, _, place = environment.run(code).rpartition(" ")
    assert told == "True True True" and Path(place).is_relative_to(environment.folder)


@pytest.mark.parametrize(
    ("name", "environment"),
    PRESENT,
    indirect=["environment"],
    ids=[f"{name}-{'.'.join(map(str, python))}" for name, python in PRESENT],
)
def test_the_wheel_installs_beside_a_framework_and_works(
    name: str, environment: Environment, files: tuple[Path, Path]
) -> None:
    for call in CALLS[name]:
        environment.install(*(word.format(wheel=files[0]) for word in call))
    told, _, place = environment.run(SPLIT.format(name=name)).rpartition(" ")
    assert told == "True [(2, 5), (2, 5)]" and Path(place).is_relative_to(environment.folder)
    assert "nvidia" not in environment.pip("list").stdout  # else this machine downloads what it cannot use
    complaints = environment.pip("check").stdout.splitlines()
    assert [line for line in complaints if not line.startswith(("mxnet 1.9.1 ", "No broken"))] == []


@pytest.mark.parametrize(("environment", "kind"), [((3, 11), "whl"), ((3, 13), "tar.gz")], indirect=["environment"])
def test_a_new_book_is_run_and_built_in_every_format_where_nothing_but_the_builder_is_installed(
    environment: Environment, kind: str, tmp_path: Path
) -> None:
    for name in ("d2lbook", "builder"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE", tmp_path)
    hook = {"whl": "build_wheel", "tar.gz": "build_sdist"}[kind]
    code = f"import sys; sys.path.insert(0, '.'); import backend; backend.{hook}('made')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "builder", check=True, capture_output=True)
    (made,) = (tmp_path / "builder" / "made").glob(f"*.{kind}")
    environment.install(f"{made}[eval]")
    for command in ("new book", "eval --force --config book/config.ini", f"build {FORMATS} --config book/config.ini"):
        done = environment.d2lbook(*command.split())
        assert done.returncode == 0, done.stdout + done.stderr
        assert "make" not in done.stdout.split() + done.stderr.split()
    built = environment.folder / "book" / "_build"
    assert {path.name for path in built.iterdir() if not path.name.startswith(".")} >= set(FORMATS.split()) - {"pkg"}
    assert (built / "deploy" / "code.html").is_file() and list(built.rglob("*.zip"))


@pytest.mark.parametrize("environment", [(3, 10)], indirect=True)
def test_jax_is_absent_where_it_cannot_be_had(environment: Environment) -> None:
    """Else a reason of `ABSENT` is out of date."""
    done = environment.pip("install", "--dry-run", "--no-deps", "flax>=0.11")
    assert done.returncode != 0 and "flax" in done.stderr.splitlines()[-1]
    assert "flax>=0.11" in (ROOT / "pyproject.toml").read_text()
