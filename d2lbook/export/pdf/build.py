"""Builds the PDFs: one per framework, made anew only when something in it changed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.fresh import epoch, fresh_runs
from d2lbook.export.made import tab_label
from d2lbook.export.pdf.escape import escape, has_cjk
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.pages import BookText, bibliography, book_text, index_of
from d2lbook.export.pdf.tex import typeset, what_is_missing
from d2lbook.files import read_text, write_atomic
from d2lbook.messages import Messages
from d2lbook.model import Book

TEMPLATE = Path(__file__).resolve().parents[2] / "static" / "latex" / "book.tex"
CJK_FONTS = ("Noto Serif CJK KR",)
CJK = r"\newfontfamily\cjkfont{Noto Serif CJK KR}[AutoFakeSlant]\newcommand{\cjk}[1]{{\cjkfont #1}}"
DEFAULT_FONTS = {"main_font": "Noto Serif", "sans_font": "Noto Sans", "mono_font": "Noto Sans Mono"}


def pdf_path(config: Config, tab: str) -> Path:
    return config.output_dir / "pdf" / config.lang / f"{tab}.pdf"


def build(book: Book, config: Config, tabs: Sequence[str], messages: Messages) -> list[Path]:
    """Writes `_build/pdf/LANG/TAB.pdf`; the paths. A framework with errors keeps its last good PDF."""
    fonts = {key: config.value("pdf", key, font) for key, font in DEFAULT_FONTS.items()}
    if missing := what_is_missing((*fonts.values(), *_cjk_fonts(book))):
        _report_missing(missing, config, messages)
        return []
    paths = []
    for tab in tabs:
        found = Messages(messages.strict)
        path = _build_one(book, config, tab, fonts, found)
        messages.extend(found)
        if path is not None:
            paths.append(path)
    return paths


def _cjk_fonts(book: Book) -> tuple[str, ...]:
    """Fonts of Korean, Chinese and Japanese, where a page has such characters."""
    return CJK_FONTS if any(has_cjk(page.document.text) for page in book.pages) else ()


def _report_missing(missing: list[tuple[str, str]], config: Config, messages: Messages) -> None:
    packages = sorted({package for _, package in missing if package})
    names = ", ".join(name for name, _ in missing)
    how = f"; on Debian: apt-get install {' '.join(packages)}" if packages else ""
    if any(not package for _, package in missing):
        how += f"; a font that {config.name_in_messages} names in [pdf] has to be installed"
    messages.error(config.name_in_messages, config.line("pdf", ""), 0, f"the PDF needs {names}{how}", "pdf-missing")


def _build_one(book: Book, config: Config, tab: str, fonts: dict[str, str], messages: Messages) -> Path | None:
    work = config.output_dir / "latex" / config.lang / tab
    runs = fresh_runs(book, config, tab, messages)
    images = Images(config.output_dir / ".cache" / "drawings")
    text = book_text(book, config, tab, runs, images, messages)
    if messages.failed:
        return None
    source = _filled(text, book, config, tab, fonts)
    target = pdf_path(config, tab)
    stamp, mark = work / "built", hashlib.sha256(source.encode()).hexdigest()
    if target.exists() and stamp.exists() and stamp.read_text() == mark:
        return target
    work.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    main = work / f"{tab}.tex"
    write_atomic(main, source, durable=False)
    if not _post(main, config, messages):
        return None
    made = typeset(main, messages, epoch(config.root))
    if made is None or messages.failed:
        return None
    write_atomic(target, made.read_bytes())
    if not messages.found:  # findings are told again until they are mended
        stamp.write_text(mark)
    return target


def _post(main: Path, config: Config, messages: Messages) -> bool:
    """Runs the Python program that `[pdf] post_latex` names; it may change the LaTeX file that it is given."""
    name = config.value("pdf", "post_latex")
    if not name:
        return True
    command = [sys.executable, str(config.root / name), str(main)]
    done = subprocess.run(command, cwd=config.root, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        line = config.line("pdf", "post_latex")
        messages.error(config.name_in_messages, line, 1, f"'{name}' failed: {reason}; mend it or remove it", "pdf-post")
    return not done.returncode


def _filled(text: BookText, book: Book, config: Config, tab: str, fonts: dict[str, str]) -> str:
    several = len(book.tabs) > 1
    release = f"release {config.release}" if config.release else ""
    subtitle = " · ".join(part for part in (f"with {tab_label(tab)}" if several else "", release) if part)
    body = "".join(text.body)
    parts = {
        **fonts,
        "language": CJK if has_cjk(body) else "",
        "pdf_title": escape(f"{config.title}, {tab_label(tab)}" if several else config.title),
        "pdf_author": escape(config.author),
        "title": escape(config.title),
        "subtitle": escape(subtitle),
        "author": escape(config.author),
        "copyright": escape(config.copyright),
        "logo": _logo(config),
        "style": _style(config),
        "body": body,
        "solutions": _part("Solutions", "".join(text.solutions), r"\sectionmark{Solutions}" + "\n"),
        "bibliography": _part("References", bibliography(book, text.cited)),
        "index": _part(
            "Index of Saved Names", _columns(index_of(text.saved)),
            "Functions, classes and methods of the package \\inlinecode{d2l}, with the page that defines them.\n\n",
        ),
    }  # fmt: skip
    source = TEMPLATE.read_text(encoding="utf-8")
    for name, value in parts.items():
        source = source.replace(f"@{name}@", value)
    return source


def _part(title: str, body: str, introduction: str = "") -> str:
    """A chapter without number, if there is something in it."""
    return f"\\bookheading{{chapter}}{{}}{{{title}}}{{{title}}}\n{introduction}{body}\n" if body.strip() else ""


def _columns(body: str) -> str:
    return f"\\begin{{multicols}}{{2}}\\small\n{body}\\end{{multicols}}\n" if body else ""


def _logo(config: Config) -> str:
    name = config.value("pdf", "latex_logo")
    if not name:
        return ""
    path = Images(config.output_dir / ".cache" / "drawings").file(config.root / name)
    return f"\\includegraphics[height=18mm]{{{path.as_posix()}}}\\par\\bigskip\n"


def _style(config: Config) -> str:
    """What `[pdf] style` names: a file of LaTeX of the book's own, the last word before the text begins."""
    name = config.value("pdf", "style")
    return read_text(config.root / name) if name else ""
