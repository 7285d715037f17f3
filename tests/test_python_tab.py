"""`#@tab python`: a cell that needs no framework is run once, and shown in every framework's view."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from books import cell, freeze, open_book, view_of, write_book
from library_fixtures import library_text

from d2lbook.activate import activate
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.frameworks import FREE_TAB, label_of

CONFIG = "[project]\nname = small\n[build]\ntabs = a, b\n"
FREE = cell("import os\nx = 6 * 7\nprint('it is', x)", FREE_TAB)
MIXED = "[**A slide.**]\n\n" + FREE + "\n" + cell("print('a', x)", "a") + "\n" + cell("print('b', x)", "b")
ONLY = "[**A slide.**]\n\n" + FREE


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book of two frameworks: a page with cells of all kinds, and one that needs no framework."""
    write_book(tmp_path, {"mixed": MIXED, "only": ONLY}, CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frozen(root: Path, page: str, tab: str) -> list[str]:
    """What each cell of a frozen result printed."""
    run = json.loads((root / "outputs" / page / f"{tab}.cpu.json").read_text())
    return ["".join("".join(output["text"]) for output in one["outputs"]).strip() for one in run["cells"]]


def test_it_is_in_every_view_and_runs_on_its_own(root: Path) -> None:
    book, _ = open_book(root)
    for tab in book.tabs:
        assert [cell.free for cell in view_of(book, "mixed", tab).cells] == [True, False]
        assert not view_of(book, "only", tab).own
    (own,) = view_of(book, "mixed", FREE_TAB).cells
    assert "6 * 7" in own.code and not own.free


def test_each_result_is_stored_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval"]) == 0
    assert frozen(root, "mixed", FREE_TAB) == frozen(root, "only", FREE_TAB) == ["it is 42"]
    assert frozen(root, "mixed", "a") == ["", "a 42"]  # ran with it, and kept only what is its own
    assert frozen(root, "mixed", "b") == ["", "b 42"]
    assert sorted(path.name for path in (root / "outputs/only").iterdir()) == [f"{FREE_TAB}.cpu.json"]
    capsys.readouterr()
    assert main(["status"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[:-1]] == [
        ["mixed", "a", "fresh"],
        ["mixed", "b", "fresh"],
        ["mixed", FREE_TAB, "fresh"],
        ["only", FREE_TAB, "fresh"],
    ]


def test_it_can_be_run_alone(root: Path) -> None:
    assert main(["eval", "--tab", FREE_TAB, "mixed"]) == 0
    assert sorted(path.name for path in (root / "outputs/mixed").iterdir()) == [f"{FREE_TAB}.cpu.json"]


def test_formats_are_not_built_for_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ipynb", "--tab", FREE_TAB]) == 1
    assert f"'{FREE_TAB}' is not a tab of this book; it has a, b [tab-unknown]" in capsys.readouterr().err


def freeze_all(root: Path) -> None:
    freeze(root, "mixed", FREE_TAB, "of all")
    freeze(root, "only", FREE_TAB, "of all")
    freeze(root, "mixed", "a", "of a")
    freeze(root, "mixed", "b", "of b")


def test_the_site_shows_it_once_and_no_framework_beside_it(root: Path) -> None:
    freeze_all(root)
    assert main(["html"]) == 0
    page = (root / "_build/html/mixed.html").read_text()
    assert page.count("of all") == 1
    assert page.index("of all") < page.index("d2l-group") < page.index("of a", page.index("d2l-group"))
    assert f"{label_of(FREE_TAB)} 3.11" in page
    only = (root / "_build/html/only.html").read_text()
    assert "of all" in only and "d2l-group" not in only and "d2l-part" not in only


def test_every_framework_has_it_in_the_other_formats(root: Path) -> None:
    freeze_all(root)
    assert main(["build", "ipynb", "epub", "slides"]) == 0
    for tab in ("a", "b"):
        for name in ("mixed", "only"):
            notebook = (root / f"_build/ipynb-with-outputs/en/{tab}/{name}.ipynb").read_text()
            assert notebook.count("of all") == 1 and "6 * 7" in notebook
            assert "of all" in (root / f"_build/slides/en/{tab}/{name}.html").read_text()
            with zipfile.ZipFile(root / f"_build/epub/en/{tab}.epub") as archive:
                place = next(one for one in archive.namelist() if one.endswith(f"{name}.xhtml"))
                assert archive.read(place).decode().count("of all") == 1


@pytest.mark.tex
def test_a_pdf_has_it(root: Path) -> None:
    freeze_all(root)
    assert main(["pdf", "--tab", "b"]) == 0
    assert (root / "_build/latex/en/b/b.tex").read_text().count(r"of\csp{}all") == 2


def test_a_result_that_is_missing_is_named_once(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    freeze(root, "mixed", "a", "of a")
    freeze(root, "mixed", "b", "of b")
    assert main(["html"]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "result-missing" in line]
    wanted = f"error: the result for {FREE_TAB} is missing; run: d2lbook eval"
    assert said == [f"{name}.md: {wanted} {name}.md --tab {FREE_TAB} [result-missing]" for name in ("mixed", "only")]
    page = (root / "_build/html/mixed.html").read_text()
    assert "Not run yet" in page and "of a" in page


def test_its_code_counts_for_results_that_may_use_it(root: Path) -> None:
    freeze_all(root)
    page = root / "mixed.md"
    page.write_text(page.read_text().replace("6 * 7", "6 * 8"))
    assert main(["status"]) == 1
    assert main(["html"]) == 1


def test_what_it_saves_is_in_every_library(tmp_path: Path) -> None:
    libraries = "".join(f"[library-{tab}]\nlib_file = lib/{tab}.py\n" for tab in ("a", "b"))
    write_book(tmp_path, {"page": cell("def f():  #@save\n    return 1", FREE_TAB)}, CONFIG + libraries)
    book, config = open_book(tmp_path)
    for tab in ("a", "b"):
        assert "def f():" in library_text(book, config, tab, Messages())


def test_a_book_without_frameworks_needs_none_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(tmp_path, {"page": cell("print(1)")}, "[project]\nname = small\n")
    monkeypatch.chdir(tmp_path)
    assert main(["build", "eval", "html"]) == 0
    page = (tmp_path / "_build/html/page.html").read_text()
    assert "d2l-strip" not in page and "d2l-part" not in page


def test_a_book_may_have_it_as_a_tab_like_others(tmp_path: Path) -> None:
    write_book(tmp_path, {"page": cell("1", FREE_TAB) + "\n" + cell("2", "a")}, f"[build]\ntabs = a, {FREE_TAB}\n")
    book, _ = open_book(tmp_path)
    assert [one.code for one in view_of(book, "page", FREE_TAB).cells] == ["1"]
    assert [one.code for one in view_of(book, "page", "a").cells] == ["2"]


@pytest.mark.parametrize(
    ("page", "finding"),
    [
        (cell("1", "python, a"), "page.md:5:7: error: 'python' is for every framework already"),
        (cell("if tab.selected('b'):\n    1", "python"), "page.md:6:17: error: this cell is run once for all"),
        (":begin_tab:`python`\nWords.\n:end_tab:\n", "unknown tab 'python'"),
    ],
)
def test_what_makes_no_sense_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], page: str, finding: str
) -> None:
    write_book(tmp_path, {"page": page}, CONFIG + "strict = true\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    assert finding in capsys.readouterr().err


def test_activating_a_framework_leaves_it_on(root: Path) -> None:
    config = load(root / "config.ini", Messages())
    assert activate("mixed.md", "a", config, Messages())
    text = (root / "mixed.md").read_text()
    assert text.count(".python .input") == 2 and text.count(".python .inactive") == 1
