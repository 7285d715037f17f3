"""`d2lbook new`: the book that it writes passes the check, has fresh results, and builds in every format."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from d2lbook.cli import main
from d2lbook.commands.new import FILES, OFFERED, TEMPLATE
from d2lbook.diagnostics import is_own_repository, to_install
from d2lbook.frameworks import TABS

EVERY_FILE = {*FILES, "code.md", "library/code.py", "outputs/code/default.cpu.json"}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_new_book_has_no_findings_and_fresh_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "my-book"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "to see it in the browser: cd my-book && d2lbook serve"
    assert files_of(tmp_path / "my-book") == EVERY_FILE
    configuration = (tmp_path / "my-book" / "config.ini").read_text()
    assert "title = My Book\n" in configuration and "$" not in configuration
    for command in ("check", "lib", "status"):
        assert main([command, "--config", "my-book/config.ini"]) == 0
    shown = capsys.readouterr()
    assert shown.err == "" and "wrote" not in shown.out and shown.out.endswith("1 fresh, 0 stale, 0 missing\n")


def test_a_new_book_builds_in_every_format_and_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "book"]) == 0
    monkeypatch.chdir(tmp_path / "book")
    assert main(["build", "html", "ipynb", "slides", "epub", "pkg", "offline", "deploy"]) == 0, capsys.readouterr().err
    built = tmp_path / "book" / "_build"
    site = (built / "deploy" / "code.html").read_text()
    assert "[1, 4, 9, 16, 25]" in site and "sum_of_squares" in site
    assert "Graham" in (built / "deploy" / "writing.html").read_text()
    with zipfile.ZipFile(built / "epub" / "en" / "default.epub") as book:
        assert any(name.endswith(".svg") for name in book.namelist())


@pytest.mark.tex
def test_a_new_book_builds_as_a_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "book"]) == 0
    monkeypatch.chdir(tmp_path / "book")
    assert main(["pdf"]) == 0, capsys.readouterr().err
    assert (tmp_path / "book" / "_build" / "pdf" / "en" / "default.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("tabs", [("jax",), ("tensorflow", "pytorch"), OFFERED])
def test_frameworks_have_cells_results_and_pins(
    tabs: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "book", "--frameworks", ",".join(tabs)]) == 0
    page = (tmp_path / "book" / "code.md").read_text()
    assert set(re.findall(r"#@tab (\w+)", page)) == {*tabs, "all"}
    assert not re.search(r"\n{3}", page)
    assert {path.stem for path in (tmp_path / "book" / "requirements").iterdir()} == set(tabs)
    capsys.readouterr()
    assert main(["check", "--config", "book/config.ini"]) == 0
    assert main(["status", "--config", "book/config.ini"]) == 0
    assert capsys.readouterr().out.endswith(f"{len(tabs)} fresh, 0 stale, 0 missing\n")


def test_a_framework_whose_requirements_are_out_of_date_says_how_it_is_installed(tmp_path: Path) -> None:
    assert set(OFFERED) == set(TABS)
    assert main(["new", "book", "--frameworks", "mxnet,jax"]) == 0
    pins = tmp_path / "book" / "requirements"
    told = "#   pip install numpy==1.23.5 requests setuptools && pip install --no-deps mxnet==1.9.1\n"
    assert told in (pins / "mxnet.txt").read_text()
    assert "pip install" not in (pins / "jax.txt").read_text()


def test_languages_have_catalogs(tmp_path: Path) -> None:
    assert main(["new", "book", "--languages", "ko, vi"]) == 0
    assert "\nlanguages = ko, vi\n" in (tmp_path / "book" / "config.ini").read_text()
    catalogs = {name for name in files_of(tmp_path / "book") if name.endswith(".po")}
    names = ("code", "index", "interface", "writing")
    assert catalogs == {f"locales/{lang}/{name}.po" for lang in ("ko", "vi") for name in names}
    assert main(["html", "--config", "book/config.ini"]) == 0
    assert (tmp_path / "book" / "_build" / "html" / "ko" / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["full"], "full: error: is not empty, it has 'a.txt'; name a folder that is new or empty [new-folder]"),
        (["file"], "file: error: is a file; name a folder that is new or empty [new-folder]"),
        ([], "new: error: name one folder for the book: d2lbook new my-book [new-folder]"),
        (["a", "b"], "new: error: name one folder for the book: d2lbook new my-book [new-folder]"),
        (["a", "--frameworks", "pytroch"], "no book begins with 'pytroch'; did you mean 'pytorch'? [tab-unknown]"),
        (["a", "--languages", "Korean!"], "'Korean!' is no code of a language; write one such as ja or pt-BR"),
        (["a", "--languages", "en"], "the pages are written in 'en'; name languages to translate them into"),
    ],
)
def test_what_cannot_be_begun_is_refused_and_nothing_is_written(
    arguments: list[str], refused: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    assert main(["new", *arguments]) == 1
    assert refused in capsys.readouterr().err
    assert files_of(tmp_path) == {"full/a.txt", "file"}


def test_a_book_begins_in_a_clone_that_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = tmp_path / "4th draft: squares"
    (clone / ".git").mkdir(parents=True)
    monkeypatch.chdir(clone)
    assert main(["new", "."]) == 0
    assert "name = 4th-draft-squares\ntitle = 4th Draft Squares\n" in (clone / "config.ini").read_text()
    assert main(["check"]) == 0


def test_build_takes_no_command_that_makes_a_book(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "new"]) == 1
    assert "unknown stage 'new'" in capsys.readouterr().err


def test_messages_advise_make_in_the_builder_s_own_repository_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert to_install("ipykernel").endswith(" -m pip install ipykernel")
    repository = tmp_path / "clone"
    (repository / "builder").mkdir(parents=True)
    (repository / "Makefile").touch()
    assert not is_own_repository(repository)
    monkeypatch.chdir(repository)
    assert is_own_repository(repository)


def test_every_file_of_the_template_is_used() -> None:
    used = {*FILES.values(), "code.md", "code-frameworks.md", *(f"outputs/{tab}.json" for tab in ("default", *OFFERED))}
    assert files_of(TEMPLATE) == used
