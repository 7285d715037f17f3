"""What is too long, too deep, too many or too late: each is a message that names its place, and nothing is lost."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from books import cell, open_book, write_book

from d2lbook.book import load_book
from d2lbook.check import check_book
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.files import is_file, is_folder
from d2lbook.model import Page
from d2lbook.parse import markdown, parse_document
from d2lbook.pycode import parse_cell
from d2lbook.rendering.epoch import epoch
from d2lbook.rendering.formulas import Formulas
from d2lbook.rendering.typesetting import typeset

CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
LONG = "x" * 300
SUM = " + ".join("1" * 3000)


def findings(root: Path, page: str, config: str = CONFIG) -> list[str]:
    """What is said of a book of one page."""
    (root / "config.ini").write_text(config)
    (root / "index.md").write_text(page, encoding="utf-8", newline="")
    messages = Messages()
    settings = load(root / "config.ini", messages)
    check_book(load_book(settings, messages), settings, messages)
    return [str(message) for message in messages]


# ---- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        (f"```toc\n{LONG}\n```", "index.md:4:1", "toc-missing"),
        (f"![c]({LONG}.png)\n:alt:`a`", "index.md:3:1", "figure-missing"),
        (f"![c]({LONG}/{LONG}.png)\n:alt:`a`", "index.md:3:1", "figure-missing"),
        (f"Text ![]({LONG}.png)", "index.md:3:6", "figure-missing"),
        (f":bibliography:`{LONG}.bib`", "index.md:3:1", "bibliography-missing"),
        (f"![c](f.svg)\n:alt:`a`\n:interactive:`{LONG}.js`", "index.md:5:1", "interactive-missing"),
    ],
)
def test_a_name_longer_than_files_have_is_one_message(tmp_path: Path, text: str, place: str, code: str) -> None:
    (tmp_path / "f.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (found,) = findings(tmp_path, f"# Book\n\n{text}\n")
    assert found.startswith(f"{place}: error: ") and found.endswith(f"[{code}]")


def test_a_link_to_such_a_name_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert findings(tmp_path, f"# Book\n\n[x]({LONG})\n") == []
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 1
    assert "index.md:3:1: error: the link leads to" in capsys.readouterr().err


@pytest.mark.parametrize("section", [f"[library-pytorch]\nlib_file = {LONG}.py", f"[pdf]\nbibfile = {LONG}"])
def test_a_configured_name_is_no_traceback(tmp_path: Path, section: str) -> None:
    assert [
        found for found in findings(tmp_path, "# Book\n\nText.\n", f"{CONFIG}{section}\n") if LONG not in found
    ] == []


@pytest.mark.parametrize("command", ["check", "ipynb", "status"])
def test_a_path_of_600_characters_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert findings(tmp_path, "# Book\n\nText.\n") == []
    monkeypatch.chdir(tmp_path)
    assert main([command, "x" * 600]) == 1
    assert "no such page" in capsys.readouterr().err
    assert main([command, "--config", "x" * 600]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "error: " in line


def test_what_no_system_takes_is_no_file(tmp_path: Path) -> None:
    for name in (LONG, "a\0b", "a/" * 3000):
        assert not is_file(tmp_path / name) and not is_folder(tmp_path / name)


# ---- depth ----------------------------------------------------------------------------------------------------------


def _lists(depth: int) -> str:
    return "".join(f"{'  ' * level}- x{level}.\n" for level in range(depth))


@pytest.mark.parametrize(("text", "shown"), [(_lists(10), "x9."), (_lists(40), "x39."), ("> " * 20 + "x20.\n", "x20.")])
def test_lists_and_quotations_stand_deep_in_each_other(text: str, shown: str) -> None:
    messages = Messages()
    (block,) = parse_document(text, "page.md", messages).blocks
    assert shown in markdown().render(getattr(block, "text", ""))
    assert [str(message) for message in messages] == []


@pytest.mark.parametrize(
    "text",
    [
        _lists(60),
        "> " * 110 + "x\n",
        "*" * 500 + "a" + "*" * 500,
        "a | b\n--|--\n" + "*" * 500 + "a" + "*" * 500 + " | c",
    ],
)
def test_what_stands_too_deep_is_an_error_at_its_place(tmp_path: Path, text: str) -> None:
    (found,) = findings(tmp_path, f"# Book\n\n{text}\n")
    assert found.startswith("index.md:3:1: error: more than 100 lists, quotations or kinds of emphasis")
    assert found.endswith("[nesting]")


def test_what_is_as_deep_as_it_may_be_is_written_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = f"{_lists(49)}\n{'> ' * 98}quoted\n\n{'*' * 198}strong{'*' * 198}\n\n[**{'> ' * 9}shown**]\n"
    assert findings(tmp_path, f"# Book\n\n{page}") == []
    monkeypatch.chdir(tmp_path)
    assert main(["build", "html", "ipynb", "epub", "slides"]) == 0, capsys.readouterr().err
    text = (tmp_path / "_build/html/index.html").read_text(encoding="utf-8")
    assert "x48." in text and "quoted" in text and text.count("<strong>") == 99


# ---- code -----------------------------------------------------------------------------------------------------------


def test_a_sum_of_3000_terms_is_told_with_its_place(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, f"# Book\n\n{cell(f'y = 1{chr(10)}x = {SUM}', 'pytorch')}")
    assert found == (
        "index.md:5:1: error: more than 200 operations or blocks inside each other; take them apart, as a list and its"
        " sum [cell-syntax]"
    )
    (found,) = findings(tmp_path, f"# Book\n\n{cell(f'y = 1{chr(10)}x = {SUM[:2001]}', 'pytorch')}")
    assert found.startswith("index.md:6:1: error: more than 200 operations")


@pytest.mark.parametrize(
    "code", ["-" * 3000 + "1", "lambda: " * 3000 + "1", "a" + ".b" * 3000, "x[0" * 150 + "]" * 150]
)
def test_code_too_deep_to_read_is_a_syntax_error(code: str) -> None:
    try:
        assert parse_cell(code).source == code
    except SyntaxError as error:
        assert error.lineno == 1


def test_code_that_only_the_parser_takes_is_told_with_its_place(tmp_path: Path) -> None:
    """`tokenize` counts the blanks before a backslash that ends its line as the next line's."""
    code = "def g():  #@save\n\\\n    if n:\n        pass\n    return 1"
    (found,) = findings(tmp_path, f"# Book\n\n{cell(code, 'pytorch')}")
    assert found.startswith("index.md:9:") and found.endswith("[cell-syntax]")


@pytest.mark.parametrize(
    "code",
    [
        "class M:  #@save\n    a = 1\r    b = 2\n\nsecret = 1",
        "y = 1\rz = 2",
        "def f():  #@save\r    return 1\n\nsecret = 1",
    ],
)
def test_a_lone_carriage_return_in_a_cell_is_told_and_ends_no_line(tmp_path: Path, code: str) -> None:
    config = f"{CONFIG}[library-pytorch]\nlib_file = lib.py\nlib_name = np\n"
    found = findings(tmp_path, f"# Book\n\n{cell(code, 'pytorch')}", config)
    line = 5 + code[: code.index("\r")].count("\n")
    column = code.index("\r") - code.rfind("\n", 0, code.index("\r"))
    text = "control character U+000D ends a line for Python alone; make it a line end, or write '\\r'"
    assert f"index.md:{line}:{column}: error: {text} [control-character]" in found


# ---- formulas -------------------------------------------------------------------------------------------------------


def test_a_formula_of_too_many_groups_is_told_with_its_place(tmp_path: Path) -> None:
    document = parse_document(f"# T\n\nText ${'{' * 2000}{'}' * 2000}$ and $x$.\n", "page.md", Messages())
    messages, formulas = Messages(), Formulas(tmp_path / "formulas.sqlite")
    typeset([Page(document, "", 0, ())], formulas, messages)
    (message,) = messages
    assert str(message) == (
        "page.md:3:7: error: more groups inside each other than can be typeset; mend this formula [formula-syntax]"
    )
    assert formulas.get("x", False).html
    formulas.close()


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x1c", "\x0b", "\r"])
def test_a_formula_with_an_unusual_end_of_line_stays_one_formula(tmp_path: Path, character: str) -> None:
    formulas = Formulas(tmp_path / "formulas.sqlite")
    formulas.load([(f"x{character}y", False), (f"\\text{{x{character}y}}", True), ("z", False)])
    assert "z" in formulas.get("z", False).html and not formulas.get("z", False).error
    formulas.close()


# ---- dates, encodings, ports ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("date", ["abc", "1e5", "-1", "", "99999999999"])
def test_a_date_that_is_none_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], date: str
) -> None:
    assert findings(tmp_path, "# Book\n\nText.\n") == []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", date)
    assert main(["html"]) == 1
    assert capsys.readouterr().err == (
        f"SOURCE_DATE_EPOCH: error: '{date}' is no whole number of seconds since 1970; set it to one, or unset it"
        " [config-value]\n"
    )


def test_a_commit_later_than_archives_know_has_the_last_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "Text.\n"}, CONFIG)
    late = {"GIT_COMMITTER_DATE": "@5000000000 +0000", "GIT_AUTHOR_DATE": "@5000000000 +0000", "HOME": str(tmp_path)}
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*names, "commit", "-qm", "Later"]):
        subprocess.run(["git", *command], cwd=root, env={"PATH": "/usr/bin:/bin", **late}, check=True)
    assert epoch(root) == 2**32 - 1
    open_book(root)
    monkeypatch.chdir(root)
    assert main(["build", "epub", "pkg"]) == 0
    with zipfile.ZipFile(root / "_build/epub/en/pytorch.epub") as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {2106}


def test_what_is_said_can_be_said_in_any_encoding(tmp_path: Path) -> None:
    write_book(tmp_path, {"라고": cell("print(1)", "pytorch")}, "[build]\ntabs = pytorch\n")
    environment = {"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "cp1252", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "d2lbook", "status"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.stderr == b"" and done.returncode == 1
    assert done.stdout.startswith(rb"\ub77c\uace0  pytorch     missing")


def test_standard_output_of_another_kind_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(tmp_path, "# Book\n\nText.\n") == []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert main(["check"]) == 0


@pytest.mark.parametrize("port", ["65536", "80000", "0", "x"])
def test_a_port_that_there_is_not_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--port", port])
    assert ended.value.code == 2
    assert port in capsys.readouterr().err.splitlines()[-1]
