"""The two distributions: what their wheels hold and ask for, and that what they install can be imported."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both wheels, built from a copy, since building leaves files beside the sources; nothing is downloaded."""
    copy = tmp_path_factory.mktemp("source")
    for name in ("d2l", "d2lbook", "builder"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    target = tmp_path_factory.mktemp("wheels")
    for folder in (copy, copy / "builder"):
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
        done = subprocess.run([*command, "-w", target, folder], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return {path.name.partition("-")[0]: path for path in target.iterdir()}


def installed(wheel: Path, folder: Path, code: str) -> str:
    """What `code` prints where only this wheel is on the path, before what the environment has."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder)!r})\n{code}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def test_there_are_two_wheels(wheels: dict[str, Path]) -> None:
    assert sorted(wheels) == ["d2l", "d2lbook"]


@pytest.mark.parametrize("name", ["d2l", "d2lbook"])
def test_a_wheel_has_all_of_its_package_and_nothing_of_the_other(wheels: dict[str, Path], name: str) -> None:
    with zipfile.ZipFile(wheels[name]) as archive:
        held = {entry for entry in archive.namelist() if ".dist-info/" not in entry}
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == sources


def test_d2l_can_be_imported_where_it_is_installed(wheels: dict[str, Path], tmp_path: Path) -> None:
    code = "import d2l; from d2l import fashion_mnist; print(d2l.__version__, d2l.__file__, len(fashion_mnist.SHA256))"
    version, file, count = installed(wheels["d2l"], tmp_path, code).split()
    assert Path(file).is_relative_to(tmp_path)
    assert (version, count) == (metadata(wheels["d2l"])["Version"], "4")


def test_d2lbook_can_be_imported_where_it_is_installed(wheels: dict[str, Path], tmp_path: Path) -> None:
    code = "import d2lbook.cli; print(d2lbook.__version__, d2lbook.__file__)"
    version, file = installed(wheels["d2lbook"], tmp_path, code).split()
    assert Path(file).is_relative_to(tmp_path)
    assert version == metadata(wheels["d2lbook"])["Version"]
    with zipfile.ZipFile(wheels["d2lbook"]) as archive:
        entry_points = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "d2lbook = d2lbook.cli:program" in archive.read(entry_points).decode()


def test_a_new_book_is_built_where_the_builder_is_installed(wheels: dict[str, Path], tmp_path: Path) -> None:
    code = """
from d2lbook import cli

assert cli.main(["new", "book"]) == 0
print(cli.main(["build", "html", "ipynb", "slides", "epub", "--config", "book/config.ini"]), cli.__file__)
"""
    status, file = installed(wheels["d2lbook"], tmp_path, code).split("\n")[-2].split()
    assert (status, Path(file).is_relative_to(tmp_path)) == ("0", True)
    built = {path.name for path in (tmp_path / "book" / "_build").iterdir()}
    assert {"html", "ipynb", "slides", "epub"} <= built


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The builder's source archive, built from a copy."""
    room = tmp_path_factory.mktemp("archive")
    for name in ("d2lbook", "builder"):
        shutil.copytree(ROOT / name, room / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE", room)
    return by_hook("build_sdist", room / "builder", room / "made")


def by_hook(hook: str, project: Path, target: Path) -> Path:
    """The one file that a hook of the builder's backend makes."""
    code = f"import sys; sys.path.insert(0, '.'); import backend; backend.{hook}({str(target)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (made,) = target.iterdir()
    return made


def test_the_builder_s_archive_has_its_code_and_makes_the_same_wheel(
    wheels: dict[str, Path], archive: Path, tmp_path: Path
) -> None:
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "unpacked")
    (project,) = (tmp_path / "unpacked").iterdir()
    held = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    assert {"LICENSE", "README.md", "pyproject.toml", "backend.py", "d2lbook/cli.py", "d2lbook/static/site.css"} <= held
    wheel = by_hook("build_wheel", project, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as own, zipfile.ZipFile(wheels["d2lbook"]) as other:
        assert sorted(own.namelist()) == sorted(other.namelist())


def test_twine_finds_nothing_wrong_with_what_would_be_published(wheels: dict[str, Path], archive: Path) -> None:
    command = [sys.executable, "-m", "twine", "check", "--strict", wheels["d2lbook"], archive]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.count("PASSED") == 2, done.stdout + done.stderr


def test_the_builder_asks_for_a_kernel_where_cells_are_run(wheels: dict[str, Path]) -> None:
    asked = metadata(wheels["d2lbook"]).get_all("Requires-Dist", [])
    assert 'ipykernel; extra == "eval"' in asked and "ipykernel" not in asked


def test_the_builder_says_what_it_is(wheels: dict[str, Path]) -> None:
    found = metadata(wheels["d2lbook"])
    assert found["License-File"] == "LICENSE" and found["Author"] == "The book's maintainers"
    assert "d2lbook html" in str(found.get_payload())


def test_d2l_requires_no_framework_and_sets_no_upper_bound(wheels: dict[str, Path]) -> None:
    found = metadata(wheels["d2l"])
    requirements = found.get_all("Requires-Dist", [])
    assert [r for r in requirements if "extra ==" not in r] == ["numpy", "matplotlib", "matplotlib-inline"]
    assert [r for r in requirements if "<" in r or "==" in r.partition(";")[0]] == []
    assert found.get_all("Provides-Extra") == ["torch", "tensorflow", "jax", "dev"]
    assert found["Requires-Python"] == ">=3.10"


def test_d2lbook_requires_what_its_requirements_file_lists() -> None:
    """`requirements/html.in` is what `make html` installs; the distribution has to ask for the same."""
    project = tomllib.loads((ROOT / "builder" / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements" / "html.in").read_text().splitlines()
    listed = {re.split(r"\s*#", line)[0].strip() for line in lines} - {""}
    listed = {line for line in listed if not line.startswith("setuptools")}
    assert set(project["dependencies"]) | set(project["optional-dependencies"]["rst"]) == listed
