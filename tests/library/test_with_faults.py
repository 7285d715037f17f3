"""`d2lbook lib` on a book with faults, and where a framework does not work: what can be written is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import cell, write_book

from d2lbook.cli import main
from d2lbook.library import BANNER

CONFIG = "[build]\ntabs = a, b\n[library-a]\nlib_file = lib/a.py\n[library-b]\nlib_file = lib/b.py\n"
SAVED = cell("def twice(x):  #@save\n    return 2 * x", "all")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book whose libraries save a name, on a page that has faults beside it."""
    page = f"See :numref:`sec_nowhere`.\n\n{SAVED}\n{cell('d2l.thrice(1)', 'a')}\n![x](missing.svg)\n"
    write_book(tmp_path, {"page": page}, CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_faults_of_pages_keep_no_name_out_of_a_library(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lib"]) == 1
    said = capsys.readouterr()
    assert "wrote " in said.out and "[label-undefined]" in said.err and "[figure-missing]" in said.err
    for tab in ("a", "b"):
        assert "def twice(x):" in (root / f"lib/{tab}.py").read_text()


def with_head(root: Path) -> None:
    """Gives the first library a head whose framework is installed and does not work."""
    (root / "lib").mkdir()
    (root / "brokenframework.py").write_text("import math\nmath.bool8\n")
    (root / "lib/a.py").write_text(f"import brokenframework\n\n{BANNER}\n")


def test_a_head_that_cannot_be_imported_here_is_a_warning(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_head(root)
    main(["lib"])
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "lib-import" in line)
    assert line.startswith("lib/a.py:1:1: warning: lib/a.py cannot be imported on this machine: AttributeError")
    assert line.endswith("it is written all the same [lib-import-here]")
    assert "def twice(x):" in (root / "lib/a.py").read_text()


def test_libraries_can_be_written_without_a_try(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_head(root)
    main(["lib", "--no-import"])
    assert "lib-import" not in capsys.readouterr().err
    assert "def twice(x):" in (root / "lib/a.py").read_text()


def test_an_error_in_what_a_page_saves_leaves_the_old_file(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lib"]) == 1
    before = (root / "lib/a.py").read_text()
    page = root / "page.md"
    page.write_text(page.read_text() + "\n" + cell("third = 1 / 0  #@save", "a"))
    main(["lib"])
    assert "lib/a.py cannot be imported: ZeroDivisionError: division by zero; the old file stays" in (
        capsys.readouterr().err
    )
    assert (root / "lib/a.py").read_text() == before
