"""Runs XeLaTeX until the references stand, and says in the book's terms what went wrong."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from d2lbook.export.pdf.language import missing_patterns
from d2lbook.messages import Messages

RUNS = 5  # after which references that still move are an error
_PLACE = re.compile(r"^%@ (?P<path>.+):(?P<line>\d+)$")
_ERROR = re.compile(r"^(?:\./)?[^\s:]+\.tex:(\d+): (.*)$", re.MULTILINE)
_MISSING = re.compile(r"^Missing character: There is no (\S+)(?: \(U\+(\w+)\))? in font (.+?)!", re.MULTILINE)
_OVERFULL = re.compile(r"^Overfull \\hbox \(([\d.]+)pt too wide\) .*? at lines? (\d+)(?:--(\d+))?", re.MULTILINE)
_AGAIN = re.compile(r"Rerun to get|Label\(s\) may have changed|\(rerunfilecheck\)", re.MULTILINE)
_UNDEFINED = re.compile(r"Reference `([^']+)' on page")
_MARGIN = 2.0  # points by which a line may stand out before it is reported: less is not seen
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, the Debian package that has it."""

    program: str
    package: str


TOOLS = (Tool("xelatex", "texlive-xetex"), Tool("rsvg-convert", "librsvg2-bin"))
# LaTeX packages of the preamble beyond those of texlive-xetex, as Debian packs them.
STYLES = {
    "titlesec.sty": "texlive-latex-extra", "needspace.sty": "texlive-latex-extra",
    "enumitem.sty": "texlive-latex-extra", "framed.sty": "texlive-latex-extra",
    "booktabs.sty": "texlive-latex-recommended", "fontspec.sty": "texlive-latex-recommended",
    "ulem.sty": "texlive-plain-generic", "amsmath.sty": "texlive-latex-base",
}  # fmt: skip
FONTS = {
    "Noto Serif": "fonts-noto-core", "Noto Sans": "fonts-noto-core", "Noto Sans Mono": "fonts-noto-mono",
    "Noto Sans Math": "fonts-noto-core", "Noto Sans Symbols2": "fonts-noto-core",
}  # fmt: skip


def what_is_missing(fonts: tuple[str, ...], lang: str) -> list[tuple[str, str]]:
    """Programs, styles, fonts and a language's patterns that are not here, each with its Debian package.

    The package is "" for one that we do not know.
    """
    missing = [(tool.program, tool.package) for tool in TOOLS if shutil.which(tool.program) is None]
    if shutil.which("kpsewhich"):
        missing += [(style, package) for style, package in STYLES.items() if not _answer(["kpsewhich", style])]
        missing += missing_patterns(lang)
    if shutil.which("fc-list") is None:
        return [*missing, ("fc-list", "fontconfig")]
    wanted = dict.fromkeys((*fonts, "Noto Sans Math", "Noto Sans Symbols2"))
    lacking = [font for font in wanted if not _answer(["fc-list", f":family={font}", "family"])]
    return missing + [(font, "fonts-noto-cjk" if " CJK " in font else FONTS.get(font, "")) for font in lacking]


def _answer(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def typeset(source: Path, messages: Messages, epoch: int) -> Path | None:
    """The PDF of a LaTeX file, beside it; None when there are errors, which go to `messages`."""
    environment = {name: value for name in _PASSED_ON if (value := os.environ.get(name))}
    environment |= {
        "SOURCE_DATE_EPOCH": str(epoch), "FORCE_SOURCE_DATE": "1", "max_print_line": "10000", "error_line": "254",
        "half_error_line": "238", "openout_any": "p",
    }  # fmt: skip
    command = ["xelatex", "-interaction=nonstopmode", "-file-line-error", "-no-shell-escape", source.name]
    log = ""
    for run in range(RUNS):
        before = _auxiliary(source)
        # The last run alone has to make the PDF; whether it is the last shows afterwards.
        done = subprocess.run(command, cwd=source.parent, env=environment, capture_output=True, check=False)
        log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
        if done.returncode:
            _report_errors(source, log, messages)
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


def _report_errors(source: Path, log: str, messages: Messages) -> None:
    lines = source.read_text(encoding="utf-8").split("\n")
    found = list(_ERROR.finditer(log))
    if not found:
        last = [line for line in log.splitlines() if line.startswith("!")][:1] or ["it gave no reason"]
        messages.error(source.name, 0, 0, f"XeLaTeX stopped: {last[0]}; see {source.with_suffix('.log')}", "pdf-latex")
    for error in found[:5]:
        path, line = place_of(lines, int(error[1]))
        written = lines[int(error[1]) - 1].strip()[:60]
        text = f"XeLaTeX cannot typeset this: {error[2]} at '{written}'; mend it, or see {source.with_suffix('.log')}"
        messages.error(path, line, 1 if line else 0, text, "pdf-latex")


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
