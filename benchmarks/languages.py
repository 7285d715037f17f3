"""Our own book in all its languages: beside itself in English, after a change of one sentence, and its catalogs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import polib

from benchmarks.html import ROOT, copy_own_book
from benchmarks.measure import Measured, run
from benchmarks.table import Row

CHANGED = "locales/ko/chapter_computation/use-gpu.po"


def measure(work: Path) -> list[Row]:
    """Rows of the table; `work` is an empty directory."""
    english, all_languages = work / "english", work / "languages"
    for book in (english, all_languages):
        copy_own_book(book, execute_nothing=False)
    alone = _d2lbook(english, "html", "--lang", "en")
    cold = _d2lbook(all_languages, "html")
    _change_a_sentence(all_languages / CHANGED)
    edited = _d2lbook(all_languages, "html")
    if "one sentence more" not in (all_languages / "_build/html/ko/chapter_computation/use-gpu.html").read_text(
        "utf-8"
    ):
        raise SystemExit("benchmarks: the changed sentence is not on its page")
    _d2lbook(all_languages, "translate", "update")
    page = all_languages / "chapter_computation" / "lenet.md"
    page.write_text(page.read_text("utf-8") + "\nOne more sentence in this page.\n", encoding="utf-8")
    updated = _d2lbook(all_languages, "translate", "update")
    return [
        _row("our book in 4 languages, cold, to English alone", cold, alone, "≥ 0.33"),
        _row("one sentence of a translation changed, to English cold", edited, alone, "< 3 s"),
        _row("`translate update` of all catalogs, a page edited, to English cold", updated, alone, "< 2 s"),
    ]


def _change_a_sentence(path: Path) -> None:
    catalog = polib.pofile(str(path), wrapwidth=78)
    entry = next(entry for entry in catalog if entry.translated() and entry.msgctxt and len(entry.msgstr) > 80)
    entry.msgstr += " one sentence more"
    catalog.save(str(path))


def _d2lbook(book: Path, *arguments: str) -> Measured:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    measured = run([sys.executable, "-m", "d2lbook", *arguments], book, environment)
    if measured.status:
        raise SystemExit(f"benchmarks: {' '.join(arguments)} failed in {book}:\n{measured.output[-4000:]}")
    return measured


def _row(what: str, ours: Measured, peer: Measured, goal: str) -> Row:
    return Row(what, f"{ours.seconds:.2f} s", f"{peer.seconds:.2f} s", peer.seconds / ours.seconds, goal)
