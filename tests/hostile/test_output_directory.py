"""Rows 5, 6 and 7: one command at a time builds in a directory, which is ours, and whose caches this user made."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fresh_machine
import fuzz
import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.commands.table import COMMANDS
from d2lbook.diagnostics import BookError
from d2lbook.security import output_directory
from d2lbook.security.output_directory import LOCK, MARK, is_marked, locked
from d2lbook.serve import Builder
from d2lbook.server import Live

ROOT = Path(__file__).parents[2]
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
PLACE = ("config.ini", 1)
# Windows' lock, played by one of this system: of a byte, for a process, with an error of its own.
WINDOWS = """
import fcntl, os, shutil, subprocess, sys, types
import d2lbook.diagnostics, d2lbook.security.key
def locking(handle, mode, count):
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, count, os.lseek(handle, 0, os.SEEK_CUR))
    except OSError:
        raise PermissionError(13, "Permission denied") from None
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
here, sys.platform = sys.platform, "win32"
import d2lbook.security.output_directory
d2lbook.security.output_directory.sys = types.SimpleNamespace(platform="win32")
sys.platform = here
del os.O_CLOEXEC, os.pread, os.pwrite
"""
HOLD = """
import sys, time
from pathlib import Path
from d2lbook.security.output_directory import locked
with locked(Path(sys.argv[1]), Path(sys.argv[2]), ("config.ini", 1)):
    print("has it", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, {"page": "Text.\n"}, CONFIG)
    monkeypatch.chdir(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(output_directory, "WAIT_SECONDS", 0.3)
    return root


def code(root: Path, seconds: float = 0.2) -> str:
    """What becomes of asking for the directory."""
    try:
        with locked(root / "_build", root, PLACE, seconds):
            return ""
    except BookError as error:
        return error.messages[0].code


def holder(root: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(root / "_build"), str(root)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "has it\n"
    return process


# ---- one at a time ---------------------------------------------------------------------------------------------------


def test_the_second_waits_and_then_names_the_first(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    process = holder(root)
    try:
        with pytest.raises(BookError) as caught, locked(root / "_build", root, PLACE, 0.2):
            pass
        (message,) = caught.value.messages
        assert message.code == "output-locked" and f"process {process.pid} " in message.text
        assert main(["epub", "--config", str(root / "config.ini")]) == 1
        assert f"process {process.pid} " in capsys.readouterr().err
        assert not (root / "_build" / "epub").exists()
    finally:
        process.kill()
        process.communicate()


def test_the_lock_of_a_dead_process_is_free(root: Path) -> None:
    process = holder(root)
    process.kill()
    process.communicate()
    assert (root / "_build" / LOCK).read_text() == f"{process.pid}\n"
    assert code(root) == ""
    assert (root / "_build" / LOCK).read_text() == f"{os.getpid()}\n"


def test_the_second_waits_as_long_as_it_is_told(root: Path) -> None:
    process = holder(root)
    start = time.monotonic()
    try:
        assert code(root, 1.0) == "output-locked"
        assert time.monotonic() - start >= 1.0
    finally:
        process.kill()
        process.communicate()


def test_two_builds_at_once_both_do_well(root: Path) -> None:
    command = [sys.executable, "-m", "d2lbook", "epub"]
    processes = [subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        assert process.communicate()[1] == b""
        assert process.returncode == 0


def test_serving_waits_for_another_build_however_long_it_takes(root: Path) -> None:
    process = holder(root)
    said: list[str] = []
    with ThreadPoolExecutor(1) as pool:
        built = pool.submit(Builder(root / "config.ini", Live(), said.append).build, ())
        time.sleep(3 * output_directory.WAIT_SECONDS)
        assert not built.done()
        process.kill()
        process.communicate()
        assert built.result(), said


@pytest.mark.parametrize("command", ["check", "status", "lib"])
def test_what_only_reads_needs_no_lock(root: Path, command: str) -> None:
    process = holder(root)
    try:
        assert main([command, "--config", str(root / "config.ini")]) in {0, 1}
    finally:
        process.kill()
        process.communicate()


def test_on_windows_the_second_waits_and_then_names_the_first(root: Path) -> None:
    command = [sys.executable, "-c", WINDOWS + HOLD, str(root / "_build"), str(root)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None and first.stdout.readline() == "has it\n"
    try:
        waits = WINDOWS + "d2lbook.security.output_directory.WAIT_SECONDS = 0.3\n" + HOLD
        second = subprocess.run([*command[:2], waits, *command[3:]], capture_output=True, text=True, check=False)
        assert second.returncode == 1 and f"process {first.pid} is building" in second.stderr
    finally:
        first.kill()
        first.communicate()
    ends = (WINDOWS + HOLD).replace("time.sleep(600)", "pass")
    again = subprocess.run([*command[:2], ends, *command[3:]], capture_output=True, text=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (0, "has it\n", "")


# ---- whose it is -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["epub", "ipynb", "clear", "html"])
@pytest.mark.parametrize("where", [".", "..", "../other", "img", "link"])
def test_a_directory_that_we_did_not_make_is_left_alone(root: Path, where: str, command: str) -> None:
    for folder in (root / "img", root.parent / "other"):
        folder.mkdir()
        (folder / "thesis.txt").write_text("years of work")
    (root / "link").symlink_to("../other")
    (root / "config.ini").write_text(f"{CONFIG}output_dir = {where}\n")
    before = {
        path: path.read_bytes()
        for path in root.parent.rglob("*")
        if path.is_file() and {"state", "_build"}.isdisjoint(path.parts)
    }
    assert main([command, "--config", str(root / "config.ini")]) == 1
    after = {
        path: path.read_bytes()
        for path in root.parent.rglob("*")
        if path.is_file() and {"state", "_build"}.isdisjoint(path.parts)
    }
    assert after == before


def test_a_directory_of_ours_is_marked_and_cleared(root: Path) -> None:
    (root / "config.ini").write_text(f"{CONFIG}output_dir = ../other\n")
    assert main(["ipynb"]) == 0
    assert is_marked(root.parent / "other")
    assert main(["clear"]) == 0
    assert not (root.parent / "other").exists()
    assert main(["clear"]) == 0


def test_a_directory_of_an_older_builder_is_taken_over(root: Path) -> None:
    for name in (".cache", "html"):
        (root / "_build" / name).mkdir(parents=True)
    (root / "_build" / ".cache" / "formulas.sqlite").write_text("whatever")
    assert code(root) == ""
    assert {path.name for path in (root / "_build").iterdir()} == {MARK, LOCK}


def test_a_directory_of_another_user_is_emptied_before_it_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["ipynb"]) == 0
    (root / "_build" / ".cache").mkdir(exist_ok=True)
    (root / "_build" / ".cache" / "formulas.sqlite").write_text("forged")
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "another"))
    assert not is_marked(root / "_build")
    assert code(root) == ""
    assert not (root / "_build" / ".cache").exists()
    assert is_marked(root / "_build")


@pytest.mark.parametrize("kept", [fresh_machine.LOG, fuzz.KEPT / "1.md"])
def test_what_the_tests_keep_is_no_obstacle_to_a_build(root: Path, kept: Path) -> None:
    path = root / kept.relative_to(ROOT)
    path.parent.mkdir(parents=True)
    path.write_text("kept")
    assert main(["ipynb"]) == 0 and main(["clear"]) == 0
    assert path.read_text() == "kept"


@pytest.mark.parametrize("mark", ["", "x\n", "x\ny\n", "x\ny z\n", f"x\ny {'0' * 64}\n"])
def test_a_forged_mark_is_none(root: Path, mark: str) -> None:
    (root / "_build").mkdir()
    (root / "_build" / MARK).write_text(mark)
    assert not is_marked(root / "_build")


def test_what_was_built_may_not_come_with_the_book(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ipynb"]) == 0
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.example"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-f", "_build"], check=True)
    assert main(["ipynb"]) == 1
    assert "[output-tracked]" in capsys.readouterr().err


def test_what_every_format_makes_is_known() -> None:
    assert {row.name for row in COMMANDS if row.is_format} <= output_directory._MADE


def test_the_key_is_the_users_alone(root: Path) -> None:
    assert code(root) == ""
    (key,) = (root.parent / "state" / "d2lbook").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_bytes()) == 32
