"""The live site: what it serves, what it rebuilds, and what it says when a page is broken."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.site import search
from d2lbook.export.site.current import is_current
from d2lbook.serve import Builder
from d2lbook.server import EVENTS, LONGEST_ADDRESS, Live, open_server
from d2lbook.watch import Watcher

ROOT = Path(__file__).parents[1]
INDEX = "# The Book\n\n```toc\n:numbered:\n\npage\n```\n"
CONFIG = "[build]\ntabs = pytorch\n"
PAGE = "# The Page\n:label:`sec_page`\n\nFirst text.\n\n```{.python .input}\nprint(1)\n```\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book")
    (path / "config.ini").write_text(CONFIG)
    (path / "index.md").write_text(INDEX)
    (path / "page.md").write_text(PAGE)
    return path


@pytest.fixture(scope="module")
def config(root: Path) -> Config:
    return load(root / "config.ini", Messages())


@pytest.fixture
def live() -> Live:
    return Live()


@pytest.fixture
def port(config: Config, live: Live) -> Iterator[int]:
    server = open_server(config, 0, live)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def get(port: int, path: str, host: str = "localhost", method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={"Host": host})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def test_before_the_first_build_the_browser_waits_for_it(port: int, live: Live) -> None:
    status, text = get(port, "/")
    assert status == 503
    assert "The site is being built." in text and "/_d2lbook/serve.js" in text
    live.broken(["index.md:1:1: error: <what> [code]"])
    assert "error: &lt;what&gt; [code]" in get(port, "/")[1]


def test_pages_are_served_with_a_script_that_built_files_do_not_have(
    root: Path, config: Config, port: int, live: Live
) -> None:
    said: list[str] = []
    assert Builder(config.path, live, said.append).build(())
    assert said[-1].startswith("built in ")
    status, text = get(port, "/page.html")
    assert status == 200
    assert text.count(f'data-generation="{live.state[0]}"') == 1
    built = (root / "_build" / "html" / "page.html").read_text()
    assert "_d2lbook" not in built
    assert "First text." in text
    assert "Not run yet" in text
    assert "_d2lbook/serve.js" in get(port, "/")[1]
    assert "EventSource" in get(port, "/_d2lbook/serve.js")[1]
    assert get(port, "/no-such-page.html")[0] == 404
    assert get(port, "/../../config.ini")[0] == 404
    status, text = get(port, "/no/such/page.html")
    assert status == 404 and "There is no page at this address" in text and "/_d2lbook/serve.js" in text


def test_a_changed_page_is_shown_before_search_knows_of_it(
    root: Path, config: Config, live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = Builder(config.path, live, lambda _: None)
    assert builder.build(())
    shown: list[bool] = []
    indexing, before = search.indexing, live.state

    def watched(*given: Any) -> AbstractContextManager[None]:
        text = (root / "_build" / "html" / "page.html").read_text()
        shown.append("Another text." in text and live.state != before)
        return indexing(*given)

    monkeypatch.setattr(search, "indexing", watched)
    (root / "page.md").write_text(PAGE.replace("First", "Another"))
    assert builder.build({"page.md"})
    assert shown == [True]
    assert is_current(config, config.tabs, pending_ok=True)
    (root / "page.md").write_text(PAGE)


def test_a_change_is_rebuilt_and_a_broken_page_shows_what_is_wrong(
    root: Path, config: Config, port: int, live: Live
) -> None:
    said: list[str] = []
    builder = Builder(config.path, live, said.append)
    assert builder.build(())
    first = live.state[0]
    (root / "page.md").write_text(PAGE.replace("First", "Second"))
    assert builder.build({"page.md"})
    assert said[-1].endswith(" after a change of page.md")
    assert "Second text." in get(port, "/page.html")[1]
    second = live.state[0]
    assert second != first
    (root / "page.md").write_text(PAGE.replace("First text.", "Third text, :numref:`sec_nowhere`."))
    assert not builder.build({"page.md"})
    assert said[-2].startswith("page.md:4:13: error: ") and said[-2].endswith("[label-undefined]")
    assert said[-1].startswith("built in ")
    shown = get(port, "/page.html")[1]
    assert "Third text" in shown and 'class="fault"' in shown
    assert live.state[0] != second and live.state[1] == ("What is wrong now:", said[-2])
    third = live.state[0]
    (root / "config.ini").write_text("no section")
    assert not builder.build({"config.ini"})
    assert said[-1] == "not built; the last good version stays"
    assert live.state == (third, ("The last good version is shown. What is wrong now:", said[-2]))
    (root / "config.ini").write_text(CONFIG)
    (root / "page.md").write_text(PAGE)
    assert builder.build({"page.md"})
    assert live.state[1] == ()


def test_browsers_are_told_of_builds_and_of_what_is_wrong(port: int, live: Live) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", EVENTS)
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"

    def event() -> tuple[str, str]:
        name, data, _ = (response.readline().decode().rstrip("\n") for _ in range(3))
        return name.removeprefix("event: "), data.removeprefix("data: ")

    first = live.state[0]
    assert [event(), event()] == [("messages", "[]"), ("generation", first)]
    live.broken(["page.md:1:1: error: x [y]"])
    assert [event(), event()] == [("messages", json.dumps(["page.md:1:1: error: x [y]"])), ("generation", first)]
    live.built()
    assert event() == ("messages", "[]")
    assert event()[1] != first
    connection.close()


def test_a_taken_port_is_one_clear_message(config: Config, port: int, live: Live) -> None:
    with pytest.raises(BookError) as caught:
        open_server(config, port, live)
    assert str(caught.value) == (
        f"--port: error: port {port} is in use by another program; choose another: --port {port + 1} [port-taken]"
    )


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/%00", 404),
        ("/page.html%00.css", 404),
        ("/" + "x" * 3000, 414),
        ("/" + "x" * (LONGEST_ADDRESS - 1), 404),
        ("/" + "é" * 250 + ".html", 404),
    ],
    ids=["null", "null inside", "too long", "a long name", "a name too long for the disk"],
)
def test_an_address_that_no_file_can_have_is_answered(
    root: Path, port: int, capfd: pytest.CaptureFixture[str], method: str, path: str, expected: int
) -> None:
    site = root / "_build" / "html"
    site.mkdir(parents=True, exist_ok=True)
    (site / "index.html").touch()
    assert get(port, quote(path, safe="/%"), method=method)[0] == expected
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8000", True),
        ("localhost", True),
        ("localhost:9000", True),
        ("book.localhost:8000", True),
        ("attacker.example:8000", False),
        ("127.0.0.1.attacker.example", False),
        ("localhost.attacker.example", False),
        ("192.168.0.2:8000", False),
    ],
)
def test_only_this_machine_is_served_by_a_name_of_its_own(port: int, host: str, allowed: bool) -> None:
    assert (get(port, "/_d2lbook/serve.js", host)[0] == 200) is allowed


def wait_until_watched(watcher: Watcher, probe: Path) -> None:
    """Writes a file again and again until the watcher hears of it."""
    heard = threading.Event()

    def write() -> None:
        while not heard.wait(0.1):
            probe.write_text("x")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while not any(probe.as_posix().endswith(f"/{name}") for name in watcher.changes()):
            pass
    finally:
        heard.set()
        writer.join()


def changes(watcher: Watcher) -> set[str]:
    """What changed, other than that a probe was heard of once more."""
    while not (found := {name for name in watcher.changes() if not name.endswith("probe.md")}):
        pass
    return found


def test_the_watcher_hears_of_sources_only(tmp_path: Path) -> None:
    (tmp_path / "config.ini").write_text("[build]\nresources = chapter/*.data\n")
    for directory in ("chapter", ".venv", "_build", "env"):
        (tmp_path / directory).mkdir()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    watcher = Watcher(load(tmp_path / "config.ini", Messages()))
    watcher.start()
    try:
        wait_until_watched(watcher, tmp_path / "probe.md")
        wait_until_watched(watcher, tmp_path / "chapter" / "probe.md")
        for name in (".venv/x", "_build/x", "env/x", "chapter/.x.swp", "chapter/x~", "serve.log", "chapter/x.out"):
            (tmp_path / name).write_text("x")
        (tmp_path / "chapter" / "page.md").write_text("x")
        assert changes(watcher) == {"chapter/page.md"}
        (tmp_path / "chapter" / "kept.data").write_text("x")
        assert changes(watcher) == {"chapter/kept.data"}  # one of the book's resources
        (tmp_path / "index.md").write_text("x")
        assert changes(watcher) == {"index.md"}
        (tmp_path / "new").mkdir()
        assert changes(watcher) == {"new"}
        wait_until_watched(watcher, tmp_path / "new" / "probe.md")
        (tmp_path / "new" / "page.md").write_text("x")
        assert changes(watcher) == {"new/page.md"}
    finally:
        watcher.stop()


def test_the_command_serves_rebuilds_and_ends(root: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "d2lbook", "serve", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == f"serving http://127.0.0.1:{port}/ (Ctrl-C ends it)\n"
        assert child.stdout.readline().startswith("built in ")
        other = root.parent / "fourth"
        other.write_text(PAGE.replace("First", "Fourth"))
        other.replace(root / "page.md")  # at once: a page that is half written is a page with faults
        assert child.stdout.readline().endswith(" after a change of page.md\n")
        assert "Fourth text." in get(port, "/page.html")[1]
        child.send_signal(signal.SIGINT)
        assert child.stdout.read() == "stopped serving\n"
    assert child.returncode == 0


def cells(root: Path, code: str) -> None:
    (root / "page.md").write_text(f"# The Page\n\n```{{.python .input}}\n{code}\n```\n")


def test_a_saved_page_is_run_and_its_faults_are_shown_until_it_runs_well(tmp_path: Path, live: Live) -> None:
    (tmp_path / "config.ini").write_text("[project]\nname = small\n")
    (tmp_path / "index.md").write_text(INDEX)
    cells(tmp_path, "print(6 * 7)")
    said: list[str] = []
    builder = Builder(tmp_path / "config.ini", live, said.append)
    site, results = tmp_path / "_build" / "html" / "page.html", tmp_path / "outputs" / "page"
    builder.evaluate({"img/a.svg", "no-page.md", "outputs/page/default.cpu.json"})
    assert not results.exists() and said == []
    builder.evaluate({"page.md"})
    (result,) = results.iterdir()
    assert '"42\\n"' in result.read_text() and said == [] and live.state[1] == ()
    before = result.stat().st_mtime_ns
    builder.evaluate({"page.md"})
    assert result.stat().st_mtime_ns == before  # fresh: nothing runs
    cells(tmp_path, "print(1)\nnothing()")
    builder.build({"page.md"})
    assert "Not run yet" in site.read_text()
    builder.evaluate({"page.md"})
    (fault,) = said[-1:]
    assert fault.startswith("page.md:5:") and "NameError" in fault and fault.endswith("[eval-failed]")
    assert live.state[1] == ("What is wrong now:", fault)
    builder.build({"index.md"})
    assert live.state[1][-1] == fault  # a build says nothing about cells
    cells(tmp_path, "print(43)")
    builder.evaluate({"page.md"})
    assert live.state[1] == ()
    builder.build({"outputs/page/default.cpu.json"})
    assert re.search(r">43\s*</pre>", site.read_text())


def test_the_command_runs_a_saved_page_and_shows_its_result(tmp_path: Path) -> None:
    (tmp_path / "config.ini").write_text("[project]\nname = small\n")
    (tmp_path / "index.md").write_text(INDEX)
    cells(tmp_path, "print(1)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "d2lbook", "serve", "--eval", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith("built in ") and "after" not in line:
                cells(tmp_path, "print(6 * 7)")
            elif re.search(r">42\s*</pre>", get(port, "/page.html")[1]):  # built after a change of the results
                break
        child.send_signal(signal.SIGINT)
        assert child.stdout.read().endswith("stopped serving\n")
