"""Formulas as HTML and MathML, typeset by KaTeX and kept on disk by what they say."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

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
        self._begun: dict[_Process, list[Formula]] = {}

    def begin(self, formulas: Iterable[Formula]) -> None:
        """Has formulas typeset meanwhile, where none has been yet: `finish` waits for them.

        Where some are known, looking for the rest takes as long as it would save.
        """
        if not self._path.exists():
            self._begin(sorted(set(formulas)))

    def finish(self) -> None:
        """Takes what was begun, before a copy of this process or anything else asks for it."""
        found: dict[Formula, Typeset] = {}
        try:
            for process, formulas in self._begun.items():
                found.update(zip(formulas, process.results(), strict=True))
        finally:
            self.stop()
        self._known.update(found)
        rows = [(_key(formula), typeset.html) for formula, typeset in found.items() if not typeset.error]
        if rows:
            database = self._open()
            with database:
                database.executemany("INSERT OR IGNORE INTO formula VALUES (?, ?)", rows)
            self.close()

    def stop(self) -> None:
        """Ends what was begun and nobody needs any more."""
        for process in self._begun:
            process.stop()
        self._begun = {}

    def load(self, formulas: Iterable[Formula]) -> None:
        """Typesets what is not known yet, in two processes at a time, so that `get` need not."""
        self.finish()
        wanted = sorted(set(formulas) - self._known.keys())
        if not wanted:
            return
        self._read(wanted)
        self._begin([formula for formula in wanted if formula not in self._known])
        self.finish()
        self.close()

    def get(self, tex: str, display: bool) -> Typeset:
        formula = (tex, display)
        if formula not in self._known:
            self._read([formula])
        if formula not in self._known:
            self._begin([formula])
            self.finish()
        return self._known[formula]

    def close(self) -> None:
        if self._database is not None and self._owner == os.getpid():
            self._database.close()
        self._database = None

    def _begin(self, formulas: Sequence[Formula]) -> None:
        halves = (formulas[::2], formulas[1::2]) if len(formulas) > _AT_ONCE else (formulas,)
        self._begun |= {_Process(part): list(part) for part in halves if part}

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


class _Process:
    """KaTeX at work on some formulas. It reads and writes files, so that no thread has to wait for it here."""

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self._answers, self._errors = _temporary(), _temporary()
        package_home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")]))
        with _temporary() as questions:
            for start in range(0, len(formulas), _AT_ONCE):
                questions.write(f"{json.dumps(formulas[start : start + _AT_ONCE])}\n")
            questions.seek(0)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "d2lbook.rendering.katex_process", str(KATEX / "dist" / "katex.min.js")],
                stdin=questions,
                stdout=self._answers,
                stderr=self._errors,
                env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
            )

    def results(self) -> list[Typeset]:
        """What became of each formula, once all are done."""
        try:
            status = self._process.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired as error:
            what = f"the process that typesets formulas took more than {TIME_LIMIT} s"
            hint = "simplify the formulas of this change"
            raise error_at("KaTeX", 0, 0, f"{what}; {hint}", "formula-process") from error
        if status:
            self._errors.seek(0)
            reason = self._errors.read().strip().splitlines()[-1:] or ["no reason given"]
            what = f"the process that typesets formulas failed: {reason[0]}"
            raise error_at("KaTeX", 0, 0, what, "formula-process")
        self._answers.seek(0)
        return [Typeset(*result) for line in self._answers for result in json.loads(line)]

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._answers.close()
        self._errors.close()


def _temporary() -> IO[str]:
    """A file without a name: gone when it is closed, or whoever made it is killed."""
    return TemporaryFile("w+", encoding="utf-8", errors="replace")
