"""The package's distributions: what they hold, that they are the same bytes everywhere, that they build offline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.hosted.wheel import own_wheel
from d2lbook.export.package.build import build

ROOT = Path(__file__).parents[3]


def copied(target: Path) -> Path:
    """The package with what belongs to it, and files of the book that do not."""
    shutil.copytree(ROOT / "d2l", target / "d2l", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target / name)
    (target / "tests").mkdir()
    (target / "tests" / "test_more.py").write_text("")
    (target / "page.md").write_text("# Page\n")
    return target


def built(root: Path) -> tuple[Path, Path]:
    messages = Messages()
    paths = build(Config(root / "config.ini", root, output_dir=root / "_build"), messages)
    assert [str(message) for message in messages] == []
    wheel, archive = sorted(paths, key=lambda path: path.suffix, reverse=True)
    return wheel, archive


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return built(copied(tmp_path_factory.mktemp("dist") / "project"))


def test_the_wheel_has_package_typed_marker_licence_and_metadata(dist: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(dist[0]) as wheel:
        names = wheel.namelist()
        metadata = Parser().parsestr(wheel.read(next(n for n in names if n.endswith("/METADATA"))).decode())
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "d2l").iterdir() if path.is_file()}
    assert {name for name in names if ".dist-info/" not in name} == modules and "d2l/py.typed" not in modules
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert metadata["License-Expression"] == "Apache-2.0" and metadata["Name"] == "d2l"
    assert "Typing :: Typed" not in metadata.get_all("Classifier", [])  # few functions say their types
    assert metadata["Requires-Python"] == ">=3.10" and "# " in metadata.get_payload()
    assert dist[0].name == f"d2l-{metadata['Version']}-py3-none-any.whl"


def test_the_archive_has_the_sources_and_nothing_of_the_book(dist: tuple[Path, Path]) -> None:
    with tarfile.open(dist[1]) as archive:
        members = archive.getmembers()
    top = dist[1].name.removesuffix(".tar.gz")
    names = {member.name.removeprefix(f"{top}/") for member in members}
    assert {"pyproject.toml", "LICENSE", "README.md", "PKG-INFO", "d2l/torch.py"} <= names
    assert not names & {"page.md", "tests/test_more.py"}
    assert {(member.uid, member.uname, member.mode & 0o022) for member in members} == {(0, "", 0)}


def test_the_same_bytes_from_another_place_and_user(
    dist: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copied(tmp_path / "elsewhere")
    for path in root.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o660)
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    old = os.umask(0o077)
    try:
        again = built(root)
    finally:
        os.umask(old)
    assert [path.name for path in again] == [path.name for path in dist]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in dist]


def test_hosted_notebooks_come_with_the_same_wheel(dist: tuple[Path, Path], tmp_path: Path) -> None:
    root = copied(tmp_path / "project")
    config = Config(root / "config.ini", root, output_dir=root / "_build", d2l_address=".")
    assert own_wheel(config, "d2l") == (dist[0].name, dist[0].read_bytes())


def test_the_archive_installs_where_there_is_no_network(dist: tuple[Path, Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*command, "--target", tmp_path / "installed", dist[1]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    code = "import d2l; print(d2l.__file__)"
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r}); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(shown.stdout.strip()).is_relative_to(tmp_path)


def test_an_error_is_one_message_and_the_last_distributions_stay(tmp_path: Path) -> None:
    root = copied(tmp_path / "project")
    target = root / "_build" / "dist"
    target.mkdir(parents=True)
    (target / "d2l-1.9.tar.gz").write_text("old")
    project = root / "pyproject.toml"
    for text, why in (
        (project.read_text().replace("setuptools.build_meta", "no_such_backend"), "No module named 'no_such_backend'"),
        ("[project", "Expected ']'"),
        (None, "there is no pyproject.toml"),
    ):
        project.write_text(text) if text is not None else project.unlink()
        messages = Messages()
        assert build(Config(root / "config.ini", root, output_dir=root / "_build"), messages) == []
        (message,) = messages
        assert message.path == "pyproject.toml" and message.code == "dist-build" and why in message.text
    assert [path.name for path in target.iterdir()] == ["d2l-1.9.tar.gz"]


def test_an_archive_that_leads_out_of_its_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = copied(tmp_path / "project")
    (root / "backend.py").write_text(
        "import tarfile\n\ndef build_sdist(target):\n"
        "    with tarfile.open(f'{target}/d2l-1.0.tar.gz', 'w:gz') as archive:\n"
        "        archive.add('README.md', '../../../out.md')\n"
    )
    (root / "pyproject.toml").write_text("[build-system]\nrequires = []\nbuild-backend = 'backend'\n")
    monkeypatch.setenv("PYTHONPATH", str(root))
    messages = Messages()
    assert build(Config(root / "config.ini", root, output_dir=root / "_build"), messages) == []
    (message,) = messages
    assert message.code == "dist-build" and "../../../out.md" in message.text
