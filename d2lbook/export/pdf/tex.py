"""Runs XeLaTeX until the references stand, and says in the book's terms what went wrong."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from d2lbook.diagnostics import Messages
from d2lbook.export.pdf.language import missing_patterns
from d2lbook.export.pdf.tex_errors import TexError, errors_in, reason
from d2lbook.system_packages import absent_files, absent_fonts, font_package, needed, program_package, tex_package

TIME_LIMIT = 600  # seconds for one run; a book of 200 pages takes less than one minute
RUNS = 5  # after which references that still move are an error
_PLACE = re.compile(r"^%@ (?P<path>.+):(?P<line>\d+)$")
_MISSING = re.compile(r"^Missing character: There is no (\S+)(?: \(U\+(\w+)\))? in font (.+?)!", re.MULTILINE)
_OVERFULL = re.compile(r"^Overfull \\hbox \(([\d.]+)pt too wide\) .*? at lines? (\d+)(?:--(\d+))?", re.MULTILINE)
_AGAIN = re.compile(r"Rerun to get|Label\(s\) may have changed|\(rerunfilecheck\)", re.MULTILINE)
_UNDEFINED = re.compile(r"Reference `([^']+)' on page")
_MARGIN = 2.0  # points by which a line may stand out before it is reported: less is not seen
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT")
_PROGRAMS = ("xelatex", "rsvg-convert")
_SYMBOLS = ("Noto Sans Math", "Noto Sans Symbols2")  # which the style itself names


def what_is_missing(fonts: tuple[str, ...], lang: str) -> list[tuple[str, str]]:
    """Programs, styles, fonts and a language's patterns that are not here, each with the package that has it.

    The package is "" for one that we do not know.
    """
    missing = [(name, program_package(name)) for name in _PROGRAMS if shutil.which(name) is None]
    if shutil.which("kpsewhich"):
        missing += [(file, tex_package(file)) for file in absent_files(f for need in needed(["pdf"]) for f in need.tex)]
        missing += missing_patterns(lang)
    if shutil.which("fc-list") is None:
        return [*missing, ("fc-list", program_package("fc-list"))]
    return missing + [(font, font_package(font)) for font in absent_fonts((*fonts, *_SYMBOLS))]


def typeset(source: Path, messages: Messages, epoch: int) -> Path | None:
    """The PDF of a LaTeX file, beside it; None when there are errors, which go to `messages`."""
    environment = {name: value for name in _PASSED_ON if (value := os.environ.get(name))}
    environment |= {
        "SOURCE_DATE_EPOCH": str(epoch),
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "10000",
        "error_line": "254",
        "half_error_line": "238",
        "openout_any": "p",
        "openin_any": "p",  # of the book's, TeX reads what lies beside the .tex file only
    }
    command = ["xelatex", "-interaction=nonstopmode", "-file-line-error", "-no-shell-escape", source.name]
    transcript = source.with_suffix(".log")
    for run in range(RUNS):
        before = _auxiliary(source)
        transcript.unlink(missing_ok=True)  # an older one would tell of an older error
        # The last run alone has to make the PDF; whether it is the last shows afterwards.
        try:
            done = subprocess.run(
                command, cwd=source.parent, env=environment, capture_output=True, check=False, timeout=TIME_LIMIT
            )
        except subprocess.TimeoutExpired:
            what = (
                f"XeLaTeX was stopped after {TIME_LIMIT} s: something repeats forever, in a formula or in [pdf] style"
            )
            messages.error(source.name, 0, 0, f"{what}; mend it", "pdf-time")
            return None
        log = transcript.read_text(encoding="utf-8", errors="replace") if transcript.exists() else ""
        if done.returncode:
            said = (done.stdout + done.stderr).decode(errors="replace")
            _report_errors(source, log, said, done.returncode, messages)
            return None
        if run and _auxiliary(source) == before and not _AGAIN.search(log):
            break
    else:
        messages.error(source.name, 0, 0, f"references still move after {RUNS} runs of XeLaTeX", "pdf-unstable")
        return None
    _report_findings(source, log, messages)
    return source.with_suffix(".pdf")


def _auxiliary(source: Path) -> tuple[bytes, ...]:
    paths = (source.with_suffix(suffix) for suffix in (".aux", ".toc", ".out"))
    return tuple(path.read_bytes() if path.exists() else b"" for path in paths)


def place_of(lines: list[str], number: int) -> tuple[str, int]:
    """The page and line that a 1-based line of the LaTeX file was written from."""
    for line in reversed(lines[: max(number, 0)]):
        if found := _PLACE.match(line):
            return found["path"], int(found["line"])
    return "the PDF's frame", 0


def _report_errors(source: Path, log: str, said: str, status: int, messages: Messages) -> None:
    lines = source.read_text(encoding="utf-8").split("\n")
    found = errors_in(log, source.name, lines) or [TexError(reason(said, status))]
    for error in found[:5]:
        path, line = place_of(lines, error.line) if error.line else (source.name, 0)
        messages.error(path, line, 1 if line else 0, _told(error, lines, source.with_suffix(".log")), "pdf-latex")


def _told(error: TexError, lines: list[str], log: Path) -> str:
    if not error.line:
        return f"XeLaTeX stopped: {f'{error.file}: ' if error.file else ''}{error.text}; see {log}"
    written = "".join(lines[error.line - 1 : error.line]).strip()[:60]
    return f"XeLaTeX cannot typeset this: {error.text} at '{written}'; mend it, or see {log}"


def _report_findings(source: Path, log: str, messages: Messages) -> None:
    lines = source.read_text(encoding="utf-8").split("\n")
    for character, font in sorted({(found[1], found[3].split("/")[0]) for found in _MISSING.finditer(log)}):
        number = next((number for number, line in enumerate(lines, 1) if character in line), 0)
        path, line = place_of(lines, number)
        text = f"no font of the PDF has '{character}' (asked for in {font}); write it in another way, or as a formula"
        messages.error(path, line, 1 if line else 0, text, "pdf-glyph")
    for found in _OVERFULL.finditer(log):
        if float(found[1]) > _MARGIN:
            path, line = place_of(lines, int(found[2]))
            text = f"stands {float(found[1]):.0f} pt into the margin of the PDF; break it, or make it shorter"
            messages.warning(path, line, 1 if line else 0, text, "pdf-margin")
    for label in sorted(set(_UNDEFINED.findall(log))):
        messages.error(source.name, 0, 0, f"a reference of the PDF leads nowhere: '{label}'", "pdf-reference")
