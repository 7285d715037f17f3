"""What cells put out, in the form that notebooks keep it."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Output = dict[str, Any]


class Recorder:
    """Collects outputs cell by cell: streams, displays that may be updated later, results and errors.

    What programs and libraries write past Python, to the process's own stdout and stderr, goes to two files. That of
    stdout is read whenever something is recorded, so that the order is kept as well as it can be. That of stderr is
    only for who looks into a page that died: libraries log there, with times and addresses that no page can show.
    """

    def __init__(self, limit: int, too_large: Callable[[], None]) -> None:
        self.limit, self.too_large = limit, too_large
        self.received = 0
        self.outputs: list[Output] = []  # of the cell that is running
        self._shown: dict[str, list[Output]] = {}
        self._clear_first = False
        self._tails: list[_Tail] = []

    def follow(self, name: str, path: Path, descriptor: int) -> None:
        """Lets a file stand for one of the process's streams, and records what is written to its stdout."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(handle, descriptor)
        os.close(handle)
        if name == "stdout":
            self._tails.append(_Tail(name, os.open(path, os.O_RDONLY)))

    def begin(self) -> None:
        self.outputs, self.received, self._clear_first = [], 0, False

    def drain(self) -> None:
        """Records what was written past Python since the last time."""
        for tail in self._tails:
            if text := tail.read():
                self._stream(tail.name, text)

    def stream(self, name: str, text: str) -> None:
        self.drain()
        self._stream(name, text)

    def _stream(self, name: str, text: str) -> None:
        if not text:
            return
        self._before_output(len(text))
        last = self.outputs[-1] if self.outputs else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["text"] += text
        else:
            self.outputs.append({"output_type": "stream", "name": name, "text": text})

    def display(self, data: Mapping[str, Any], display_id: str = "") -> None:
        self._add({"output_type": "display_data", "data": dict(data), "metadata": {}}, display_id)

    def result(self, data: Mapping[str, Any], count: int) -> None:
        self._add({"output_type": "execute_result", "data": dict(data), "metadata": {}, "execution_count": count})

    def update(self, data: Mapping[str, Any], display_id: str) -> None:
        """Replaces what was displayed under a name before, in whichever cell."""
        self.drain()
        self._count(sum(len(str(value)) for value in data.values()))
        for output in self._shown.get(display_id, ()):
            output["data"] = dict(data)

    def error(self, name: str, value: str, traceback: list[str]) -> None:
        self._add({"output_type": "error", "ename": name, "evalue": value, "traceback": traceback})

    def clear(self, wait: bool = False) -> None:
        """Drops what the cell has put out: now, or with `wait` when something new comes."""
        self.drain()
        self._clear_first = wait
        if not wait:
            self.outputs.clear()
            self.received = 0

    def _add(self, output: Output, display_id: str = "") -> None:
        self.drain()
        self._before_output(sum(len(str(value)) for value in output.get("data", {}).values()))
        self.outputs.append(output)
        if display_id:
            self._shown.setdefault(display_id, []).append(output)

    def _before_output(self, size: int) -> None:
        if self._clear_first:
            self._clear_first = False
            self.outputs.clear()
            self.received = 0
        self._count(size)

    def _count(self, size: int) -> None:
        self.received += size
        if self.received > self.limit:
            self.too_large()


class _Tail:
    """The end of a file that grows."""

    def __init__(self, name: str, descriptor: int) -> None:
        self.name, self._descriptor = name, descriptor
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def read(self) -> str:
        text = ""
        while piece := os.read(self._descriptor, 1 << 16):
            text += self._decode(piece)
        return text


class Stream(io.TextIOBase):
    """`sys.stdout` or `sys.stderr` of a page. A process that the page forks writes to the file behind it."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, recorder: Recorder, name: str, descriptor: int) -> None:
        self._recorder, self.name, self._descriptor = recorder, name, descriptor
        self._pid = os.getpid()

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if os.getpid() == self._pid:
            self._recorder.stream(self.name, text)
        else:
            os.write(self._descriptor, text.encode("utf-8", "backslashreplace"))
        return len(text)

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True


def install(recorder: Recorder, folder: Path) -> None:
    """Makes both streams of this process record: Python's, and what is written past it."""
    sys.stdout.flush()
    sys.stderr.flush()
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        recorder.follow(name, folder / name, descriptor)
        setattr(sys, name, Stream(recorder, name, descriptor))
