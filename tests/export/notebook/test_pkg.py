"""The archive of notebooks, and notebooks for a class: without solutions, some pages only."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from books import cell, open_book, write_book

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.notebook.archive import build
from d2lbook.export.notebook.build import build as build_notebooks
from d2lbook.export.notebook.build import notebook_path
from d2lbook.rendering.book_context import BookContext
from d2lbook.security.output_directory import locked

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 6"><path d="M0 3H9" stroke="currentColor"/></svg>'
PAGE = """![A line](../img/line.svg)
:alt:`A line.`

{cells}
1. Why?

:begin_solution:
Therefore.

{solution}:end_solution:
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "book"
    page = PAGE.format(cells=cell("x = 'a'", "a") + cell("x = 'b'", "b"), solution=cell("x * 2", "all"))
    write_book(root, {"part/first": page, "part/second": "Words.\n"}, "[build]\ntabs = a, b\n[project]\nname = small\n")
    (root / "img").mkdir()
    (root / "img" / "line.svg").write_text(SVG)
    return root


def package(root: Path, solutions: bool = True) -> Path:
    book, config = open_book(root)
    messages = Messages()
    with locked(config.output_dir, root, ("config.ini", 0)):  # as the command line has it
        path = build(BookContext.of(book, config, book.tabs, messages), solutions)
    assert path is not None and [str(message) for message in messages] == []
    return path


def test_a_folder_for_each_framework_with_figures_and_readme(root: Path) -> None:
    with zipfile.ZipFile(package(root)) as archive:
        names = set(archive.namelist())
        readme = archive.read("small/README.md").decode()
        first = json.loads(archive.read("small/b/part/first.ipynb"))
        drawing = archive.read("small/a/img/line.svg").decode()
    assert {"small/a/part/first.ipynb", "small/b/part/second.ipynb", "small/b/img/line.svg"} <= names
    assert "`a`" in readme and "| 1 The Page | `part/first.ipynb` |" in readme
    assert "x = 'b'" in json.dumps(first) and "x = 'a'" not in json.dumps(first)
    assert "currentColor" not in drawing


def test_without_solutions_neither_their_words_nor_their_cells(root: Path) -> None:
    with zipfile.ZipFile(package(root, solutions=False)) as archive:
        text = archive.read("small/a/part/first.ipynb").decode()
    assert "Why?" in text
    assert "Therefore" not in text and "Solution" not in text and "x * 2" not in text
    with zipfile.ZipFile(package(root)) as archive:
        assert "Therefore" in archive.read("small/a/part/first.ipynb").decode()


def test_the_same_bytes_from_another_place(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy")
    assert package(root).read_bytes() == package(tmp_path / "copy").read_bytes()


def test_chosen_pages_leave_the_others_as_they_are(root: Path) -> None:
    book, config = open_book(root)
    build_notebooks(BookContext.of(book, config, ["a"], Messages()), with_outputs=False)
    first, second = (notebook_path(config, "a", f"part/{name}") for name in ("first", "second"))
    for path in (first, second):
        path.write_text("old")
    made = build_notebooks(BookContext.of(book, config, ["a"], Messages()), with_outputs=False, pages=["part/first"])
    assert made == [first]
    assert second.read_text() == "old" and first.read_text() != "old"


def test_the_command_line_takes_pages_and_leaves_solutions_out(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    config = root / "config.ini"
    config.write_text(config.read_text().replace("[build]", "[build]\neval_notebook = False"))
    assert main(["ipynb", "part/first", "--without-solutions"]) == 0
    made = sorted(path.relative_to(root / "_build").as_posix() for path in (root / "_build").rglob("*.ipynb"))
    assert made == [
        f"{folder}/en/{tab}/part/first.ipynb"
        for folder in ("ipynb-with-outputs-without-solutions", "ipynb-without-solutions")
        for tab in "ab"
    ]
    assert main(["pkg"]) == 0
    assert "small-notebooks.zip" in capsys.readouterr().out


def test_an_archive_of_chosen_pages_leaves_the_whole_one_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = package(root, solutions=False)
    before = whole.read_bytes()
    monkeypatch.chdir(root)
    assert main(["pkg", "second", "--without-solutions"]) == 0
    chosen = whole.with_name("small-notebooks-chosen-without-solutions.zip")
    with zipfile.ZipFile(chosen) as archive:
        assert set(archive.namelist()) == {"small/README.md", "small/a/part/second.ipynb", "small/b/part/second.ipynb"}
        assert "first" not in archive.read("small/README.md").decode()
    assert main(["pkg", "first", "--tab", "a"]) == 0
    with zipfile.ZipFile(whole.with_name("small-notebooks-chosen.zip")) as archive:
        assert set(archive.namelist()) == {"small/README.md", "small/a/part/first.ipynb", "small/a/img/line.svg"}
    assert whole.read_bytes() == before


@pytest.mark.parametrize("command", ["pdf", "epub", "deploy", "clear"])
def test_a_command_on_the_whole_book_takes_no_pages(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    monkeypatch.chdir(root)
    assert main([command, "first"]) == 1
    assert capsys.readouterr().err == (
        f"{command}: error: works on the whole book and takes no pages; leave 'first' out [page-whole]\n"
    )
    assert not (root / "_build").exists()
