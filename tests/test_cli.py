"""The command line: what it runs, what it says, and its exit status."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from d2lbook import __version__
from d2lbook.cli import main
from d2lbook.commands import COMMANDS, Command, load
from d2lbook.commands.arguments import read_arguments
from d2lbook.commands.table import COMMON
from d2lbook.make import TARGETS, environment

ROOT = Path(__file__).parents[1]
INDEX = "# Book\n\n```toc\n:numbered:\n\npage\n```\n"
PAGE = "# Page\n\nText.\n"


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config.ini").write_text("[build]\ntabs = pytorch, jax\n")
    (tmp_path / "index.md").write_text(INDEX)
    (tmp_path / "page.md").write_text(PAGE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_clean_book_passes_the_check_in_silence(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_check_tells_what_single_formats_would_refuse(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "page.md").write_text("# Page\n\nThe sum $\\frac{1$ is wrong.\n")
    with (book / "config.ini").open("a") as config:
        config.write("\n[colab]\ngithub_repo = x\n\n[sagemaker]\nkernel = jx, python3\n")
    assert main(["check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": error: ")[0] for line in lines] == [
        *("config.ini:5:1", "config.ini:7:1", "config.ini:8:1"),
        "page.md:3:17",
    ]
    assert [line.rpartition("[")[2] for line in lines] == [
        *("config-value]", "hosted-repository]", "tab-unknown]"),
        "formula-syntax]",
    ]


def test_findings_of_all_pages_are_printed_and_the_status_is_one(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (book / "page.md").write_text("# Page\n\nSee :numref:`sec_nowhere`.\n")
    (book / "index.md").write_text(INDEX + "\n:numref:`sec_lost`\n")
    assert main(["build", "check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[:2] for line in lines] == [["index.md", "9"], ["page.md", "3"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["eval", "--tab", "jx"], "--tab: error: 'jx' is not a tab of this book"),
        (["eval", "pag"], "pag: error: no such page in the table of contents; did you mean 'page'?"),
        (["build", "rst"], "build: error: 'rst' was an inner stage; use 'build html'"),
        (["build", "htlm"], "build: error: unknown stage 'htlm'; did you mean 'html'?"),
        (["translate"], "translate: error: say what: extract, update, status, check, add [translate-action]"),
        (["translate", "updat"], "translate: error: unknown 'updat'; did you mean 'update'? [translate-action]"),
        (
            ["check", "--lang", "xx"],
            "--lang: error: there is no 'xx' of this book; known: en; or add it: d2lbook translate add xx",
        ),
        (["translate", "status", "--lang", "en"], "--lang: error: 'en' is the language of the pages; name one that"),
        (
            ["build", "check", "--config", "config.ini", "htlm"],
            "build: error: unknown stage 'htlm'; did you mean 'html'?",
        ),
        (
            ["eval", "page", "--force", "pag"],
            "pag: error: no such page in the table of contents; did you mean 'page'?",
        ),
    ],
)
def test_bad_arguments_get_one_message(
    book: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    assert main(arguments) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(expected)


def test_a_language_that_the_environment_names_is_reported_as_such(
    book: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOOK_LANG", "ja")
    assert main(["check"]) == 1
    assert capsys.readouterr().err.startswith("BOOK_LANG: error: there is no 'ja' of this book")
    assert main(["translate", "add", "ja"]) == 0  # as the message says
    assert main(["translate", "status"]) == 0
    assert "languages = ja" in (book / "config.ini").read_text()


def test_an_unknown_option_is_no_page(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--forse", "page"])
    last = capsys.readouterr().err.splitlines()[-1]
    assert (
        last
        == "d2lbook: error: check: no option --forse; there are --config, --format, --quiet, --lang, --draft, --trust"
    )


@pytest.mark.parametrize(
    ("arguments", "wrong", "there"),
    [
        (["clear", "--port", "3", "--pdf", "--target", "x"], "--port, --pdf, --target", "--config, --format, --quiet"),
        (
            ["html", "--pdf", "--external"],
            "--pdf, --external",
            "--config, --format, --quiet, --tab, --lang, --no-faults, --draft, --trust",
        ),
        (
            ["build", "html", "--port", "8001"],
            "--port",
            "--config, --format, --quiet, --tab, --lang, --no-faults, --draft, --trust",
        ),
        (
            ["build", "lib", "slides", "--external"],
            "--external",
            "--config, --format, --quiet, --tab, --no-import, --lang, --no-faults, --draft, --trust, --pdf",
        ),
        (
            ["eval", "--forc"],
            "--forc",
            "--config, --format, --quiet, --tab, --lang, --force, --jobs, --dry-run"
            ", --dask, --dask-local, --bundle, --size, --wheels, --take",
        ),
    ],
)
def test_a_command_refuses_options_that_it_does_not_have(
    book: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], wrong: str, there: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.endswith(f": no option {wrong}; there are {there}")


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_the_help_of_a_command_tells_its_own_options_and_an_example_that_runs(
    row: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([row.name, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    options = set(re.findall(r"--[a-z-]+", shown.split("options:")[1].split("example:")[0])) - {"--help"}
    assert options == {option.flag for option in (*COMMON, *row.options)}
    example = shown.split("example:")[1].split()
    assert example[:2] == ["d2lbook", row.name]
    arguments = read_arguments(example[1:])
    assert row.takes_pages or not arguments.pages


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
def test_a_row_names_functions_that_are_there(row: Command) -> None:
    for reference in filter(None, (row.run, row.current, row.offer, row.check)):
        assert callable(load(reference))


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"d2lbook {__version__}\n"


@pytest.mark.parametrize("port", ["0", "80000", "x"])
def test_a_port_that_is_none_is_refused(book: Path, capsys: pytest.CaptureFixture[str], port: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", "--port", port])
    assert stopped.value.code == 2
    assert f"argument --port: '{port}' is no" in capsys.readouterr().err


def test_without_a_configuration_it_says_where_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    assert "config.ini: error: there is no such file" in capsys.readouterr().err


def test_clear_removes_the_output_and_nothing_else(book: Path) -> None:
    assert main(["ipynb"]) == 0
    assert main(["clear"]) == 0
    assert main(["clear"]) == 0
    assert sorted(path.name for path in book.iterdir()) == ["config.ini", "index.md", "page.md"]


def test_clear_refuses_an_output_directory_that_holds_the_book(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "config.ini").write_text("[build]\noutput_dir = .\n")
    assert main(["clear"]) == 1
    assert (book / "index.md").exists()
    assert "config.ini:2:14: error: output_dir" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("config", "held"),
    [
        ("[build]\noutput_dir = part\n", "part/page.md"),
        ("[build]\noutput_dir = img\nresources = img/\n", "img/"),
        ("[build]\noutput_dir = lib\n[library-default]\nlib_file = lib/d2l.py\n", "lib/d2l.py"),
    ],
)
def test_clear_refuses_an_output_directory_that_holds_a_source(
    book: Path, capsys: pytest.CaptureFixture[str], config: str, held: str
) -> None:
    (book / "config.ini").write_text(config)
    (book / "index.md").write_text(INDEX.replace("page\n", "part/page\n"))
    for folder in ("part", "img", "lib"):
        (book / folder).mkdir()
    (book / "part" / "page.md").write_text(PAGE)
    for _ in range(2):
        assert main(["clear"]) == 1
        assert f"which holds {held} of the book;" in capsys.readouterr().err
    assert (book / "part" / "page.md").exists() and (book / "img").exists() and (book / "lib").exists()


@pytest.mark.parametrize("command", ["outputcheck", "tabcheck"])
def test_a_check_says_the_same_again_and_changes_nothing(
    book: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    text = "# Page\n\n```{.python .input}\n#@tab caffe\n1\n```\n\n```{.json .output}\n{}\n```\n"
    (book / "page.md").write_text(text)
    before = {path: path.read_bytes() for path in book.rglob("*")}
    said = [(main([command]), capsys.readouterr()) for _ in range(2)]
    assert said[0] == said[1] and said[0][0] == 1
    assert ("[output-stored]" if command == "outputcheck" else "[tab-unknown]") in said[0][1].err
    assert {path: path.read_bytes() for path in book.rglob("*")} == before


# ---- make, without make ----------------------------------------------------------------------------------------------


def test_help_lists_every_target_with_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == list(TARGETS)
    assert all(len(line.split()) > 3 for line in lines)


def test_the_makefile_knows_the_same_targets() -> None:
    makefile = (Path(__file__).parent.parent / "Makefile").read_text()
    (names,) = [line.split(":=")[1].split() for line in makefile.splitlines() if line.startswith("TARGETS :=")]
    assert names == list(TARGETS)


def test_a_reader_of_the_output_who_leaves_early_gets_no_message(book: Path) -> None:
    command = [sys.executable, "-m", "d2lbook", "status"]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_unknown_target_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["make", "hmtl"]) == 1
    assert "unknown target 'hmtl'" in capsys.readouterr().err


SLOW_TO_END = """
import os, signal, sys, time
def end(*_):
    time.sleep(0.8)
    os.write(1, b"ended\\n")  # print may be interrupted while it says that the program has begun
    sys.exit(3)
signal.signal(signal.SIGINT, end)
print("begun", flush=True)
time.sleep(60)
"""


def test_what_is_interrupted_ends_in_its_own_way() -> None:
    program = (
        "import sys; from pathlib import Path; from d2lbook import make;"
        "sys.exit(make.run_commands([('{python}', '-c', sys.argv[1])], Path(sys.executable), Path('.')))"
    )
    command = [sys.executable, "-c", program, SLOW_TO_END]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None and process.stdout.readline() == "begun\n"
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)  # until it waits, too
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (output, errors, process.returncode) == ("ended\n", "", 3)


def test_an_old_python_is_told_which_one_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "html.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(environment, "OLDEST_PYTHON", (9, 9))
    assert main(["make", "html"]) == 1
    assert "Python 9.9 or newer is needed" in capsys.readouterr().err
