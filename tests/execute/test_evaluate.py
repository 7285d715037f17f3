"""Running pages: what is frozen, and what happens to pages that fail, die, hang or print without end."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from books import cell, freeze, open_book, write_book

from d2lbook.diagnostics import Messages
from d2lbook.execute import status
from d2lbook.execute.frozen import load_run, run_path
from d2lbook.execute.schedule import evaluate
from d2lbook.frameworks import BY_TAB

ROOT = Path(__file__).parents[2]
GOOD = """import os, sys
print("one")
print("two")
print("three", file=sys.stderr)
1 + 1"""
FAILS = """def inverse(x):
    return 1 / x

print("before")
inverse(0)"""
DIES = 'import os, time\nprint("bye", flush=True)\ntime.sleep(1)  # the message is on its way\nos._exit(3)'
HANGS = """import signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open({pid!r}, "w").write(str(__import__("os").getpid()))
while True:
    time.sleep(1)"""
HUGE = 'for _ in range(50):\n    print("x" * 1_000_000)'


@dataclass
class Outcome:
    succeeded: bool
    messages: list[str]
    lines: list[str]


def run(root: Path, pages: tuple[str, ...] = (), force: bool = False, store: bool = True, jobs: int = 2) -> Outcome:
    book, config = open_book(root)
    messages, lines = Messages(), list[str]()
    wanted = pages or tuple(page.document.name for page in book.pages)
    succeeded = evaluate(book, config, book.tabs, wanted, force, jobs, messages, lines.append, store)
    return Outcome(succeeded, [str(message) for message in messages], lines)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that ended and was not waited for yet is not alive either.
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A book of one good page among four bad ones, run once."""
    root = tmp_path_factory.mktemp("book")
    hangs = HANGS.format(pid=str(root / "pid"))
    pages = {
        "fails": "Text.\n\n" + cell("x = 1") + "\n" + cell(FAILS),
        "hangs": cell(hangs),
        "dies": cell(DIES),
        "huge": cell(HUGE),
        "good": cell(GOOD) + "\n" + cell("x = 3"),
    }
    write_book(root, pages, "[build]\ntime_limit = 10\n")
    freeze(root, "huge", "default", "kept")
    return root, run(root, force=True)


def test_the_good_page_is_frozen_with_what_produced_it(troubled: tuple[Path, Outcome]) -> None:
    root, _ = troubled
    found = load_run(root, "good", "default")
    assert found is not None
    first, second = found.cells
    assert first.outputs == (
        {"output_type": "stream", "name": "stdout", "text": "one\ntwo\n"},
        {"output_type": "stream", "name": "stderr", "text": "three\n"},
        {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}, "execution_count": None},
    )
    assert second.outputs == ()
    assert found.produced.device.startswith("CPU, ")
    assert "python" in found.produced.versions
    assert found.produced.date == time.strftime("%Y-%m-%d", time.gmtime())
    assert 0 < found.produced.seconds < 60
    book, config = open_book(root)
    assert ("good", "default", "fresh") in status(book, config, book.tabs)


def test_a_failing_cell_is_reported_with_place_streams_and_traceback(troubled: tuple[Path, Outcome]) -> None:
    root, outcome = troubled
    line = (root / "fails.md").read_text().splitlines().index("inverse(0)") + 1
    place = f"fails.md:{line}: "
    what = "default: cell 2 failed: ZeroDivisionError: division by zero"
    assert f"{place}error: {what} [eval-failed]" in outcome.messages
    details = outcome.lines[outcome.lines.index(f"{place}{what}") + 1]
    assert "--- what the cell printed\nbefore\n" in details
    assert "in inverse(x)" in details and "return 1 / x" in details
    assert "\x1b" not in details


def test_a_kernel_that_died_is_reported_with_its_status(troubled: tuple[Path, Outcome]) -> None:
    _, outcome = troubled
    (message,) = [message for message in outcome.messages if message.startswith("dies.md:5: ")]
    assert "cell 1 ended its kernel (exit status 3)" in message and message.endswith("[eval-kernel-died]")
    assert any("bye" in line for line in outcome.lines)


def test_a_page_that_hangs_is_ended_at_the_limit_and_its_kernel_killed(troubled: tuple[Path, Outcome]) -> None:
    root, outcome = troubled
    (message,) = [message for message in outcome.messages if message.startswith("hangs.md:5: ")]
    assert "cell 1 was still running at the page's limit of 10 s ([build] time_limit) [eval-time-limit]" in message
    assert not is_alive(int((root / "pid").read_text()))


def test_an_endless_output_is_an_error_and_the_older_result_stays(troubled: tuple[Path, Outcome]) -> None:
    root, outcome = troubled
    assert "huge.md:5: error: default: cell 1 put out more than the 5 MB that a page can keep; print less" in "".join(
        outcome.messages
    )
    found = load_run(root, "huge", "default")
    assert found is not None and found.cells[0].outputs[0]["text"] == "kept\n"


def test_the_others_go_on_and_the_status_is_false(troubled: tuple[Path, Outcome]) -> None:
    root, outcome = troubled
    assert not outcome.succeeded
    assert len(outcome.messages) == 4
    assert outcome.lines[-1] == "1 of 5 succeeded"
    assert not any(run_path(root, page, "default").exists() for page in ("fails", "hangs", "dies"))


def test_progress_names_page_framework_cell_and_seconds(troubled: tuple[Path, Outcome]) -> None:
    _, outcome = troubled
    assert any(line.startswith("good [default] cell 1/2 ") and line.endswith(" s") for line in outcome.lines)


# ---- what is run, where, and what is kept ----------------------------------------------------------------------------


def test_only_what_is_not_fresh_runs(tmp_path: Path) -> None:
    write_book(tmp_path, {"a": cell("1"), "b": cell("2"), "text": "No cells."})
    freeze(tmp_path, "a", "default")
    frozen = run_path(tmp_path, "a", "default").read_bytes()
    outcome = run(tmp_path)
    assert outcome.succeeded and outcome.lines[0] == "1 to run"
    assert run_path(tmp_path, "a", "default").read_bytes() == frozen
    again = run(tmp_path)
    assert again.succeeded and again.lines == ["0 to run"]
    assert run(tmp_path, ("a",), force=True).lines[0] == "1 to run"
    assert run_path(tmp_path, "a", "default").read_bytes() != frozen


def test_a_kernel_runs_beside_the_resources_with_nothing_personal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    startup = tmp_path / "startup.py"
    startup.write_text("print('personal')")
    monkeypatch.setenv("PYTHONSTARTUP", str(startup))
    monkeypatch.setenv("D2L_DATA", os.path.relpath(tmp_path / "data"))
    code = """import os
print(open("../img/note.txt").read(), os.environ["PYTHONHASHSEED"], os.environ["D2L_DATA"])
open("made-by-the-page.txt", "w").close()"""
    root = tmp_path / "book"
    write_book(root, {"chapter/page": cell(code)}, "[build]\nresources = img/\n")
    (root / "img").mkdir()
    (root / "img" / "note.txt").write_text("a note")
    before = sorted(root.rglob("*"))
    outcome = run(root)
    assert outcome.succeeded, outcome.lines
    found = load_run(root, "chapter/page", "default")
    assert found is not None
    assert [output["text"] for output in found.cells[0].outputs] == [f"a note 0 {tmp_path / 'data'}\n"]
    assert sorted(path for path in root.rglob("*") if "outputs" not in path.parts) == before


def test_kernels_share_the_cores_and_the_result_says_how_many(tmp_path: Path) -> None:
    code = "import os\nlen(os.sched_getaffinity(0)), os.environ.get('OMP_NUM_THREADS')"
    write_book(tmp_path, {"a": cell(code), "b": cell(code)})
    assert run(tmp_path, jobs=2).succeeded
    there = len(os.sched_getaffinity(0))
    share = max(1, there // 2)
    for page in ("a", "b"):
        found = load_run(tmp_path, page, "default")
        assert found is not None
        threads = os.environ.get("OMP_NUM_THREADS", str(share))
        assert found.cells[0].outputs[0]["data"]["text/plain"] == f"({share}, {threads!r})"
        everything = "" if share == os.cpu_count() else f"{share} of "
        assert found.produced.device.startswith(f"CPU, {everything}{os.cpu_count()} core")


def test_without_store_nothing_is_kept(tmp_path: Path) -> None:
    write_book(tmp_path, {"a": cell("1")})
    assert run(tmp_path, store=False).succeeded
    assert not (tmp_path / "outputs").exists()


def test_short_results_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("D2L_SHORT", "1")
    write_book(tmp_path, {"a": cell("import os\nassert os.environ['D2L_SHORT'] == '1'")})
    outcome = run(tmp_path)
    assert not outcome.succeeded and "[eval-short]" in outcome.messages[0]
    assert run(tmp_path, store=False).succeeded


def test_a_missing_framework_is_one_message_for_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = replace(BY_TAB["pytorch"], packages=(("torch-that-is-not-there",),))
    monkeypatch.setitem(BY_TAB, "pytorch", lacking)
    write_book(tmp_path, {"a": cell("1"), "b": cell("1")}, "[build]\ntabs = pytorch\n")
    outcome = run(tmp_path)
    assert not outcome.succeeded
    assert outcome.messages == [
        "config.ini:2: error: pytorch: 2 pages cannot run without torch-that-is-not-there; run: make setup"
        " [eval-not-installed]"
    ]


def test_a_full_disk_keeps_the_older_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(tmp_path, {"a": cell("1")})
    freeze(tmp_path, "a", "default", "kept")
    before = run_path(tmp_path, "a", "default").read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("d2lbook.files.os.fsync", full)
    outcome = run(tmp_path, force=True)
    assert not outcome.succeeded
    assert outcome.messages == [
        "a.md: error: default: outputs/a/default.cpu.json cannot be written: No space left on device; free some space"
        " and run it again; the older result stays [result-unwritable]"
    ]
    assert run_path(tmp_path, "a", "default").read_bytes() == before
    assert [path.name for path in (tmp_path / "outputs" / "a").iterdir()] == ["default.cpu.json"]


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_keeps_what_it_finished(tmp_path: Path, ending: signal.Signals) -> None:
    hangs = HANGS.format(pid=str(tmp_path / "pid"))
    write_book(tmp_path, {"a": cell("1"), "b": cell(hangs), "c": cell("3")})
    for page in ("a", "b"):
        freeze(tmp_path, page, "default", "kept")
    command = [sys.executable, "-m", "d2lbook", "eval", "--force", "--jobs", "1"]
    (tmp_path / "tmp").mkdir()  # what a killed run leaves lies here
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as child:
        until = time.monotonic() + 60
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
            assert time.monotonic() < until and child.poll() is None
            time.sleep(0.1)
        child.send_signal(ending)
        _, errors = child.communicate(timeout=30)
    pid = int((tmp_path / "pid").read_text())
    until = time.monotonic() + 20
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.2)
    assert not is_alive(pid)
    if ending == signal.SIGINT:
        assert child.returncode == 130
        assert errors.decode() == "stopped; what was finished is kept\n"
    book, config = open_book(tmp_path)
    assert [state for _, _, state in status(book, config, book.tabs)] == ["fresh", "fresh", "missing"]
    finished, kept = (load_run(tmp_path, page, "default") for page in ("a", "b"))
    assert finished is not None and finished.cells[0].outputs[0]["data"] == {"text/plain": "1"}
    assert kept is not None and kept.cells[0].outputs[0]["text"] == "kept\n"
