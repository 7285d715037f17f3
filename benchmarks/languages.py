"""Our own book in all its languages: beside itself in English, after a change of one sentence, and its catalogs."""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import polib

from benchmarks.html import ROOT, copy_own_book
from benchmarks.measure import Measured, run
from benchmarks.table import Row

CHANGED = "locales/ko/chapter_computation/use-gpu.po"
SERVED = "chapter_computation/use-gpu.html"
TIMES = 5  # that a sentence is changed, by a command or while the site is served; the median counts


def measure(work: Path) -> list[Row]:
    """Rows of the table; `work` is an empty directory."""
    english, all_languages = work / "english", work / "languages"
    for book in (english, all_languages):
        copy_own_book(book, execute_nothing=False)
    alone = _d2lbook(english, "html", "--lang", "en")
    cold = _d2lbook(all_languages, "html")
    edits = []
    for _ in range(TIMES):
        change_a_sentence(all_languages / CHANGED, "one sentence more")
        edits.append(_d2lbook(all_languages, "html"))
    edited = sorted(edits, key=lambda measured: measured.seconds)[TIMES // 2]
    if "one sentence more" not in (all_languages / "_build/html/ko/chapter_computation/use-gpu.html").read_text(
        "utf-8"
    ):
        raise SystemExit("benchmarks: the changed sentence is not on its page")
    command = [sys.executable, "-m", "d2lbook"]
    seen = time_until_served(all_languages, "ko", command, {**os.environ, "PYTHONPATH": str(ROOT)})
    _d2lbook(all_languages, "translate", "update")
    page = all_languages / "chapter_computation" / "lenet.md"
    page.write_text(page.read_text("utf-8") + "\nOne more sentence in this page.\n", encoding="utf-8")
    updated = _d2lbook(all_languages, "translate", "update")
    return [
        _row("our book in 4 languages, cold, to English alone", cold, alone, "≥ 0.33"),
        _row("one sentence of a translation changed, to English cold", edited, alone, "< 3 s"),
        Row(
            "one sentence changed, until `make serve BOOK_LANG=ko` shows it, to English cold",
            f"{seen:.2f} s",
            f"{alone.seconds:.2f} s",
            alone.seconds / seen,
            "< 3 s",
        ),
        _row("`translate update` of all catalogs, a page edited, to English cold", updated, alone, "< 2 s"),
    ]


def time_until_served(book: Path, lang: str, command: list[str], environment: dict[str, str]) -> float:
    """Seconds from a change in a page or its catalog to the page that shows it, served to an author; the median."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve = [*command, "serve", "--lang", lang, "--port", str(port)]
    server = subprocess.Popen(serve, cwd=book, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}/{SERVED if lang == 'en' else f'{lang}/{SERVED}'}"
        _wait_for(address, "")
        words = (f"change number {number} in {lang}" for number in range(TIMES))
        return statistics.median(_time_of_change(book, lang, address, text) for text in words)
    finally:
        server.terminate()
        server.wait()


def _time_of_change(book: Path, lang: str, address: str, words: str) -> float:
    time.sleep(2)  # whatever the last change set off has ended
    if lang == "en":
        page = book / SERVED.replace(".html", ".md")
        page.write_text(f"{page.read_text('utf-8')}\nThis is {words}.\n", encoding="utf-8")
    else:
        change_a_sentence(book / CHANGED.replace("/ko/", f"/{lang}/"), words)
    start = time.perf_counter()
    _wait_for(address, words)
    return time.perf_counter() - start


def _wait_for(address: str, words: str) -> None:
    """Returns when the page is there and has the words."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address) as answer:
                if words in answer.read().decode("utf-8"):
                    return
        except urllib.error.URLError:  # not serving yet, or still building
            pass
        time.sleep(0.02)
    raise SystemExit(f"benchmarks: {address} does not show {words!r}")


def change_a_sentence(path: Path, words: str) -> None:
    catalog = polib.pofile(str(path), wrapwidth=78)
    entry = next(entry for entry in catalog if entry.translated() and entry.msgctxt and len(entry.msgstr) > 80)
    entry.msgstr += f" {words}"
    catalog.save(str(path))


def _d2lbook(book: Path, *arguments: str) -> Measured:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    measured = run([sys.executable, "-m", "d2lbook", *arguments], book, environment)
    if measured.status:
        raise SystemExit(f"benchmarks: {' '.join(arguments)} failed in {book}:\n{measured.output[-4000:]}")
    return measured


def _row(what: str, ours: Measured, peer: Measured, goal: str) -> Row:
    return Row(what, f"{ours.seconds:.2f} s", f"{peer.seconds:.2f} s", peer.seconds / ours.seconds, goal)
