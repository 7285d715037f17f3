"""Runs a command and tells its wall time and the peak memory of its whole process tree (Linux)."""

from __future__ import annotations

import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Measured:
    seconds: float
    peak_bytes: int  # proportional set size of all processes together, sampled every 0.1 s
    status: int
    output: str


def run(
    command: list[str], directory: Path, environment: dict[str, str] | None = None, limit: float = 3600
) -> Measured:
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    peak = _Peak(process.pid)
    peak.start()
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    seconds = time.perf_counter() - start
    peak.stop()
    return Measured(seconds, peak.bytes, process.returncode, output)


class _Peak(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.bytes, self._stop_event = pid, 0, threading.Event()

    def run(self) -> None:
        while not self._stop_event.wait(0.1):
            self.bytes = max(self.bytes, sum(map(_proportional_bytes, _tree(self.pid))))

    def stop(self) -> None:
        self._stop_event.set()
        self.join()


def _tree(pid: int) -> list[int]:
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        try:
            for task in list(Path(f"/proc/{current}/task").iterdir()):
                queue += map(int, (task / "children").read_text().split())
        except OSError:  # the process or one of its threads ended between listing and reading
            continue
    return found


def _proportional_bytes(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:  # as above
        return 0
    return 0
