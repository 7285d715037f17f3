"""Formulas as HTML and MathML, typeset by KaTeX and kept on disk by what they say."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from d2lbook.diagnostics import error_at

KATEX = next((Path(__file__).resolve().parents[1] / "static" / "vendor").glob("katex-*"))
_AT_ONCE = 200  # formulas in one message to the process
_RULES = 2  # raised when the process refuses more than before: what an older one typeset is not taken
TIME_LIMIT = 600  # seconds for all formulas of a process: thousands take a few


@dataclass(frozen=True, slots=True)
class Typeset:
    """A formula's HTML, or what is wrong with it and where (0-based offset in the TeX)."""

    html: str
    error: str = ""
    position: int = 0


Formula = tuple[str, bool]  # TeX, display


class Formulas:
    """Typesets; what was typeset before comes from the cache. Safe to use after a fork."""

    def __init__(self, cache: Path) -> None:
        self._path = cache
        self._known: dict[Formula, Typeset] = {}
        self._database: sqlite3.Connection | None = None
        self._owner = 0

    def load(self, formulas: Iterable[Formula]) -> None:
        """Typesets what is not known yet, in two processes at a time, so that `get` need not."""
        wanted = sorted(set(formulas) - self._known.keys())
        if not wanted:
            return
        self._read(wanted)
        missing = [formula for formula in wanted if formula not in self._known]
        if missing:
            self._add(missing)
        self.close()

    def get(self, tex: str, display: bool) -> Typeset:
        formula = (tex, display)
        if formula not in self._known:
            self._read([formula])
        if formula not in self._known:
            self._add([formula])
        return self._known[formula]

    def close(self) -> None:
        if self._database is not None and self._owner == os.getpid():
            self._database.close()
        self._database = None

    def _add(self, formulas: Sequence[Formula]) -> None:
        halves = [part for part in (formulas[::2], formulas[1::2]) if part] if len(formulas) > _AT_ONCE else [formulas]
        with ThreadPoolExecutor(len(halves)) as pool:
            for part, results in zip(halves, pool.map(_typeset, halves), strict=True):
                self._known.update(zip(part, results, strict=True))
        rows = [(_key(formula), self._known[formula].html) for formula in formulas if not self._known[formula].error]
        database = self._open()
        with database:
            database.executemany("INSERT OR IGNORE INTO formula VALUES (?, ?)", rows)

    def _read(self, formulas: Sequence[Formula]) -> None:
        keys = {_key(formula): formula for formula in formulas}
        database = self._open()
        names = list(keys)
        for start in range(0, len(names), _AT_ONCE):
            part = names[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            for key, html in database.execute(f"SELECT key, html FROM formula WHERE key IN ({marks})", part):
                self._known[keys[key]] = Typeset(html)

    def _open(self) -> sqlite3.Connection:
        if self._database is None or self._owner != os.getpid():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._database = _connect(self._path)
            except sqlite3.DatabaseError:  # not a database any more: what it held can be made again
                self._path.unlink(missing_ok=True)
                self._database = _connect(self._path)
            self._owner = os.getpid()
        return self._database


def _connect(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=60)
    database.execute("CREATE TABLE IF NOT EXISTS formula (key TEXT PRIMARY KEY, html TEXT NOT NULL) WITHOUT ROWID")
    return database


def _key(formula: Formula) -> str:
    tex, display = formula
    return hashlib.sha256(f"{KATEX.name} {_RULES}\n{int(display)}\n{tex}".encode()).hexdigest()


def _typeset(formulas: Sequence[Formula]) -> list[Typeset]:
    command = [sys.executable, "-P", "-m", "d2lbook.rendering.katex_process", str(KATEX / "dist" / "katex.min.js")]
    lines = [json.dumps(formulas[start : start + _AT_ONCE]) + "\n" for start in range(0, len(formulas), _AT_ONCE)]
    package_home = str(Path(__file__).resolve().parents[2])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")])),
    }
    try:
        done = subprocess.run(
            command,
            input="".join(lines),
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            check=False,
            timeout=TIME_LIMIT,
        )
    except subprocess.TimeoutExpired as error:
        what = f"the process that typesets formulas took more than {TIME_LIMIT} s; simplify the formulas of this change"
        raise error_at("KaTeX", 0, 0, what, "formula-process") from error
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise error_at("KaTeX", 0, 0, f"the process that typesets formulas failed: {reason[0]}", "formula-process")
    return [Typeset(*result) for line in done.stdout.split("\n") if line for result in json.loads(line)]
