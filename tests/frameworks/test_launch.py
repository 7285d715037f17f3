"""`launch` and `free_port`: what they return and raise, and that nothing is left behind, whatever happens."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent.parent
FRAMEWORKS = ["torch", "mxnet", "jax", "tensorflow"]


def alive(mark: str) -> list[int]:
    """The processes whose environment has the variable D2L_TEST with the value `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"D2L_TEST={mark}".encode() in variables:
            found.append(int(folder.name))
    return found


def wait_until_gone(mark: str) -> bool:
    end = time.monotonic() + 15
    while alive(mark) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(mark)


@pytest.fixture
def mark(request: pytest.FixtureRequest) -> Iterator[str]:
    """A value that this test's processes carry; none of them may be there afterwards."""
    mark = f"{os.getpid()}-{request.node.name}"
    yield mark
    left = alive(mark)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left


@pytest.fixture(params=FRAMEWORKS)
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(f"d2l.{request.param}")


@pytest.fixture(scope="module")
def library() -> ModuleType:
    """One library, for what does not depend on it: the four hold the same text."""
    return import_module("d2l.jax")


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_what_each_printed_comes_back_in_order(d2l: ModuleType, mark: str) -> None:
    program = "import os, sys, d2l; print(os.environ['RANK']); print('error', file=sys.stderr)"
    environments = [{"RANK": rank, "D2L_TEST": mark} for rank in range(3)]
    assert d2l.launch([python(program)] * 3, environments) == [f"{rank}\nerror\n" for rank in range(3)]


def test_each_knows_its_number_on_this_machine(library: ModuleType, mark: str) -> None:
    """As under torchrun; what the caller says goes before."""
    program = python("import os; print(*(os.environ[name] for name in ('LOCAL_RANK', 'LOCAL_WORLD_SIZE')))")
    assert library.launch([program] * 2, [{"D2L_TEST": mark}] * 2) == ["0 2\n", "1 2\n"]
    told = {"D2L_TEST": mark, "LOCAL_RANK": 5, "LOCAL_WORLD_SIZE": 8}
    assert library.launch([program], [told]) == ["5 8\n"]


def test_the_processes_of_mxnet_listen_on_the_loopback_address(library: ModuleType, mark: str) -> None:
    program = python("import os; print(os.environ['DMLC_NODE_HOST'])")
    assert library.launch([program], [{"D2L_TEST": mark}]) == ["127.0.0.1\n"]
    assert library.launch([program], [{"D2L_TEST": mark, "DMLC_NODE_HOST": "10.0.0.1"}]) == ["10.0.0.1\n"]


def test_the_four_libraries_hold_the_same_text() -> None:
    import inspect

    for name in ("launch", "free_port"):
        texts = {inspect.getsource(getattr(import_module(f"d2l.{framework}"), name)) for framework in FRAMEWORKS}
        assert len(texts) == 1


def test_the_processes_find_the_same_modules(
    library: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("value = 5\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert library.launch([python("import only_here; print(only_here.value)")]) == ["5\n"]


def test_much_output_blocks_nobody(library: ModuleType, mark: str) -> None:
    (printed,) = library.launch([python("print('x' * 5_000_000)")], [{"D2L_TEST": mark}], timeout=60)
    assert len(printed) == 5_000_001


def test_the_first_failure_stops_the_others_and_is_shown(d2l: ModuleType, mark: str) -> None:
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"(?s)process 1 of 2 .*exit status 1.*ZeroDivisionError"):
        d2l.launch([python("import time; time.sleep(60)"), python("1 / 0")], [{"D2L_TEST": mark}] * 2)
    assert time.monotonic() - start < 30
    assert not alive(mark)


def test_a_killed_process_is_a_failure(library: ModuleType, mark: str) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(RuntimeError, match="was ended by signal 9"):
        library.launch([python(program)], [{"D2L_TEST": mark}])


def test_who_never_joins_is_named_with_its_log(d2l: ModuleType, mark: str) -> None:
    waiting = python("import time; print('waiting for rank 0'); time.sleep(60)")
    with pytest.raises(TimeoutError, match=r"(?s)process 1 of 2 .*had not finished after 5 s.*waiting for rank 0") as e:
        d2l.launch([python("print('done')"), waiting], [{"D2L_TEST": mark}] * 2, timeout=5)
    assert "process 0" not in str(e.value)
    assert not alive(mark)


STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready'); time.sleep(60)"
PARENT = f"""
import subprocess, sys, time
subprocess.Popen([sys.executable, '-c', {STUBBORN!r}], start_new_session=True, stdout=subprocess.DEVNULL)
time.sleep({{}})
"""


@pytest.mark.parametrize("seconds", [0.5, 60])
def test_grandchildren_in_sessions_of_their_own_end_too(library: ModuleType, mark: str, seconds: float) -> None:
    """Those of a command that succeeded as those of one that was stopped, even if they ignore SIGTERM."""
    try:
        library.launch([python(PARENT.format(seconds))], [{"D2L_TEST": mark}], timeout=8)
    except TimeoutError:
        assert seconds == 60
    assert not alive(mark)


CALLER = """
import sys
from d2l import jax as d2l
print('calling', flush=True)
d2l.launch([[sys.executable, '-c', 'import time; time.sleep(60)']] * 2, [{{'D2L_TEST': {mark!r}}}] * 2)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_or_dying_caller_leaves_nobody(number: signal.Signals, mark: str) -> None:
    caller = subprocess.Popen(
        python(CALLER.format(mark=mark)), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert caller.stdout is not None
    assert caller.stdout.readline() == "calling\n"
    while len(alive(mark)) < 2:
        assert caller.poll() is None
        time.sleep(0.05)
    caller.send_signal(number)
    _, errors = caller.communicate(timeout=30)
    assert caller.returncode != 0
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    assert wait_until_gone(mark)


def test_no_file_stays_behind(library: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    library.launch([python("print(1)")])
    with pytest.raises(RuntimeError):
        library.launch([python("print(1); raise SystemExit(3)")])
    with pytest.raises(TimeoutError):
        library.launch([python("import time; time.sleep(60)")], timeout=0.5)
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_is_not_there_stops_what_has_begun(library: ModuleType, mark: str) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        library.launch([python("import time; time.sleep(60)"), ["no-such-program"]], [{"D2L_TEST": mark}] * 2)
    assert not alive(mark)


def test_bad_arguments(d2l: ModuleType) -> None:
    with pytest.raises(ValueError, match="0 commands"):
        d2l.launch([])
    with pytest.raises(ValueError, match="2 commands and 1 environments"):
        d2l.launch([["true"]] * 2, [{}])
    with pytest.raises(ValueError, match="list of words"):
        d2l.launch(["true"])
    with pytest.raises(ValueError, match="time limit of 0 seconds"):
        d2l.launch([["true"]], timeout=0)


def test_a_free_port_can_be_used(d2l: ModuleType) -> None:
    port = d2l.free_port()
    assert 0 < port < 65536
    with socket.socket() as server:
        server.bind(("127.0.0.1", port))


def test_a_port_in_use_is_told_by_the_engine(library: ModuleType, mark: str) -> None:
    """The first rank of a PyTorch group listens on the port; another program has it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        program = "from torch import distributed as dist; dist.init_process_group('gloo')"
        environment = {
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "RANK": 0,
            "WORLD_SIZE": 1,
            "D2L_TEST": mark,
        }
        with pytest.raises(RuntimeError, match=f"(?s){port}.*[Aa]ddress already in use|EADDRINUSE"):
            library.launch([python(program)], [environment])


def test_a_worker_that_never_joins_ends_by_the_time_limit(library: ModuleType, mark: str) -> None:
    """Rank 0 of two waits in JAX's engine, which handles SIGTERM, for a rank 1 that nobody starts."""
    program = "import sys, jax; print('rank 0 joins'); jax.distributed.initialize(sys.argv[1], 2, 0); print('joined')"
    command = [*python(program), f"127.0.0.1:{library.free_port()}"]
    with pytest.raises(TimeoutError, match=r"(?s)had not finished after 15 s.*rank 0 joins") as error:
        library.launch([command], [{"D2L_TEST": mark, "JAX_PLATFORMS": "cpu"}], timeout=15)
    assert "\njoined" not in str(error.value)
    assert not alive(mark)


def test_a_process_that_printed_nothing_is_told_so(library: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"exit status 3; it printed:\n\(nothing\)"):
        library.launch([python("raise SystemExit(3)")])
