"""Decks as PDF, printed by Chromium: a page for each slide."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from d2lbook.diagnostics import Messages
from d2lbook.files import write_atomic
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.epoch import epoch
from d2lbook.system_packages import BROWSERS, chromium_hint

SECONDS = 180  # that Chromium may take for a deck
_DATE = re.compile(rb"/(CreationDate|ModDate) \(D:[^)]*\)")


def print_decks(context: BookContext, decks: Iterable[Path], assets: Path) -> list[Path]:
    """Writes a PDF beside each deck; their paths. A PDF whose deck is as it was is not printed again."""
    config, messages = context.config, context.messages
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        text = f"Chromium, which prints the slides, is missing; {chromium_hint()}"
        messages.error("slides", 0, 0, text, "slides-browser")
        return []
    shared = _digest(sorted(path for path in assets.glob("*") if path.is_file()))
    date = time.strftime("%Y%m%d%H%M%S+00'00'", time.gmtime(epoch(config.root))).encode()
    paths, cache = [], context.cache
    for deck in decks:
        path = deck.with_suffix(".pdf")
        name = path.relative_to(config.output_dir).as_posix()
        made_of = hashlib.sha256(shared + deck.read_bytes() + date).hexdigest()
        if cache.outputs(name, made_of) is not None:
            paths.append(path)
            continue
        content = _printed(browser, deck, messages)
        if content is not None:
            write_atomic(path, _DATE.sub(lambda found: _dated(found, date), content))
            cache.mark(name, made_of, [path])
            paths.append(path)
    return paths


def _printed(browser: str, deck: Path, messages: Messages) -> bytes | None:
    """What Chromium makes of a deck; None when it fails, which is reported."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "deck.pdf"
        command = [
            # It reads files of ours only, and in a container or as root its sandbox cannot start.
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--font-render-hinting=none",  # lines are as wide as on a screen, also without windows
            "--no-pdf-header-footer",
            f"--user-data-dir={work}/profile",
            f"--print-to-pdf={path}",
            f"{deck.resolve().as_uri()}?print",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            reason = f"it ended with status {done.returncode}"
        except subprocess.TimeoutExpired:
            reason = f"it took more than {SECONDS} s"
        if path.is_file() and path.stat().st_size:
            return path.read_bytes()
    messages.error(str(deck), 0, 0, f"Chromium did not print it: {reason}; the older PDF stays", "slides-print")
    return None


def _dated(found: re.Match[bytes], date: bytes) -> bytes:
    """The entry with the sources' date instead of today's, as long as before: a PDF knows where its parts start."""
    length = len(found[0]) - len(found[1]) - len("/ (D:)")
    return b"/" + found[1] + b" (D:" + date[:length].ljust(length, b" ") + b")"


def _digest(paths: Sequence[Path]) -> bytes:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.digest()
