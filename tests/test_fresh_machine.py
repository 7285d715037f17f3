"""The machine that `make test-fresh` makes: what it has of this one, what it says, and that nothing of it stays."""

from __future__ import annotations

import io
import itertools
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import fresh_machine
import pytest
from fresh_machine import FreshError, Log, Machine, PipSettings, mirror, share, temporary, try_all

LISTING = """:env:.cert='/etc/ssl/own.pem'
:env:.find-links='{0}/wheels'
global.cert='/etc/ssl/certs/ca-certificates.crt'
global.extra-index-url='file://{0}/index/simple https://index.example.org/simple'
install.timeout='60'
"""


def program(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def pip(tmp_path: Path) -> PipSettings:
    for name in ("wheels", "index/simple"):
        (tmp_path / name).mkdir(parents=True)
    return PipSettings.read(LISTING.format(tmp_path))


def test_pips_configuration_goes_along_with_the_directories_that_it_names(pip: PipSettings, tmp_path: Path) -> None:
    assert pip.directories() == [f"{tmp_path}/index", f"{tmp_path}/wheels"]
    assert pip.values["cert"] == "/etc/ssl/own.pem"  # the environment has the last word
    lines = pip.file().splitlines()
    assert lines[0] == "[global]" and f"cert = {fresh_machine.CERTIFICATES}" in lines and "timeout = 60" in lines
    assert f"extra-index-url = file://{tmp_path}/index/simple https://index.example.org/simple" in lines


def test_without_a_configuration_pip_asks_the_public_index() -> None:
    assert PipSettings.read("").directories() == []
    assert PipSettings.read("").file() == "[global]\ndisable-pip-version-check = 1\nroot-user-action = ignore\n"


def test_the_mirror_is_apts_first_for_this_release() -> None:
    targets = "http://security.example.org bookworm-security\nhttp://a.example.org/debian bookworm\nhttp://b bookworm\n"
    assert mirror(targets, "bookworm") == "http://a.example.org/debian"
    with pytest.raises(FreshError, match="no source for trixie"):
        mirror(targets, "trixie")


def test_a_machine_has_no_more_of_the_environment_than_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("D2L_DATA", "/data")
    monkeypatch.setenv("https_proxy", "http://proxy.example.org")
    command = Machine(Path("/x"), print, lambda _: 0, ("/opt/wheels",)).command("make html", "/root/a book")
    assert command[: len(fresh_machine.ALONE)] == list(fresh_machine.ALONE) and "--kill-child" in command
    assert command[-3:] == ["/bin/sh", "-c", "cd '/root/a book' && make html"]
    assert command[command.index("/x") :][:3] == ["/x", "/opt/wheels", "--"]
    assert "https_proxy=http://proxy.example.org" in command and "HOME=/root" in command
    assert not [word for word in command if word.startswith(("D2L", "PIP"))]


def test_files_that_pips_configuration_names_lie_at_the_same_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin", "apt-config", "true")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    for name in ("constraints.txt", "own.pem"):
        (tmp_path / name).write_text(name)
    settings = PipSettings({"constraint": f"{tmp_path}/constraints.txt", "cert": f"{tmp_path}/own.pem"})
    folder = tmp_path / "machine"
    (folder / "etc/apt/apt.conf.d").mkdir(parents=True)
    share(folder, settings)
    assert settings.files() == [f"{tmp_path}/constraints.txt"]
    assert (folder / str(tmp_path).lstrip("/") / "constraints.txt").read_text() == "constraints.txt"
    assert not (folder / str(tmp_path).lstrip("/") / "own.pem").exists()


def test_what_it_shares_is_sources_settings_and_certificates(
    pip: PipSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = 'APT::Architecture "amd64";\nAcquire::http::Proxy "http://p";\nAcquire::Check-Date "false";\nDir "/";\n'
    program(tmp_path / "bin", "apt-config", f"printf '%s' '{dump}'")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    certificate = tmp_path / "own.pem"
    certificate.write_text("CERTIFICATE")
    settings = PipSettings({**pip.values, "cert": str(certificate)})
    folder = tmp_path / "machine"
    (folder / "etc/apt/apt.conf.d").mkdir(parents=True)
    share(folder, settings)
    assert (folder / "etc/apt/apt.conf.d/01host").read_text() == (
        'Acquire::http::Proxy "http://p";\nAcquire::Check-Date "false";\n'
    )
    assert (folder / fresh_machine.CERTIFICATES.lstrip("/")).read_text() == "CERTIFICATE"
    assert (folder / "etc/pip.conf").read_text() == settings.file()
    assert (folder / "etc/resolv.conf").read_bytes() == Path("/etc/resolv.conf").read_bytes()
    assert all((folder / name.lstrip("/")).is_dir() for name in settings.directories())
    assert not (folder / str(tmp_path).lstrip("/") / "wheels").is_symlink()


@pytest.mark.parametrize(("fails", "expected"), [("make html", 7), ("", 0)])
def test_it_goes_on_until_something_fails_and_says_how_long_each_took(
    fails: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh_machine, "install", lambda folder, run: None)
    monkeypatch.setattr(fresh_machine, "share", lambda folder, pip: None)
    counter = itertools.count(step=2_000_000)
    monkeypatch.setattr(fresh_machine, "received", lambda: next(counter))
    ran: list[str] = []
    said: list[str] = []

    def run(command: Sequence[str]) -> int:
        ran.append(command[-1])
        return 7 if fails and command[-1].endswith(fails) else 0

    assert try_all(("make html", "make test"), tmp_path, run, said.append) == expected
    after = [word.rpartition("&& ")[2] for word in ran[2:]]
    assert after == (["make html"] if fails else ["make html", "make test"])
    assert ran[0] == f"{tmp_path}/root/book" and "python3 python3-pip make" in ran[1]
    rows = [line for text in said for line in text.splitlines() if " min " in line]
    assert [row.split("  ")[0] for row in rows] == ["a minimal Debian and a clone", "Python, pip and make", *after]
    assert all(row.endswith("status 7" if fails and row.startswith(fails) else "ok") for row in rows)
    assert all(re.search(r" 0\.0 min +2 MB ", row) for row in rows) and said[-1].startswith("on disk: ")


def test_what_came_from_the_network_is_counted_by_the_system() -> None:
    first = fresh_machine.received()
    assert 0 <= first <= fresh_machine.received()


def test_nothing_stays_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), temporary() as folder:
        (folder / "etc").mkdir()
        assert folder.parent == tmp_path
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_a_command_says_is_kept_and_its_status_told(capsys: pytest.CaptureFixture[str]) -> None:
    file = io.StringIO()
    command = [sys.executable, "-c", "import sys; print('I: a step'); print('said'); sys.exit('why')"]
    assert Log(file).run(command) == 1
    assert sorted(capsys.readouterr().out.splitlines()) == ["said", "why"]
    assert sorted(file.getvalue().splitlines()) == ["I: a step", "said", "why"]


def test_a_stopped_run_ends_its_command_and_removes_the_machine(tmp_path: Path) -> None:
    """With programs that stand for unshare and debootstrap: SIGTERM while the latter works."""
    program(tmp_path / "bin", "unshare", 'while [ "$1" != debootstrap ]; do shift; done; exec "$@"')
    program(tmp_path / "bin", "debootstrap", 'mkdir -p "$3/etc"; echo begun; exec sleep 100')
    program(tmp_path / "bin", "apt-get", "echo http://deb.example.org/debian testing")
    machines = tmp_path / "machines"
    machines.mkdir()
    start = (
        "import sys, fresh_machine; fresh_machine._release = lambda: 'testing'; fresh_machine.os.geteuid = lambda: 0;"
        f"from pathlib import Path; fresh_machine.LOG = Path({str(tmp_path / 'out' / 'log')!r});"
        "sys.exit(fresh_machine.main([]))"
    )
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "TMPDIR": str(machines),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    process = subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    while (line := process.stdout.readline()) and line != "begun\n":
        pass
    assert line == "begun\n" and len(list(machines.iterdir())) == 1
    begun = time.monotonic()
    process.terminate()
    rest, _ = process.communicate(timeout=60)
    assert time.monotonic() - begun < 50 and process.returncode == 130 and list(machines.iterdir()) == []
    assert rest == "make test-fresh: stopped; removing the machine\n"
    assert (tmp_path / "out" / "log").read_text().endswith(rest)


def test_without_root_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(fresh_machine.os, "geteuid", lambda: 1000)
    assert fresh_machine.main([]) == 1
    assert capsys.readouterr().err == "make test-fresh: a machine within this one needs root; run it with sudo\n"


def test_the_gate_does_not_run_it() -> None:
    assert "test-fresh" not in (fresh_machine.ROOT / ".ci" / "run").read_text()
