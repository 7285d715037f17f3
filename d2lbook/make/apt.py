"""Installs what is missing by apt, on Debian and Ubuntu, where that needs no question. Standard library only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Say = Callable[[str], None]
# Nobody is asked, and numbers are written as below.
_ENVIRONMENT = ("env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8")
_INSTALL = ("apt-get", "install", "--no-install-recommends")
_CANDIDATE = re.compile(r"^(?P<name>\S+):\n  Installed: .*\n  Candidate: (?!\(none\))", re.MULTILINE)
_DOWNLOAD = re.compile(r"^Need to get (?P<size>.+?)(?:/.+)? of archives\.", re.MULTILINE)
_DISK = re.compile(r"^After this operation, (?P<size>.+) of additional disk space will be used\.", re.MULTILINE)
_COUNT = re.compile(r"(?P<count>\d+) newly installed")
_LOCKED = re.compile(r"could not get lock|is locked by|is another process using it", re.IGNORECASE)
WAITS, SECONDS = 60, 10.0  # how often, and how long each time, another program's lock is waited for


class AptError(Exception):
    """apt could not do it; the text says what it was to do, how that ended, and what to do now."""


@dataclass(frozen=True, slots=True)
class Apt:
    """apt as somebody who may install: root, or a user whose sudo asks for no password."""

    before: tuple[str, ...]  # the commands
    say: Say

    def install(self, packages: Sequence[str]) -> None:
        """Brings the list of packages up to date and installs those that the system has. Raises AptError."""
        self.say(f"asking apt for {' '.join(packages)}")
        # What an earlier run was stopped in the middle of is finished first; else apt does nothing.
        self._patiently("dpkg", "--configure", "-a")
        self._patiently("apt-get", "update", "-qq")
        known = self.known(packages)
        for name in packages:
            if name not in known:
                self.say(f"apt knows no package {name} here")
        if known:
            self.say(f"installing {self.estimate(known)}")
            self._patiently(*_INSTALL, "-y", "-qq", "-o", "Dpkg::Use-Pty=0", *known)

    def known(self, packages: Sequence[str]) -> list[str]:
        """Those that apt can install."""
        said = self._ask("apt-cache", "policy", *packages)
        names = {match["name"] for match in _CANDIDATE.finditer(said)}
        return [name for name in packages if name in names]

    def estimate(self, packages: Sequence[str]) -> str:
        """How many packages come with these, and how large they are, as apt itself tells it."""
        said = self._ask(*_INSTALL, "--assume-no", *packages)
        count, download, disk = _COUNT.search(said), _DOWNLOAD.search(said), _DISK.search(said)
        sizes = (
            f"{count['count']} packages" if count else "packages",
            f"{download['size']} to download" if download else "",
            f"{disk['size']} on disk" if disk else "",
        )
        return ", ".join(filter(None, sizes))

    def _ask(self, *command: str) -> str:
        done = subprocess.run([*self.before, *_ENVIRONMENT, *command], capture_output=True, text=True, check=False)
        return done.stdout

    def _patiently(self, *command: str) -> None:
        """Runs a command; waits while another program has apt's lock."""
        for attempt in range(WAITS + 1):
            done = subprocess.run([*self.before, *_ENVIRONMENT, *command], capture_output=True, text=True, check=False)
            if not done.returncode:
                return
            if not _LOCKED.search(done.stderr) or attempt == WAITS:
                break
            if not attempt:
                self.say("another program uses apt; waiting until it is done")
            time.sleep(SECONDS)
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-8:])
        raise AptError(
            f"`{' '.join(command)}` ended with status {done.returncode}:\n{last}\n"
            "what is installed stays; mend it and run this again"
        )


def apt(say: Say) -> Apt | None:
    """apt where it can be used without a question; None elsewhere."""
    if shutil.which("apt-get") is None:
        return None
    if is_root():
        return Apt((), say)
    sudo = shutil.which("sudo")
    if sudo and not subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode:
        return Apt((sudo, "-n"), say)
    return None


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
