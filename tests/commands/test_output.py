"""What commands print: findings in three forms, colors and progress on a terminal only."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from d2lbook.cli import main
from d2lbook.commands.output import Output, advice
from d2lbook.diagnostics import Message

ROOT = Path(__file__).parents[2]


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book with one error and one warning."""
    (tmp_path / "config.ini").write_text("[build]\ntabs = pytorch\n")
    (tmp_path / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\npage\n```\n")
    (tmp_path / "page.md").write_text("# Page\n\nSee :numref:`sec_nowhere`.\n\n![](x.svg)\n")
    (tmp_path / "x.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_findings_as_json_are_one_list_and_all_of_standard_output(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--format", "json"]) == 1
    output = capsys.readouterr()
    found = json.loads(output.out)
    assert output.err == ""
    first = found[0]
    assert list(first) == ["file", "line", "column", "severity", "code", "message", "hint"]
    assert (first["file"], first["line"], first["column"]) == ("page.md", 3, 5)
    assert (first["severity"], first["code"]) == ("error", "label-undefined")
    assert "sec_nowhere" in first["message"]
    assert [each["severity"] for each in found] == ["error", "warning"]
    assert found[1]["hint"].startswith("say what it shows")


def test_json_is_a_list_whatever_happens(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "page.md").write_text("# Page\n\nText.\n")
    assert main(["lib", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    (book / "config.ini").unlink()
    assert main(["check", "--format", "json"]) == 1
    assert [each["code"] for each in json.loads(capsys.readouterr().out)] == ["config-missing"]


def test_findings_as_annotations_escape_what_github_reads(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error file=page.md,line=3,col=5,title=label-undefined::")
    assert lines[1].startswith("::warning file=page.md,line=5,col=1,title=figure-alt::")
    Output("github").report([Message("a,b:c.md", 0, 0, "error", "100 %\nof it", "x-y")])
    assert capsys.readouterr().out == "::error file=a%2Cb%3Ac.md,title=x-y::100 %25%0Aof it\n"


def test_quiet_prints_findings_only(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--quiet"]) == 1
    output = capsys.readouterr()
    assert output.out == "" and "[label-undefined]" in output.err


def test_an_unknown_form_is_refused(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--format", "xml"])
    assert stopped.value.code == 2
    assert "text, json, github" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("it is bad; mend it", ("it is bad", "mend it")),
        ("'a; b' is bad; mend it; or not", ("'a; b' is bad", "mend it; or not")),
        ("it is bad", ("it is bad", "")),
        ("don't; do", ("don't", "do")),
    ],
)
def test_a_message_says_what_is_wrong_and_what_to_do(text: str, parts: tuple[str, str]) -> None:
    assert advice(text) == parts


def test_causes_are_printed_before_what_follows_from_them(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (book / "index.md").write_text("# Book\n\n:numref:`sec_page`\n\n```toc\n:numbered:\n\npage\n```\n")
    (book / "page.md").write_bytes("# Page\n:label:`sec_page`\n\nCaf\u00e9.\n".encode("latin-1"))
    assert main(["check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("page.md:4") and lines[0].endswith("[file-encoding]")
    assert any(line.startswith("index.md:3") and line.endswith("[label-undefined]") for line in lines[1:])


def on_terminal(command: list[str], cwd: Path, **variables: str) -> tuple[int, str]:
    """The status of a command and what it writes to a terminal."""
    master, slave = pty.openpty()
    kept = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment = {**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **variables}
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    written = b""
    while True:
        try:
            read = os.read(master, 65536)
        except OSError:  # Linux, when the last writer has closed the terminal
            break
        if not read:
            break
        written += read
    os.close(master)
    return process.wait(), written.decode()


def test_findings_are_colored_on_a_terminal_and_never_with_no_color(book: Path) -> None:
    command = [sys.executable, "-m", "d2lbook", "check", "--quiet"]
    assert "\x1b[1;31merror\x1b[0m" in on_terminal(command, book)[1]
    assert "\x1b[" not in on_terminal(command, book, NO_COLOR="1")[1]
    piped = subprocess.run(
        command, cwd=book, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert "\x1b[" not in piped.stdout + piped.stderr


SHOWS = """
import sys, time
from d2lbook.commands.progress import Progress
line = Progress(0.0)
line.show("pdf: ko", 2, 4)
time.sleep(3)
line.pause()
print("printed meanwhile", flush=True)
line.end()
"""


def test_a_terminal_shows_what_is_being_done_and_how_far_it_is(tmp_path: Path) -> None:
    status, written = on_terminal([sys.executable, "-c", SHOWS], tmp_path)
    assert status == 0
    before, after = written.split("printed meanwhile")
    assert "pdf: ko (2 of 4)" in before and "pdf: ko" not in after


def test_steps_are_plain_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.begin("pdf")
    output.step("ko", 2, 4)
    output.end()
    assert capsys.readouterr() == ("pdf: ko (2 of 4)\n", "")


def test_the_process_that_draws_ends_with_its_parent(tmp_path: Path) -> None:
    program = (
        "import os; from d2lbook.commands.progress import Progress; line = Progress(0.0); line.show('a');"
        "print(line._process.pid, flush=True); os._exit(0)"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    while Path(f"/proc/{int(done.stdout)}").exists():
        time.sleep(0.05)
