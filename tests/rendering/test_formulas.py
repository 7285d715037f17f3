"""Formulas are typeset once, and may be while something else is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from d2lbook.diagnostics import BookError
from d2lbook.rendering import formulas as module
from d2lbook.rendering.formulas import Formulas

SEVERAL = [(f"x_{{{number}}}", number % 2 == 0) for number in range(300)]  # more than one process gets


def without_katex(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(formulas: object) -> None:
        raise AssertionError(formulas)

    monkeypatch.setattr(module, "_Process", refuse)


def test_what_was_begun_is_there_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, at_once = Formulas(tmp_path / "begun.sqlite"), Formulas(tmp_path / "at-once.sqlite")
    ours.begin(SEVERAL)
    at_once.load(SEVERAL)
    ours.finish()
    without_katex(monkeypatch)
    assert [ours.get(*formula) for formula in SEVERAL] == [at_once.get(*formula) for formula in SEVERAL]
    kept = Formulas(tmp_path / "begun.sqlite")
    kept.load(SEVERAL)
    assert kept.get("x_{7}", False) == at_once.get("x_{7}", False)


def test_loading_waits_for_what_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Formulas(tmp_path / "formulas.sqlite")
    ours.begin([("x", False)])
    without_katex(monkeypatch)
    ours.load([("x", False)])
    assert "katex" in ours.get("x", False).html


def test_what_was_begun_and_is_not_needed_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Formulas(tmp_path / "formulas.sqlite")
    ours.begin(SEVERAL)
    started = [process._process for process in ours._begun]
    assert len(started) == 2
    ours.stop()
    assert all(process.returncode is not None for process in started)
    assert "katex" in ours.get("x_{7}", False).html


def test_when_one_process_fails_the_other_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Formulas(tmp_path / "formulas.sqlite")
    ours.begin(SEVERAL)
    first, second = (process._process for process in ours._begun)
    first.kill()
    with pytest.raises(BookError, match="failed: no reason given"):
        ours.finish()
    assert second.returncode is not None and not ours._begun


def test_where_some_are_known_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Formulas(tmp_path / "formulas.sqlite").load([("x", False)])
    without_katex(monkeypatch)
    Formulas(tmp_path / "formulas.sqlite").begin([("y", False)])


def test_mistakes_are_no_reason_to_stop_and_are_not_kept(tmp_path: Path) -> None:
    ours = Formulas(tmp_path / "formulas.sqlite")
    ours.begin([("x", False), ("\\nothing", False)])
    ours.finish()
    assert ours.get("x", False).error == "" and "nothing" in ours.get("\\nothing", False).error


def test_a_process_that_fails_or_takes_too_long_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KATEX", tmp_path)
    with pytest.raises(BookError, match="failed: FileNotFoundError"):
        Formulas(tmp_path / "one.sqlite").load([("x", False)])
    monkeypatch.undo()
    monkeypatch.setattr(module, "TIME_LIMIT", 0.001)
    with pytest.raises(BookError, match="took more than"):
        Formulas(tmp_path / "two.sqlite").load([("x", False)])
