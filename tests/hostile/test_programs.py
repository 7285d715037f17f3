"""Rows 5 and (D): building from frozen results runs no program that the book brings, unless --trust says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main

ROOT = Path(__file__).parents[2]
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
MARK = "from pathlib import Path\nPath(__file__).with_name('it-ran').touch()\n"
MODULES = ("py_mini_racer", "nh3", "polib", "nbformat", "markdown_it", "sqlite3", "json", "sitecustomize", "sphinx")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, {"page": "Text $x$.\n"}, CONFIG)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("command", ["check", "html", "epub"])
def test_a_module_in_the_book_is_not_taken_for_a_package(root: Path, command: str) -> None:
    for name in MODULES:
        (root / f"{name}.py").write_text(MARK)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "d2lbook", command],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert not (root / "it-ran").exists()


def test_docutils_is_not_configured_by_the_book(root: Path) -> None:
    (root / "secret.txt").write_text("asecret")
    (root / "docutils.conf").write_text("[general]\nfile_insertion_enabled: yes\nraw_enabled: yes\n[parsers]\n")
    assert main(["check"]) == 0
    from docutils.frontend import OptionParser

    assert OptionParser().get_standard_config_files() == []


PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n[project]\nname = "b"\n'


@pytest.mark.parametrize(
    ("command", "config"),
    [
        ("pdf", "[pdf]\npost_latex = post.py\n"),
        ("dist", ""),
        ("colab", "[project]\nd2l_address = .\n[colab]\ngithub_repo = pytorch, a/b\n"),
    ],
)
def test_a_program_of_the_book_runs_when_it_is_trusted_only(
    root: Path, capsys: pytest.CaptureFixture[str], command: str, config: str
) -> None:
    (root / "config.ini").write_text(CONFIG + config)
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "it").mkdir()
    for name in ("post.py", "backend.py"):
        (root / name).write_text(f"open({str(root / 'it' / 'ran')!r}, 'w').close()\n")
    (root / "page.md").write_text("# Page\n\n```{.python .input}\nfrom d2l import torch\n```\n")
    ran = root / "it" / "ran"
    assert main([command]) == 1
    said = capsys.readouterr().err
    assert not ran.exists() and "--trust" in said
    main([command, "--trust"])
    assert ran.exists() or command != "pdf"


def test_only_what_runs_a_program_asks_for_trust(root: Path) -> None:
    with pytest.raises(SystemExit):
        main(["words", "--trust"])
