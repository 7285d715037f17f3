"""`make` brings the system, `.venv` and the data to what a target needs: by apt, or by a command that it prints."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from d2lbook import system_packages
from d2lbook.cli import main
from d2lbook.make import TARGETS, apt
from d2lbook.system_packages import NEEDS, Need

REQUIREMENTS = Path(__file__).parent.parent / "requirements"
ESTIMATE = """The following NEW packages will be installed:
0 upgraded, 217 newly installed, 0 to remove and 3 not upgraded.
Need to get 12.5 MB/431 MB of archives.
After this operation, 1,204 MB of additional disk space will be used.
"""
# A Python that makes a `.venv` whose Python says what it was asked, and fails where a file says so.
PYTHON = """#!/bin/sh
echo "$(basename "$0") $@" >>"$LOG"
case "$*" in
  "-m venv --clear "*) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; exit 0;;
  *) [ ! -e "$FAILS" ] || ! echo "$*" | grep -q "$(cat "$FAILS")";;
esac
"""


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


@dataclass
class Place:
    """A clone with nothing but what `make` asks for, and a path of programs that say how they were called."""

    root: Path
    programs: Path
    capsys: pytest.CaptureFixture[str]
    out: str = ""
    errors: str = ""

    def make(self, *targets: str) -> int:
        status = main(["make", *targets])
        said = self.capsys.readouterr()
        self.out, self.errors = said.out, said.err
        return status

    @property
    def calls(self) -> list[str]:
        log = self.root / "log"
        return log.read_text().splitlines() if log.exists() else []

    def fail(self, pattern: str) -> None:
        (self.root / "fails").write_text(pattern)

    def go_on(self) -> None:
        (self.root / "fails").unlink()

    def fake_apt(self, known: str = "chromium libthing1 dataset-thing", asks: str = "") -> None:
        """apt that installs what it knows: a program of its name for each package."""
        say = 'echo "$(basename "$0") $* $DEBIAN_FRONTEND" >>"$LOG"'
        why = '{ echo "E: $(cat "$FAILS.why")" >&2; exit 100; }'
        fails = f'[ ! -e "$FAILS" ] || ! echo "$*" | grep -q "$(cat "$FAILS")" || {why}'
        made = f": >{self.programs}/$name; chmod +x {self.programs}/$name"
        install = f'for name; do case "$name" in chromium|*thing*) {made};; esac; done'
        cases = f'case "$*" in *--assume-no*) echo "{ESTIMATE}"; exit 1;; "install"*) {install};; esac'
        program(self.programs, "apt-get", f"{say}; {fails}\n{cases}")
        program(self.programs, "dpkg", f"{say}; {fails}")
        policy = f'for name in {known}; do echo "$name:"; echo "  Installed: (none)"; echo "  Candidate: 1.0"; done'
        virtual = 'echo "virtual:\n  Installed: (none)\n  Candidate: (none)"'
        program(self.programs, "apt-cache", f"{say}; {policy}\n{virtual}")


CHROMIUM = Need("Chromium", ("test",), "reads the site", "chromium", "chromium-fedora", programs=("chromium",))
THING = Need("a thing", ("test",), "does things", "libthing1", programs=("libthing1",))
DATA = Need("the data", ("test",), "is learnt from", "dataset-thing", files=("/no/such/file",), comes_by_itself=True)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    root, programs = tmp_path / "clone", tmp_path / "bin"
    for folder in (root / "requirements", root / "builder", programs):
        folder.mkdir(parents=True)
    for name in ("requirements/html.txt", "pyproject.toml", "builder/pyproject.toml"):
        (root / name).touch()
    for name in ("env", "grep", "cat", "basename", "chmod", "rm", "mkdir", "cp", "sh"):
        (programs / name).symlink_to(shutil.which(name) or name)
    (tmp_path / "os-release").write_text('ID=debian\nNAME="Debian GNU/Linux"\n')
    (tmp_path / "base").write_text(PYTHON)
    (tmp_path / "base").chmod(0o755)
    monkeypatch.setenv("LOG", str(root / "log"))
    monkeypatch.setenv("FAILS", str(root / "fails"))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(system_packages, "OS_RELEASE", tmp_path / "os-release")
    monkeypatch.setattr(system_packages, "NEEDS", (CHROMIUM, THING))
    monkeypatch.setattr(apt, "is_root", lambda: True)
    monkeypatch.setattr(apt, "SECONDS", 0.0)
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "base"))
    monkeypatch.chdir(root)
    return Place(root, programs, capsys)


def without_python(calls: list[str]) -> list[str]:
    return [call for call in calls if not call.startswith(("base", "python"))]


# ---- the system ------------------------------------------------------------------------------------------------------


def test_root_on_debian_gets_what_is_missing_and_is_told_what_and_how_much(place: Place) -> None:
    place.fake_apt()
    assert place.make("test") == 0
    lines = place.out.splitlines()
    assert lines[:5] == [
        "the system lacks:",
        "  Chromium: reads the site",
        "  a thing: does things",
        "asking apt for chromium libthing1",
        "installing 217 packages, 12.5 MB to download, 1,204 MB on disk",
    ]
    assert without_python(place.calls) == [
        "dpkg --configure -a noninteractive",
        "apt-get update -qq noninteractive",
        "apt-cache policy chromium libthing1 noninteractive",
        "apt-get install --no-install-recommends --assume-no chromium libthing1 noninteractive",
        "apt-get install --no-install-recommends -y -qq -o Dpkg::Use-Pty=0 chromium libthing1 noninteractive",
    ]
    assert place.calls[-1].startswith("python -m pytest tests")
    before = len(without_python(place.calls))
    assert place.make("test") == 0 and len(without_python(place.calls)) == before  # nothing is missing now


def test_only_what_is_missing_is_asked_for(place: Place) -> None:
    place.fake_apt()
    program(place.programs, "chromium", "")
    assert place.make("test") == 0
    assert "asking apt for libthing1" in place.out and "Chromium" not in place.out


def test_sudo_that_asks_nothing_is_as_good_as_root(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fake_apt()
    monkeypatch.setattr(apt, "is_root", lambda: False)
    program(place.programs, "sudo", 'echo "sudo $1 $2" >>"$LOG"; shift; exec "$@"')
    program(place.programs, "true", "exit 0")
    assert place.make("test") == 0
    calls = without_python(place.calls)
    assert calls[:3] == ["sudo -n true", "sudo -n env", "dpkg --configure -a noninteractive"]
    assert sum(call.startswith("apt-get") for call in calls) == 3 == calls.count("sudo -n env") - 2


@pytest.mark.parametrize("sudo", [None, "exit 1"])
def test_who_may_not_install_gets_one_command_and_nothing_is_done(
    sudo: str | None, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fake_apt()
    monkeypatch.setattr(apt, "is_root", lambda: False)
    if sudo:
        program(place.programs, "sudo", sudo)
    assert place.make("test") == 1
    assert place.errors == (
        "make test: this is missing on Debian GNU/Linux:\n  Chromium: reads the site\n  a thing: does things\n"
        "install it, and run this again:\n  sudo apt-get install --no-install-recommends chromium libthing1\n"
    )
    assert place.calls == [] and not (place.root / ".venv").exists()


def test_elsewhere_root_gets_one_command(place: Place) -> None:
    place.fake_apt()  # which is no reason to use it
    system_packages.OS_RELEASE.write_text("ID=fedora\nNAME=Fedora Linux\n")
    assert place.make("test") == 1
    assert "\n  sudo dnf install chromium-fedora\nwithout a package that we know: a thing\nNot tested" in place.errors
    assert place.calls == []


def test_ubuntu_gets_all_but_chromium_which_is_a_snap(place: Place) -> None:
    place.fake_apt()
    system_packages.OS_RELEASE.write_text("ID=ubuntu\nNAME=Ubuntu\n")
    assert place.make("test") == 1
    assert place.calls[-1].endswith(" libthing1 noninteractive") and "chromium" not in place.calls[-1]
    assert "this is missing on Ubuntu:\n  Chromium: reads the site\n" in place.errors
    assert "sudo snap install chromium" in place.errors and "Ubuntu is not tested" in place.errors


def test_a_package_that_apt_does_not_know_stops_unless_its_content_comes_by_itself(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_packages, "NEEDS", (CHROMIUM, THING, DATA))
    place.fake_apt(known="chromium virtual")
    assert place.make("test") == 1
    assert "apt knows no package libthing1 here\napt knows no package dataset-thing here\n" in place.out
    assert place.errors.startswith("make test: this is missing on Debian GNU/Linux:\n  a thing: does things\ninstall")
    assert place.calls[-1].endswith("-o Dpkg::Use-Pty=0 chromium noninteractive")
    program(place.programs, "libthing1", "")
    assert place.make("test") == 0


@pytest.mark.parametrize("step", ["configure", "update", "install.*-y"])
def test_what_apt_says_is_passed_on_and_it_can_be_run_again(step: str, place: Place) -> None:
    place.fake_apt()
    place.fail(step)
    (place.root / "fails.why").write_text("The disk is full.")
    assert place.make("test") == 1
    assert place.errors.startswith("make test: `") and "ended with status 100:\nE: The disk is full.\n" in place.errors
    assert "run this again" in place.errors and not (place.root / ".venv").exists()
    place.go_on()
    assert place.make("test") == 0


def test_another_programs_lock_is_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fake_apt()
    place.fail("update")
    (place.root / "fails.why").write_text("Could not get lock /var/lib/apt/lists/lock.")
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            place.go_on()

    monkeypatch.setattr(apt.time, "sleep", sleep)
    assert place.make("test") == 0
    assert place.out.count("another program uses apt; waiting") == 1 and len(waited) == 3


def test_a_lock_that_stays_is_an_error(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fake_apt()
    place.fail("update")
    (place.root / "fails.why").write_text("Unable to acquire; is another process using it?")
    monkeypatch.setattr(apt, "WAITS", 2)
    waited: list[float] = []
    monkeypatch.setattr(apt.time, "sleep", waited.append)
    assert place.make("test") == 1
    assert sum("update" in call for call in place.calls) == 3 and "is another process using it?" in place.errors
    assert len(waited) == 2


def test_apt_that_knows_nothing_of_it_installs_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that no version can be had of is known by name only."""
    monkeypatch.setattr(system_packages, "NEEDS", (Need("x", ("test",), "a reason", "virtual", programs=("x",)),))
    place.fake_apt(known="")
    assert place.make("test") == 1
    assert "apt knows no package virtual here" in place.out and place.calls[-1].startswith("apt-cache policy virtual")


def test_data_without_a_package_is_downloaded_once_before_the_tests(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_packages, "NEEDS", (DATA,))
    place.fake_apt()
    place.fail("update")  # no network for apt: it is no reason to stop
    (place.root / "fails.why").write_text("Temporary failure resolving")
    assert place.make("test") == 0
    assert "Temporary failure resolving" in place.out and "downloading Fashion-MNIST" in place.out
    assert [call.split()[2] for call in place.calls if call.startswith("python")][-2:] == [
        "d2l.fashion_mnist",
        "pytest",
    ]
    place.fail("d2l.fashion_mnist")
    assert place.make("test") == 1 and "D2L_DATA" in place.errors
    assert place.make("html") == 0  # which learns nothing


def test_system_installs_and_builds_nothing(place: Place) -> None:
    place.fake_apt()
    assert place.make("system") == 0
    assert "installing 217 packages" in place.out and not (place.root / ".venv").exists()


# ---- .venv -----------------------------------------------------------------------------------------------------------


def test_a_python_without_venv_is_told_the_package_only_where_it_is_wanted(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    (venv,) = [need for need in NEEDS if "ensurepip" in need.modules]
    monkeypatch.setattr(
        system_packages,
        "NEEDS",
        (
            Need(
                venv.name,
                venv.uses,
                venv.reason,
                venv.debian,
                modules=("no_such_module",),
            ),
        ),
    )
    monkeypatch.setattr(apt, "is_root", lambda: False)
    assert place.make("html") == 1 and "apt-get install --no-install-recommends python3-venv\n" in place.errors
    assert place.calls == []
    with monkeypatch.context() as patch:
        patch.setattr(system_packages, "NEEDS", ())
        assert place.make("html") == 0
    assert place.make("html") == 0  # there is a `.venv`: none is made
    next((place.root / ".venv").glob(".html-*")).unlink()
    assert place.make("html") == 0


def pip_calls(place: Place) -> int:
    return sum("-m pip install" in call for call in place.calls)


@pytest.fixture
def ready(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """With a `.venv` that is filled for the site."""
    monkeypatch.setattr(system_packages, "NEEDS", ())
    assert place.make("html") == 0
    assert place.out.splitlines() == [
        f"creating {place.root / '.venv'}",
        "installing -r html.txt",
        "installing --no-deps -e .. -e ../builder",
    ]
    (place.root / "log").unlink()
    return place


def test_a_filled_venv_is_left_alone(ready: Place) -> None:
    assert ready.make("html") == 0
    assert ready.calls == ["python -m d2lbook html"]


def test_a_stopped_installation_goes_on(ready: Place) -> None:
    ready.fail("test.txt")
    assert ready.make("test") == 1
    assert "it needs pip and its network; what is installed stays: run it again" in ready.errors
    assert list((ready.root / ".venv").glob(".*-*")) == []  # pip may have changed what the site had
    ready.go_on()
    assert ready.make("test") == 0 and "making it anew" not in ready.out
    before = pip_calls(ready)
    assert ready.make("html") == 0 and pip_calls(ready) == before  # the tests' environment has all of the site's


@pytest.mark.parametrize("broken", ["no pip", "no Python", "a Python that does not start", "pip half-way"])
def test_a_broken_venv_is_made_anew(broken: str, ready: Place) -> None:
    venv = ready.root / ".venv"
    next(venv.glob(".html-*")).unlink()
    (venv / "left").touch()
    if broken == "no pip":
        program(venv / "bin", "python", "exit 1")
    elif broken == "no Python":
        (venv / "bin" / "python").unlink()
    elif broken == "a Python that does not start":
        (venv / "bin" / "python").write_bytes(b"\x7fELF no")
    else:
        (venv / "lib" / "python3.11" / "site-packages" / "pip-23.0.dist-info").mkdir(parents=True)
    assert ready.make("html") == 0
    assert ready.out.splitlines()[0] == f"{venv} is not whole; making it anew"
    assert not (venv / "left").exists() and pip_calls(ready) == 2


def test_a_python_that_is_gone_counts_although_the_venv_was_filled(ready: Place) -> None:
    (ready.root / ".venv" / "bin" / "python").unlink()
    assert ready.make("html") == 0 and "making it anew" in ready.out


def test_what_pip_was_stopped_in_the_middle_of_is_installed_again(ready: Place) -> None:
    places = ready.root / ".venv" / "lib" / "python3.11" / "site-packages"
    for name in ("half-1.0.dist-info", "whole-1.0.dist-info"):
        (places / name).mkdir(parents=True)
        (places / name / "METADATA").touch()
    (places / "whole-1.0.dist-info" / "RECORD").touch()
    assert ready.make("test") == 0
    assert [path.name for path in places.iterdir()] == ["whole-1.0.dist-info"]


# ---- elsewhere -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["html", "test", "clean", "system"])
def test_outside_the_repository_it_says_so_and_does_nothing(
    target: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.fake_apt()
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "_build").mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    assert place.make(target) == 1
    assert place.errors == (
        f"make {target}: {elsewhere} is not the repository of Deep Learning Computation, whose targets these are;"
        " change to the folder with its Makefile, or for another book say `d2lbook --help`\n"
    )
    assert place.calls == [] and [path.name for path in elsewhere.iterdir()] == ["_build"]
    assert place.make("help") == 0


def test_every_target_with_commands_that_run_pages_brings_their_data() -> None:
    for name in ("eval", "test", "test-pages", "test-one-gpu", "test-hosted", "bench"):
        assert {"eval", "test"}.intersection(TARGETS[name].needs), name


PINNED = sorted(
    {
        name
        for file in ("html", "test", "torch", "mxnet")
        for name in re.findall(r"^([\w.-]+)==", (REQUIREMENTS / f"{file}.txt").read_text(), re.MULTILINE)
    }
)


@pytest.mark.parametrize("name", PINNED)
def test_what_is_pinned_can_be_installed_with_the_python_of_debian_12(name: str) -> None:
    """pip on a newer 3.11 pins what asks for 3.11.5; the machines on which the book was made did not notice."""
    wanted = metadata.metadata(name).get("Requires-Python") or ""
    assert SpecifierSet(wanted).contains("3.11.2")
