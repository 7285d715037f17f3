"""`make test-fresh`: a minimal Debian of its own, a clone of this commit, `make html` and `make test` in it.

Of this machine it has apt's sources, pip's configuration with the directories and files that it names, certificates,
proxies and the name servers; beside Python, pip and make everything has to come from `make` itself. It needs root,
debootstrap and about 15 GB in $TMPDIR (default /var/tmp) while it runs, and leaves nothing but its log. Standard
library only.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / ".kept" / "test-fresh.log"  # `_build` is the builder's alone
COMMANDS = ("make html", "make test")
BEFORE = "apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-pip make >/dev/null"
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
APT = ("sources.list", "sources.list.d", "auth.conf", "auth.conf.d", "trusted.gpg", "trusted.gpg.d", "keyrings")
APT_SETTINGS = re.compile(r"^Acquire::(?:https?|Check-|Retries|ForceIPv|Languages)")
CERTIFICATES = "/usr/local/etc/host-certificates.pem"
CLONE = "/root/book"
# In a space of its own, whose mounts are gone with its last process, however that ends. The host's directories stand
# there read-only; /dev is the host's but for its shared memory.
ENTER = """set -e
mount -t proc proc "$0/proc"
mount --rbind /sys "$0/sys" && mount --make-rslave "$0/sys"
mount --rbind /dev "$0/dev" && mount --make-rslave "$0/dev"
mount -t tmpfs -o mode=1777 shm "$0/dev/shm"
while [ "$1" != -- ]; do mount --bind "$1" "$0$1"; mount -o remount,bind,ro "$0$1"; shift; done
shift
exec chroot "$0" /usr/bin/env -i "$@"
"""


class FreshError(Exception):
    """It cannot begin; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class PipSettings:
    """pip's configuration as it holds here, from files and environment, and what of this machine it names."""

    values: Mapping[str, str]

    @classmethod
    def read(cls, listing: str) -> PipSettings:
        """From `pip config list`, whose later lines have the last word: `global.cert='/etc/…'`, `:env:.cert='…'`."""
        found = re.findall(r"^(global|install|:env:)\.([\w-]+)='(.*)'$", listing, re.MULTILINE)
        order = {"global": 0, "install": 1, ":env:": 2}
        return cls({name: value for _, name, value in sorted(found, key=lambda entry: order[entry[0]])})

    def directories(self) -> list[str]:
        """Directories of this machine that hold packages: they are shown at the same place."""
        words = [word.removesuffix("/simple") for word in self._paths()]  # an index, whose files lie beside it
        return sorted({word for word in words if Path(word).is_dir()})

    def files(self) -> list[str]:
        """Files of this machine, such as constraints, that are copied to the same place."""
        return sorted({word for word in self._paths() if Path(word).is_file()} - {self.values.get("cert")})

    def _paths(self) -> list[str]:
        words = [word.removeprefix("file://") for value in self.values.values() for word in value.split()]
        return [word for word in words if word.startswith("/")]

    def file(self) -> str:
        """A configuration file with all of it; certificates lie where ours were copied to."""
        values = {"disable-pip-version-check": "1", "root-user-action": "ignore", **self.values}
        if "cert" in values:
            values["cert"] = CERTIFICATES
        return "[global]\n" + "".join(f"{name} = {value}\n" for name, value in sorted(values.items()))


def mirror(targets: str, codename: str) -> str:
    """The first of apt's sources with this release, from `apt-get indextargets --format '$(REPO_URI) $(CODENAME)'`."""
    for line in targets.splitlines():
        address, _, name = line.partition(" ")
        if name == codename:
            return address
    raise FreshError(f"apt has no source for {codename}; name one in /etc/apt")


@dataclass(frozen=True, slots=True)
class Machine:
    """A Debian in a folder."""

    folder: Path
    say: Callable[[str], None]
    run: Callable[[Sequence[str]], int]
    shown: tuple[str, ...] = ()  # directories of this machine

    def command(self, command: str, directory: str = "/") -> list[str]:
        """What runs a shell's command in it, as on a machine of its own where nobody has set anything."""
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
            "SSL_CERT_FILE": CERTIFICATES,
            **{name: os.environ[name] for name in PROXIES if name in os.environ},
        }
        settings = [f"{name}={value}" for name, value in environment.items()]
        shell = ["/bin/sh", "-c", f"cd {shlex.quote(directory)} && {command}"]
        return [*ALONE, "sh", "-c", ENTER, str(self.folder), *self.shown, "--", *settings, *shell]


# A Ctrl-C that ends this program ends all that runs there, and with it the mounts.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")


def install(folder: Path, run: Callable[[Sequence[str]], int]) -> None:
    """Puts a minimal Debian into a folder, of the release that this machine has, from its own mirror."""
    codename = _release()
    targets = _output(["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages"])
    command = [*ALONE, "debootstrap", "--variant=minbase", codename, str(folder), mirror(targets, codename)]
    if run(command):
        raise FreshError(f"debootstrap could not make {folder}; its own words are above")


def _release() -> str:
    text = Path("/etc/os-release").read_text()
    found = re.search(r"^VERSION_CODENAME=(\w+)$", text, re.MULTILINE)
    if found is None or not re.search(r"^ID=debian$", text, re.MULTILINE):
        raise FreshError("this is no Debian, whose sources a fresh one could be made from; run it on one")
    return found[1]


def share(folder: Path, pip: PipSettings) -> None:
    """Copies what a fresh machine has of this one: apt's sources, pip's configuration, certificates, name servers."""
    for name in APT:
        source, target = Path("/etc/apt") / name, folder / "etc" / "apt" / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.exists():
            shutil.copy2(source, target)
        elif target.is_file():
            target.unlink()  # debootstrap's own sources
    for keyring in Path("/usr/share/keyrings").glob("*"):
        (folder / "usr/share/keyrings").mkdir(parents=True, exist_ok=True)
        shutil.copy2(keyring, folder / "usr/share/keyrings" / keyring.name)
    settings = [line for line in _output(["apt-config", "dump"]).splitlines() if APT_SETTINGS.match(line)]
    (folder / "etc/apt/apt.conf.d/01host").write_text("".join(f"{line}\n" for line in settings))
    (folder / "etc/pip.conf").write_text(pip.file())
    for name in pip.directories():
        (folder / name.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for name in pip.files():
        (folder / name.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, folder / name.lstrip("/"))
    certificates = Path(pip.values.get("cert", "/etc/ssl/certs/ca-certificates.crt"))
    (folder / CERTIFICATES.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(certificates, folder / CERTIFICATES.lstrip("/"))
    shutil.copy2("/etc/resolv.conf", folder / "etc/resolv.conf")
    # As Debian's installer writes it: torchrun waits minutes for the address of a name that nobody knows.
    (folder / "etc/hosts").write_text(f"127.0.0.1 localhost\n127.0.1.1 {socket.gethostname()}\n")


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout


def try_all(
    commands: Sequence[str], folder: Path, run: Callable[[Sequence[str]], int], say: Callable[[str], None]
) -> int:
    """Makes the machine and runs the commands in it until one fails; the status of the last."""
    pip = PipSettings.read(_output([sys.executable, "-m", "pip", "config", "list"]))
    rows: list[str] = []

    def step(name: str, action: Callable[[], int]) -> int:
        say(f"== {name}")
        begun, before = time.monotonic(), received()
        status = action()
        minutes, megabytes = (time.monotonic() - begun) / 60, (received() - before) / 1e6
        rows.append(f"{name:<32}{minutes:6.1f} min {megabytes:8,.0f} MB   {f'status {status}' if status else 'ok'}")
        return status

    def made() -> int:
        install(folder, run)
        share(folder, pip)
        return run(["git", "clone", "--quiet", f"file://{ROOT}", str(folder / CLONE.lstrip("/"))])

    machine = Machine(folder, say, run, tuple(pip.directories()))
    status = step("a minimal Debian and a clone", made)
    if not status:
        status = step("Python, pip and make", partial(run, machine.command(BEFORE)))
    for command in commands:
        if status:
            break
        status = step(command, partial(run, machine.command(command, CLONE)))
    say("\n".join(["", *rows]))
    say("MB: what this whole machine received meanwhile; directories that pip's configuration names are not in it")
    say(
        f"on disk: {_size(folder)}, of which .venv {_size(folder / CLONE.lstrip('/') / '.venv')}, "
        f"packages as apt got them {_size(folder / 'var/cache/apt/archives')}"
    )
    return status


def received() -> int:
    """Bytes that came from the network since this machine was started."""
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    counts = {name.strip(): int(numbers.split()[0]) for name, _, numbers in (line.partition(":") for line in lines)}
    return sum(count for name, count in counts.items() if name != "lo")


def _size(folder: Path) -> str:
    if not folder.exists():
        return "0 MB"
    done = subprocess.run(["du", "-sxm", folder], capture_output=True, text=True, check=False)
    return f"{int(done.stdout.split()[0]):,} MB"


@contextmanager
def temporary() -> Iterator[Path]:
    """A folder that is removed at the end, however that comes; nothing of this machine is mounted in it here."""
    folder = Path(tempfile.mkdtemp(prefix="d2l-fresh-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if str(folder) in Path("/proc/self/mountinfo").read_text():
            print(f"something is mounted below {folder}, which therefore stays", file=sys.stderr)
        else:
            subprocess.run(["rm", "-rf", "--one-file-system", folder], check=False)


class Log:
    """Prints what is said and what commands say, and keeps it in a file."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def say(self, text: str) -> None:
        for target in (sys.stdout, self.file):
            print(text, file=target, flush=True)

    def run(self, command: Sequence[str]) -> int:
        """A command's status. When this program is stopped, the command is, too."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",
        )
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("I: "):  # debootstrap's, a thousand
                    print(line, end="", file=self.file, flush=True)
                else:
                    self.say(line.rstrip("\n"))
            return process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise


def _stopped(*_: object) -> None:
    raise KeyboardInterrupt


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make test-fresh", description=__doc__)
    parser.add_argument("commands", nargs="*", default=COMMANDS, metavar="COMMAND", help="instead of the two")
    commands = parser.parse_args(argv).commands
    if os.geteuid():
        print("make test-fresh: a machine within this one needs root; run it with sudo", file=sys.stderr)
        return 1
    signal.signal(signal.SIGTERM, _stopped)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup has it, whose terminal may go
        signal.signal(signal.SIGHUP, _stopped)
    LOG.parent.mkdir(exist_ok=True)
    with LOG.open("w", encoding="utf-8") as file, temporary() as folder:
        log = Log(file)
        try:
            return try_all(commands, folder, log.run, log.say)
        except (FreshError, subprocess.CalledProcessError, OSError) as error:
            log.say(f"make test-fresh: {error}")
            return 1
        except KeyboardInterrupt:
            log.say("make test-fresh: stopped; removing the machine")
            return 130


if __name__ == "__main__":
    sys.exit(main())
