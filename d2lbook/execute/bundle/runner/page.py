"""Runs one page in this process, which is a fresh one, and writes what came out to a file."""

from __future__ import annotations

import copy
import faulthandler
import hashlib
import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from . import inline, recorder, standins
from .machine import cuda_of
from .shell import Shell


def run(plan_path: Path, result_path: Path, folder: Path) -> int:
    """Runs the page of a plan; 0 when it ran to its end, 1 when a cell failed. `folder` is for this run's own files."""
    plan = json.loads(plan_path.read_text(encoding="utf-8"))
    log = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    _end_with(os.getppid())
    page = _Page(plan, result_path, log)
    recorder.install(page.recorder, folder)
    sys.excepthook = lambda kind, error, place: traceback.print_exception(kind, error, place, file=log)
    faulthandler.enable(file=2)
    standins.install(page.shell)
    inline.choose_backend()
    sys.path[0] = ""  # was the bundle's own folder; as in a kernel, what lies beside the page can be imported
    return page.run()


def _end_with(parent: int) -> None:
    """Ends this process soon after the one that started it, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class _Page:
    def __init__(self, plan: dict[str, Any], result_path: Path, log: Any) -> None:
        self.plan, self.result_path, self.log = plan, result_path, log
        self.recorder = recorder.Recorder(plan["output_limit"], self._too_large)
        self.shell = Shell(self.recorder)
        self.cells: list[dict[str, Any]] = []

    def run(self) -> int:
        for number, cell in enumerate(self.plan["cells"]):
            begin = time.monotonic()
            failed = self.shell.run_cell(cell["code"])
            seconds = time.monotonic() - begin
            if failed is not None:
                return self._fail(cell, number)
            # As the builder, which freezes a cell when it ends: what a later cell updates stays as it was.
            outputs = copy.deepcopy(self.recorder.outputs)
            self.cells.append({"hash": cell["hash"], "seconds": round(seconds, 3), "outputs": outputs})
            self._say(f"cell {number + 1}/{len(self.plan['cells'])} {seconds:.1f} s")
        self._write("done", probe=self._probe(), cuda=cuda_of())
        return 0

    def _probe(self) -> str:
        """What the page's framework says of its device; asked by code that the builder has put into the plan."""
        failed = self.shell.run_cell(self.plan["probe"])
        if failed is not None:
            return ""
        return "".join(output.get("text", "") for output in self.recorder.outputs if output.get("name") == "stdout")

    def _fail(self, cell: dict[str, Any], number: int) -> int:
        error = next(output for output in self.recorder.outputs if output["output_type"] == "error")
        lines = cell["lines"]
        at = min(max(self.shell.failing_line(), 1), len(lines)) - 1
        line = lines[at] if lines else 0
        value = " ".join(error["evalue"].split())[:300]
        printed = "".join(output.get("text", "") for output in self.recorder.outputs)[-6000:]
        places = "\n".join(error["traceback"])[-6000:]
        self._write_error(number + 1, line, error["ename"], value, printed, places)
        self._say(f"cell {number + 1} failed: {error['ename']}: {value} ({self.plan['path']}:{line})")
        return 1

    def _too_large(self) -> None:
        number = len(self.cells) + 1
        text = f"put out more than the {self.plan['output_limit'] / 1e6:.0f} MB that a page can keep; print less"
        line = (self.plan["cells"][number - 1]["lines"] or [0])[0] if number <= len(self.plan["cells"]) else 0
        self._write_error(number, line, "TooLarge", text)
        self._say(f"cell {number} {text}")
        os._exit(1)

    def _write_error(self, number: int, line: int, name: str, value: str, printed: str = "", places: str = "") -> None:
        error = {"cell": number, "line": line, "name": name, "value": value, "printed": printed, "traceback": places}
        self._write("failed", error=error)

    def _write(self, state: str, **more: Any) -> None:
        text = json.dumps({"state": state, "cells": self.cells, **more}, ensure_ascii=False, default=str)
        beside = self.result_path.with_name(f".{self.result_path.name}.{hashlib.sha256(text.encode()).hexdigest()[:8]}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self.result_path)

    def _say(self, text: str) -> None:
        self.log.write(f"{self.plan['page']} [{self.plan['tab']}] {text}\n")
