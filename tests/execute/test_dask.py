"""Pages on a Dask cluster: a real scheduler and two workers on this machine, which are killed, interrupted, refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from books import cell, freeze, open_book, write_book

from d2lbook.cli import main
from d2lbook.diagnostics import BookError, Messages
from d2lbook.execute import status
from d2lbook.execute.board import Board
from d2lbook.execute.dask import cluster, connect, scheduler
from d2lbook.execute.dask.seats import seats
from d2lbook.execute.frozen import load_run
from d2lbook.execute.schedule import evaluate
from d2lbook.execute.task import Step

ROOT = Path(__file__).parents[2]
TINYBOOK = ROOT / "tests" / "tinybook"
# A worker has two GPUs, the other has one; both have a setting that must not reach the pages.
GPUS = ("4,5", "6")
HANGS = """import os, time
open({begun!r}, "w").write(f"{{os.getpid()}} {{os.getppid()}}")
while not os.path.exists({go_on!r}):
    time.sleep(0.05)
"the end\""""
SHOWS = """import os
print(os.environ["CUDA_VISIBLE_DEVICES"], repr(os.environ["D2L_SHORT"]), open("../img/note.txt").read())"""


@dataclass
class Outcome:
    succeeded: bool
    messages: list[str]
    lines: list[str]


@dataclass
class Cluster:
    """A scheduler and two workers, each a process of its own."""

    folder: Path
    address: str
    processes: ExitStack
    said_without_workers: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def begin(self, *command: str, **variables: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.folder), **variables}
        log = self.processes.enter_context((self.folder / "dask.log").open("ab"))
        child = subprocess.Popen(
            [sys.executable, "-m", "dask", *command], cwd=self.folder, env=environment, stdout=log, stderr=log
        )
        self.processes.callback(child.wait, 20)
        self.processes.callback(child.terminate)
        return child

    def fill(self) -> None:
        """Starts the workers that are not there, and waits for both."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        for gpus in GPUS[len(self.workers) :]:
            options = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1")
            resources = ("--resources", f"GPU={len(gpus.split(','))}")
            self.workers.append(
                self.begin("worker", self.address, *options, *resources, CUDA_VISIBLE_DEVICES=gpus, D2L_SHORT="1")
            )
        with connect._client(self.address, None) as client:
            client.wait_for_workers(len(GPUS), timeout=60)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("dask")
    port = free_port()
    with ExitStack() as processes:
        found = Cluster(folder, f"tcp://127.0.0.1:{port}", processes)
        found.begin("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
        until = time.monotonic() + 60
        while not found.said_without_workers.endswith("[dask-no-worker]"):
            assert time.monotonic() < until
            found.said_without_workers = refused(found.address, folder)
        yield found


@pytest.fixture
def dask(started: Cluster) -> Cluster:
    started.fill()
    return started


def refused(address: str, folder: Path) -> str:
    write_book(folder / "any", {"a": cell("1")})
    _, config = open_book(folder / "any")
    with pytest.raises(BookError) as error, cluster(config, address):
        pass
    return str(error.value)


def run(root: Path, address: str = "", said: Callable[[str], None] | None = None) -> Outcome:
    """Evaluates a book's pages, all of them, on the cluster at an address or here."""
    book, config = open_book(root)
    messages, lines = Messages(), list[str]()
    pages = [page.document.name for page in book.pages]
    with ExitStack() as stack:
        there = stack.enter_context(cluster(config, address)) if address else None
        report = said or lines.append
        succeeded = evaluate(book, config, book.tabs, pages, True, 2, messages, report, scheduler=there)
    return Outcome(succeeded, [str(message) for message in messages], lines)


def results(root: Path) -> dict[str, Any]:
    """All frozen results without what time gives them."""
    found = {}
    for path in sorted((root / "outputs").rglob("*.json")):
        data = json.loads(path.read_text())
        for timed in (data["produced"], *data["cells"]):
            assert timed.pop("seconds") >= 0
        found[path.relative_to(root).as_posix()] = data
    return found


def wait_for(path: Path) -> list[int]:
    """The numbers that a page writes when it has begun: its kernel's process and the worker's."""
    until = time.monotonic() + 60
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < until, f"{path} was not written"
        time.sleep(0.05)
    return [int(number) for number in path.read_text().split()]


def assert_gone(pid: int) -> None:
    until = time.monotonic() + 20
    while Path(f"/proc/{pid}/stat").exists() and time.monotonic() < until:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()


def test_results_are_those_of_the_local_scheduler(dask: Cluster, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for root in (here, there):
        shutil.copytree(TINYBOOK, root, ignore=shutil.ignore_patterns("outputs", "_build"))
    local, cluster_ = run(here), run(there, dask.address)
    assert (local.succeeded, cluster_.succeeded) == (True, True), cluster_.lines
    assert len(results(here)) > 3
    assert results(there) == results(here)
    book, config = open_book(there)
    assert {state for _, _, state in status(book, config, book.tabs)} == {"fresh"}
    assert local.lines[0] == cluster_.lines[0] and local.lines[-1] == cluster_.lines[-1]
    assert any(" cell 1/" in line and " s on tcp://127.0.0.1:" in line for line in cluster_.lines)
    assert not list(dask.folder.glob("dask-scratch-space*/worker-*/d2lbook-*"))


def test_a_failing_page_fails_alone_with_its_traceback(dask: Cluster, tmp_path: Path) -> None:
    fails = "Text.\n\n" + cell('print("before")\n\ndef inverse(x):\n    return 1 / x\n\ninverse(0)')
    dies = cell("import os, time\ntime.sleep(0.5)\nos._exit(3)")
    outcomes = []
    for name, address in (("here", ""), ("there", dask.address)):
        write_book(tmp_path / name, {"fails": fails, "dies": dies, "good": cell("1 + 1")})
        outcomes.append(run(tmp_path / name, address))
    here, there = outcomes
    assert there.messages == here.messages and len(there.messages) == 2
    assert there.messages[1].startswith("fails.md:12: error: default: cell 1 failed: ZeroDivisionError")
    (details,) = [line for line in there.lines if "Traceback" in line]
    assert details in here.lines and "--- what the cell printed\nbefore" in details
    assert there.lines[-1] == "1 of 3 succeeded"
    assert load_run(tmp_path / "there", "good", "default") is not None


def test_a_page_gets_resources_its_gpus_and_the_callers_settings(dask: Cluster, tmp_path: Path) -> None:
    ask = "def devices(n): pass\n"
    pages = {f"chapter/{name}": cell(code) for name, code in {"two": f"{ask}devices(2)\n{SHOWS}"}.items()}
    pages["chapter/three"] = cell(f"{ask}devices(3)")
    write_book(tmp_path, pages, "[build]\nresources = img/\n")
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "note.txt").write_text("a note")
    outcome = run(tmp_path, dask.address)
    found = load_run(tmp_path, "chapter/two", "default")
    assert found is not None, outcome.lines
    assert found.cells[0].outputs[0]["text"] == "4,5 '' a note\n"
    assert outcome.messages == [
        "chapter/three.md: error: default: asks for 3 GPUs, and no worker has more than 2; start one with: dask worker"
        " --resources GPU=3 [dask-resource]"
    ]


def test_a_page_whose_worker_is_killed_runs_on_the_other(dask: Cluster, tmp_path: Path) -> None:
    begun, go_on = tmp_path / "begun", tmp_path / "go-on"
    root = tmp_path / "book"
    write_book(root, {"page": cell(HANGS.format(begun=str(begun), go_on=str(go_on)))})
    outcome = list[Outcome]()
    thread = threading.Thread(target=lambda: outcome.append(run(root, dask.address)))
    thread.start()
    kernel, worker = wait_for(begun)
    begun.unlink()
    assert worker in {process.pid for process in dask.workers}
    os.kill(worker, signal.SIGKILL)
    second, other = wait_for(begun)
    assert_gone(kernel)
    go_on.touch()
    thread.join(30)
    assert outcome[0].succeeded and (second, other) != (kernel, worker)
    (again,) = [line for line in outcome[0].lines if "begins again" in line]
    assert again.startswith("page [default] begins again on tcp://127.0.0.1:") and again.endswith(" is gone")
    found = load_run(root, "page", "default")
    assert found is not None and found.cells[0].outputs[0]["data"] == {"text/plain": "'the end'"}


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_keeps_what_it_finished_and_leaves_no_kernel(
    dask: Cluster, tmp_path: Path, ending: signal.Signals
) -> None:
    begun, root = tmp_path / "begun", tmp_path / "book"
    hangs = HANGS.format(begun=str(begun), go_on=str(tmp_path / "never"))
    write_book(
        root,
        {
            "a": cell("1"),
            "b": cell(
                f"import os, time\nwhile not os.path.exists({str(root)!r} + "
                '"/outputs/a/default.cpu.json"):\n    time.sleep(0.1)'
            )
            + "\n"
            + cell(hangs),
        },
    )
    freeze(root, "b", "default", "kept")
    command = [sys.executable, "-m", "d2lbook", "eval", "--force", "--dask", dask.address]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=root, env=environment, stdout=-1, stderr=-1) as child:
        kernel, _ = wait_for(begun)
        child.send_signal(ending)
        _, errors = child.communicate(timeout=30)
    assert_gone(kernel)
    if ending == signal.SIGINT:
        assert (child.returncode, errors.decode()) == (130, "stopped; what was finished is kept\n")
    finished, kept = (load_run(root, page, "default") for page in ("a", "b"))
    assert finished is not None and finished.cells[0].outputs[0]["data"] == {"text/plain": "1"}
    assert kept is not None and kept.cells[0].outputs[0]["text"] == "kept\n"


def test_a_cluster_of_this_machine_begins_and_ends_with_the_command(tmp_path: Path) -> None:
    write_book(tmp_path, {"a": cell("import os\nlen(os.sched_getaffinity(0))")})
    command = [sys.executable, "-m", "d2lbook", "eval", "--dask-local", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "1 to run" and " s on tls://127.0.0.1:" in lines[1] and lines[-1] == "1 of 1 succeeded"
    found = load_run(tmp_path, "a", "default")
    assert found is not None
    assert found.cells[0].outputs[0]["data"] == {"text/plain": str(len(os.sched_getaffinity(0)))}


def test_pages_go_to_the_worker_that_is_free(tmp_path: Path) -> None:
    """Of six given at once, Dask may let one worker have four, while the other one waits."""
    write_book(tmp_path, {f"page{number}": cell("import time\ntime.sleep(2)") for number in range(6)})
    command = [sys.executable, "-m", "d2lbook", "eval", "--dry-run", "--dask-local", "2"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    workers = [line.rpartition(" on ")[2] for line in done.stdout.splitlines() if " on tls://" in line]
    assert sorted(map(workers.count, set(workers))) == [3, 3], done.stdout + done.stderr


# ---- clusters that cannot be used ------------------------------------------------------------------------------------


def test_a_cluster_without_workers_is_refused(started: Cluster) -> None:
    assert started.said_without_workers == (
        f"--dask: error: the scheduler at {started.address} has no workers; start some with: dask worker"
        f" {started.address} [dask-no-worker]"
    )


def test_an_address_that_does_not_answer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_ANSWER_SECONDS", 0.5)
    for address in (f"tcp://127.0.0.1:{free_port()}", "nonsense://a", f"tls://127.0.0.1:{free_port()}"):
        text = refused(address, tmp_path)
        assert text.startswith(f"--dask: error: no Dask scheduler answers at {address} (")
        assert text.endswith("such as tcp://10.0.0.5:8786 [dask-address]") and "\n" not in text


@pytest.mark.parametrize(
    ("package", "there", "said"),
    [
        ("distributed", "2020.1.0", "the worker tcp://w has distributed 2020.1.0, here it is 2026.8.0"),
        ("python", "3.9.1.final.0", "the worker tcp://w has python 3.9, here it is 3.11"),
        ("d2lbook", None, "the worker tcp://w has d2lbook not at all, here it is 2.0.0"),
    ],
)
def test_other_versions_are_refused(package: str, there: str | None, said: str) -> None:
    here = {"packages": {"d2lbook": "2.0.0", "distributed": "2026.8.0", "python": "3.11.7.final.0"}}
    other = {"packages": {**here["packages"], package: there}}

    class Asked:
        def get_versions(self, packages: list[str]) -> dict[str, Any]:
            assert packages == ["d2lbook"]
            return {"client": here, "scheduler": here, "workers": {"tcp://v": here, "tcp://w": other}}

    with pytest.raises(BookError) as error:
        connect._check(Asked(), "tcp://s")
    assert str(error.value) == f"--dask: error: {said}; install the same version there [dask-versions]"


def test_another_patch_release_of_python_is_none_of_other_versions(dask: Cluster) -> None:
    with connect._client(dask.address, None) as client:
        found = client.get_versions(packages=["d2lbook"])
    assert set(connect._COMPARED) <= found["client"]["packages"].keys()
    changed = {"packages": {**found["client"]["packages"], "python": "{}.{}.99.final.0".format(*sys.version_info)}}
    assert connect._versions(changed) == connect._versions(found["client"])


def test_a_framework_that_a_worker_lacks_is_one_message(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> dict[str, tuple[list[str], dict[str, str]]]:
        return {"tcp://w": (["torch"], {}), "tcp://v": ([], {"torch": "2"})}

    monkeypatch.setattr("distributed.Client.run", lacking)
    write_book(tmp_path, {"a": cell("1"), "b": cell("1")}, "[build]\ntabs = pytorch\n")
    assert run(tmp_path, dask.address).messages == [
        "config.ini:2: error: pytorch: 2 pages cannot run without torch on tcp://w; install it there"
        " [eval-not-installed]"
    ]


def test_without_the_extra_a_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_book(tmp_path, {"a": cell("1")})
    monkeypatch.chdir(tmp_path)
    for name in [name for name in sys.modules if name.startswith("d2lbook.execute.dask.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "distributed", None)
    for option, value in (("--dask", "tcp://127.0.0.1:1"), ("--dask-local", "2")):
        assert main(["eval", option, value]) == 1
        assert capsys.readouterr().err == (
            f"{option}: error: the package 'distributed' is missing; run: {Path(sys.executable).name} -m pip install"
            " distributed cryptography [dask-missing]\n"
        )
    assert main(["eval", "--dask", "tcp://127.0.0.1:1", "--dask-local", "2"]) == 1
    assert "names another cluster than --dask; leave one of them out [dask-address]" in capsys.readouterr().err


# ---- seats and progress ----------------------------------------------------------------------------------------------


def test_no_two_tasks_have_one_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names = ["gpu-0", "gpu-1", "gpu-2"]
    with seats(names, 2) as first, seats(names, 2) as second, seats(names, 1) as third:
        assert (first, second, third) == (("gpu-0", "gpu-1"), ("gpu-2",), ())
    with seats(names, 3) as again:
        assert again == tuple(names)


def test_a_table_shows_what_runs_and_lines_say_what_ended() -> None:
    lines, shown = list[str](), list[tuple[list[list[str]], int, int]]()
    visible = [True]

    def table(rows: Any, done: int, total: int) -> bool:
        shown.append(([list(row) for row in rows], done, total))
        return visible[0]

    board = Board(lines.append, 2, table)
    board.watch(Step("a [x]", "w1", 0, 3, 0.0))
    board.watch(Step("b [x]", "w2", 1, 2, 0.5))
    assert shown[-1] == ([["a [x]", "w1", "0/3", ""], ["b [x]", "w2", "1/2", "0.5 s"]], 0, 2)
    board.watch(Step("a [x]", "w2", 0, 3, 0.0))
    board.done("b [x]", 4)
    board.watch(Step("b [x]", "w2", 2, 2, 0.5))  # comes after the page's end
    assert shown[-1] == ([["a [x]", "w2", "0/3", ""]], 1, 2)
    visible[0] = False
    board.watch(Step("a [x]", "w2", 1, 3, 0.25))
    assert lines == ["a [x] begins again on w2: w1 is gone", "b [x] done in 4 s (1/2)", "a [x] cell 1/3 0.2 s on w2"]


# ---- the end of the cluster: the last test of this module -----------------------------------------------------------


def test_when_no_worker_is_left_what_was_finished_stays(
    dask: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_PATIENCE", 1)
    begun, root = tmp_path / "begun", tmp_path / "book"
    hangs = HANGS.format(begun=str(begun), go_on=str(tmp_path / "never"))
    write_book(root, {"a": cell("1"), "b": cell(hangs)})

    def kill(line: str) -> None:
        if line.startswith("a [default] done"):
            kernels = wait_for(begun)
            for worker in dask.workers:
                worker.kill()
            assert_gone(kernels[0])

    with pytest.raises(BookError) as error:
        run(root, dask.address, kill)
    assert str(error.value) == (
        "--dask: error: 1 of the pages did not run: no worker is left that could run them, for 1 s; start one and run"
        " it again; what was finished is kept [dask-no-worker]"
    )
    assert load_run(root, "a", "default") is not None
