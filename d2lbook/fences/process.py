"""The process that runs handlers, as the builder sees it: asked one fence at a time, and stopped when it takes long."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

LIMIT = 60.0  # seconds that a handler may take for one fence, its import included
_PROGRAM = Path(__file__).with_name("worker.py")


class Worker:
    """Starts with the first question, and again after one that was stopped."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = [str(folder) for folder in folders]
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, request: dict[str, object]) -> dict[str, str]:
        """What the handler makes of a fence, or what is wrong."""
        try:
            self._send(json.dumps(request).encode() + b"\n")
            line = self._answers.get(timeout=LIMIT)
        except queue.Empty:
            self._stop()
            return {"fault": f"it was stopped after {LIMIT:g} s", "code": "fence-time-limit"}
        except OSError:
            line = b""
        if not line:
            self._stop()
            return {"fault": "it ended Python itself", "code": "fence-handler"}
        found: dict[str, str] = json.loads(line)
        return found

    def _send(self, line: bytes) -> None:
        if self._process is None:
            # Not from the working directory, which is the book; with the environment of the builder otherwise.
            command = [sys.executable, "-P", str(_PROGRAM), *self._folders]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=tempfile.gettempdir()
            )
            self._answers = queue.SimpleQueue()
            threading.Thread(target=_read, args=(self._process.stdout, self._answers), daemon=True).start()
        if self._process.stdin is not None:
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin is not None:
            try:
                process.stdin.close()
            except OSError:
                return  # what it no longer reads was not sent


def _read(stream: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Passes each answer on, and an empty one at the end."""
    with stream:
        for line in stream:
            answers.put(line)
    answers.put(b"")
