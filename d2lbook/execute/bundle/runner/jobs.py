"""Pages in processes of their own, several at a time where there are GPUs for them, each under a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GRACE = 3.0  # seconds from SIGTERM to SIGKILL
_PERSONAL = ("PYTHONSTARTUP", "PYTHONINSPECT", "IPYTHONDIR", "MPLBACKEND", "MATPLOTLIBRC")


@dataclass(frozen=True)
class Job:
    """One page in one framework."""

    plan_path: Path
    plan: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.plan['page']} [{self.plan['tab']}]"

    @property
    def gpus(self) -> int:
        return int(self.plan["gpus"])


@dataclass(frozen=True)
class Limits:
    page: float  # seconds that each page may take
    end: float  # on time.monotonic(): no page runs on beyond it


class _Running:
    def __init__(self, job: Job, gpus: Sequence[str], root: Path, path: Sequence[str], limits: Limits) -> None:
        self.job, self.gpus = job, tuple(gpus)
        self.folder = Path(tempfile.mkdtemp(prefix="d2l-page-"))
        self.result_path = self.folder / "result.json"
        self.began, self.begin = time.time(), time.monotonic()
        self.deadline = min(self.begin + limits.page, limits.end)
        self.own_limit = self.begin + limits.page <= limits.end
        self.told_at = 0.0
        command = [sys.executable, str(root / "run.py"), "--in-process", str(job.plan_path), str(self.result_path)]
        self.process = subprocess.Popen(
            [*command, str(self.folder)],
            cwd=_working_directory(job, root, self.folder),
            stdin=subprocess.DEVNULL,
            env=_environment(root, path, gpus),
            start_new_session=True,
        )

    def tell_to_end(self) -> None:
        """Asks the page and what it started to end; by force when it was asked some time ago."""
        now = time.monotonic()
        force = bool(self.told_at) and now > self.told_at + GRACE
        if not self.told_at or force:
            self.told_at = self.told_at or now
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL if force else signal.SIGTERM)

    def outcome(self) -> dict[str, Any]:
        """What the page has left; for one that was ended, or ended itself, that."""
        status = self.process.returncode
        base = {
            "page": self.job.plan["page"],
            "tab": self.job.plan["tab"],
            "key": self.job.plan["key"],
            "parts": self.job.plan["parts"],
            "seconds": round(time.monotonic() - self.begin, 1),
            "gpus": self.gpus,
            "began": _utc(self.began),
            "finished": _utc(time.time()),
        }
        if self.result_path.is_file():
            return {**base, **json.loads(self.result_path.read_text(encoding="utf-8"))}
        if self.told_at:
            state = "limit" if self.own_limit else ""
            return {**base, "state": state, "error": self._error("TimeLimit", "was still running at its time limit")}
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return {**base, "state": "failed", "error": self._error("Died", f"ended its process ({how})")}

    def _error(self, name: str, value: str) -> dict[str, Any]:
        last = [self.folder / stream for stream in ("stdout", "stderr")]
        words = [path.read_bytes()[-3000:].decode("utf-8", "replace") for path in last if path.is_file()]
        return {"cell": 0, "line": 0, "name": name, "value": value, "printed": "".join(words), "traceback": ""}

    def clean(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # what it may have left running
        shutil.rmtree(self.folder, ignore_errors=True)


def run_all(
    jobs: Sequence[Job],
    gpus: Sequence[str],
    at_once: int,
    root: Path,
    path: Sequence[str],
    limits: Limits,
    finished: Callable[[Job, dict[str, Any]], None],
) -> None:
    """Runs pages in order; a page that waits for GPUs is not overtaken. What is interrupted is ended, not reported.

    `path`: folders to import from, before those of the bundle.
    """
    waiting, running, free = list(jobs), list[_Running](), list(gpus)
    try:
        while running or (waiting and time.monotonic() < limits.end):
            while waiting and time.monotonic() < limits.end:
                wanted = min(max(waiting[0].gpus, 1), len(gpus))
                if len(running) >= at_once or len(free) < wanted:
                    break
                running.append(_Running(waiting.pop(0), free[:wanted], root, path, limits))
                del free[:wanted]
            for page in list(running):
                if page.process.poll() is None:
                    if time.monotonic() > page.deadline:
                        page.tell_to_end()
                    continue
                running.remove(page)
                free += page.gpus
                outcome = page.outcome()
                page.clean()
                finished(page.job, outcome)
            time.sleep(0.05)
    finally:
        for page in running:
            page.tell_to_end()
        for page in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                page.process.wait(GRACE)
            page.clean()
            page.process.wait()


def _working_directory(job: Job, root: Path, folder: Path) -> Path:
    """A folder for the page, with the book's resources beside it as they are beside the page."""
    working = (folder / "book" / str(job.plan["page"])).parent
    working.mkdir(parents=True)
    for source in (root / "book").glob("*"):
        _link(source, folder / "book" / source.name)
    return working


def _link(source: Path, link: Path) -> None:
    if source.is_dir() and link.is_dir():
        for child in source.iterdir():
            _link(child, link / child.name)
    else:
        link.symlink_to(source)


def _environment(root: Path, path: Sequence[str], gpus: Sequence[str]) -> dict[str, str]:
    """As the builder's for a kernel: no personal settings, a fixed hash seed, no framework that takes all memory."""
    kept = {name: value for name, value in os.environ.items() if name not in _PERSONAL}
    places = [str(root / "book"), *path, os.environ.get("PYTHONPATH", "")]
    ours = {
        "PYTHONPATH": os.pathsep.join(filter(None, places)),
        "PYTHONHASHSEED": "0",
        "COLUMNS": "80",
        "PYTHONUNBUFFERED": "1",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "TF_FORCE_GPU_ALLOW_GROWTH": "true",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    if (root / "data").is_dir():
        ours["D2L_DATA"] = str(root / "data")
    if gpus:
        ours["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as nvidia-smi counts them
        ours["CUDA_VISIBLE_DEVICES"] = ",".join(gpus)
    return kept | ours


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
