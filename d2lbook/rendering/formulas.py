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
from tempfile import TemporaryDirectory

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
        begun, self._begun = self._begun, {}
        for process, formulas in begun.items():
            self._known.update(zip(formulas, process.results(), strict=True))
        found = [(formula, self._known[formula]) for formulas in begun.values() for formula in formulas]
        rows = [(_key(formula), typeset.html) for formula, typeset in found if not typeset.error]
        if rows:
            database = self._open()
            with database:
                database.executemany("INSERT OR IGNORE INTO formula VALUES (?, ?)", rows)

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
        self._folder = TemporaryDirectory(prefix="d2lbook-katex-")
        self._answers, self._errors = (Path(self._folder.name) / name for name in ("answers", "errors"))
        questions = Path(self._folder.name) / "questions"
        parts = (formulas[start : start + _AT_ONCE] for start in range(0, len(formulas), _AT_ONCE))
        questions.write_text("".join(f"{json.dumps(part)}\n" for part in parts), encoding="utf-8")
        package_home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")]))
        with questions.open() as asked, self._answers.open("w") as answers, self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "d2lbook.rendering.katex_process", str(KATEX / "dist" / "katex.min.js")],
                stdin=asked,
                stdout=answers,
                stderr=errors,
                env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
            )

    def results(self) -> list[Typeset]:
        """What became of each formula, once all are done."""
        with self._folder:
            try:
                status = self._process.wait(TIME_LIMIT)
            except subprocess.TimeoutExpired as error:
                self._process.kill()
                self._process.wait()
                what = f"the process that typesets formulas took more than {TIME_LIMIT} s; simplify this change's"
                raise error_at("KaTeX", 0, 0, what, "formula-process") from error
            if status:
                reason = self._errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
                what = f"the process that typesets formulas failed: {(reason or ['no reason given'])[0]}"
                raise error_at("KaTeX", 0, 0, what, "formula-process")
            lines = self._answers.read_text(encoding="utf-8").split("\n")
        return [Typeset(*result) for line in lines if line for result in json.loads(line)]
