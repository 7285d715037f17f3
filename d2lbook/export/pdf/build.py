"""Builds the PDFs: one per framework, made anew only when something in it changed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from d2lbook.config import UNTRUSTED, Config
from d2lbook.config.keys import BY_PLACE
from d2lbook.diagnostics import Messages
from d2lbook.export.pdf.backmatter import BookText, bibliography, index_of
from d2lbook.export.pdf.escape import escape, has_cjk
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.language import ARGUMENT, cjk_fonts, is_cjk, phrase, preamble
from d2lbook.export.pdf.pages import book_text
from d2lbook.export.pdf.tex import typeset, what_is_missing
from d2lbook.files import read_text, write_atomic
from d2lbook.frameworks import label_of
from d2lbook.model import UiStrings
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.epoch import epoch
from d2lbook.rendering.typesetting import typeset as check_formulas
from d2lbook.system_packages import hint

TEMPLATE = Path(__file__).resolve().parents[2] / "static" / "latex" / "book.tex"
DEFAULT_FONTS = {name: BY_PLACE["pdf", name].default for name in ("main_font", "sans_font", "mono_font")}


def pdf_path(config: Config, tab: str) -> Path:
    return config.output_dir / "pdf" / config.lang / f"{tab}.pdf"


def build(context: BookContext) -> list[Path]:
    """Writes `_build/pdf/LANG/TAB.pdf`; the paths. A framework with errors keeps its last good PDF."""
    book, config, messages = context.book, context.config, context.messages
    fonts = {key: config.value("pdf", key, font) for key, font in DEFAULT_FONTS.items()}
    with_cjk = is_cjk(config.lang) or any(has_cjk(page.document.text) for page in book.pages)
    cjk = cjk_fonts(config.lang) if with_cjk else ()
    if missing := what_is_missing((*fonts.values(), *cjk), config.lang):
        _report_missing(missing, config, messages)
        return []
    wrong = messages.apart()
    check_formulas(book.pages, context.formulas, wrong)
    messages.extend(wrong)
    if wrong.failed and not config.goes_on:
        return []
    jobs = [_written(context.apart(), tab, fonts) for tab in context.tabs]
    context.formulas.close()
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # which wait for XeLaTeX, a process each
        paths = list(threads.map(_typeset, jobs))
    for job in jobs:
        messages.extend(job.context.messages)
    return [path for path in paths if path is not None]


@dataclass(frozen=True, slots=True)
class _Job:
    """One framework's PDF: what it is made from, written; empty when there are errors."""

    context: BookContext
    tab: str
    source: str
    images: Images


def _report_missing(missing: list[tuple[str, str]], config: Config, messages: Messages) -> None:
    packages = sorted({package for _, package in missing if package})
    names = ", ".join(name for name, _ in missing)
    how = f"; {hint(packages)}" if packages else ""
    if any(not package for _, package in missing):
        how += f"; a font that {config.name_in_messages} names in [pdf] has to be installed"
    messages.error(config.name_in_messages, config.line("pdf", ""), 0, f"the PDF needs {names}{how}", "pdf-missing")


def _written(context: BookContext, tab: str, fonts: dict[str, str]) -> _Job:
    images = Images(context.config.output_dir / ".cache" / "drawings", context.lang, context.book.drawings)
    text = book_text(context, tab, images)
    fails = context.messages.failed and not context.config.goes_on
    source = "" if fails else _filled(text, context, tab, fonts, images)
    return _Job(context, tab, source, images)


def _typeset(job: _Job) -> Path | None:
    config, messages = job.context.config, job.context.messages
    if not job.source:
        return None
    work, target = config.output_dir / "latex" / config.lang / job.tab, pdf_path(config, job.tab)
    cache, name = job.context.cache, f"pdf-{config.lang}-{job.tab}"
    made_of = hashlib.sha256(job.source.encode()).hexdigest()
    if cache.outputs(name, made_of) is not None:
        return target
    work.mkdir(parents=True, exist_ok=True)
    cache.forget(name)
    main = work / f"{job.tab}.tex"
    write_atomic(main, job.source, durable=False)
    job.images.copy_to(work)
    if not _post(main, config, messages):
        return None
    found = messages.apart()
    made = typeset(main, found, epoch(config.root))
    messages.extend(found)
    if made is None or found.failed:
        return None
    write_atomic(target, made.read_bytes())
    if not messages.found:  # findings are told again until they are mended
        cache.mark(name, made_of, [target])
    return target


def _post(main: Path, config: Config, messages: Messages) -> bool:
    """Runs the Python program that `[pdf] post_latex` names; it may change the LaTeX file that it is given."""
    name = config.value("pdf", "post_latex")
    if not name:
        return True
    if not config.trusted:
        line = config.line("pdf", "post_latex")
        messages.error(config.name_in_messages, line, 1, f"post_latex: '{name}' {UNTRUSTED}", "program-untrusted")
        return False
    command = [sys.executable, "-P", str(config.root / name), str(main)]
    done = subprocess.run(command, cwd=config.root, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        line = config.line("pdf", "post_latex")
        messages.error(config.name_in_messages, line, 1, f"'{name}' failed: {reason}; mend it or remove it", "pdf-post")
    return not done.returncode


def _filled(text: BookText, context: BookContext, tab: str, fonts: dict[str, str], images: Images) -> str:
    book, config = context.book, context.config
    words, several = book.words, len(book.tabs) > 1
    release = words("release {release}", release=config.release) if config.release else ""
    framework = words("with {framework}", framework=label_of(tab)) if several else ""
    subtitle = " · ".join(part for part in (framework, release) if part)
    body = "".join(text.body)
    title, author, rights = escape(config.title), escape(config.author), escape(config.copyright)
    with_cjk = is_cjk(config.lang) or has_cjk("".join((body, *text.solutions, title, author, rights)))
    parts = {
        "language": preamble(config.lang, config.source_lang, fonts, with_cjk),
        "pdf_title": escape(f"{config.title}, {label_of(tab)}" if several else config.title),
        "pdf_author": author,
        "title": title,
        "subtitle": escape(subtitle),
        "author": author,
        "copyright": rights,
        "contents": escape(words("Contents")),
        "chapter": phrase(words("Chapter {number}", number=ARGUMENT), r"\thechapter"),
        "appendix": phrase(words("Appendix {number}", number=ARGUMENT), r"\thechapter"),
        "solution_place": phrase(words("Solution on page {page}", page=ARGUMENT), r"\pageref*{#2}"),
        "solution_number": phrase(words("Solution {number}", number=ARGUMENT), "#1"),
        "exercise_place": phrase(words("(exercise on page {page})", page=ARGUMENT), r"\pageref*{#3}"),
        "logo": _logo(config, images),
        "style": _style(config),
        "body": body,
        "solutions": _solutions(text, words),
        "bibliography": _part(words("References"), bibliography(book, text.cited)),
        "index": _index(text, words),
    }
    source = TEMPLATE.read_text(encoding="utf-8")
    for name, value in parts.items():
        source = source.replace(f"@{name}@", value)
    return source


def _solutions(text: BookText, words: UiStrings) -> str:
    title = words("Solutions")
    return _part(title, "".join(text.solutions), f"\\sectionmark{{{escape(title)}}}\n")


def _index(text: BookText, words: UiStrings) -> str:
    introduction = words(
        "Functions, classes and methods of the package {package}, with the page that defines them.", package=ARGUMENT
    )
    names = _columns(index_of(text.saved))
    return _part(words("Index of Saved Names"), names, phrase(introduction, r"\inlinecode{d2l}") + "\n\n")


def _part(title: str, body: str, introduction: str = "") -> str:
    """A chapter without number, if there is something in it."""
    shown = escape(title)
    return f"\\bookheading{{chapter}}{{}}{{{shown}}}{{{shown}}}\n{introduction}{body}\n" if body.strip() else ""


def _columns(body: str) -> str:
    return f"\\begin{{multicols}}{{2}}\\small\n{body}\\end{{multicols}}\n" if body else ""


def _logo(config: Config, images: Images) -> str:
    name = config.value("pdf", "latex_logo")
    if not name:
        return ""
    path = images.place(images.file(config.root / name))
    return f"\\includegraphics[height=18mm]{{{path}}}\\par\\bigskip\n"


def _style(config: Config) -> str:
    """What `[pdf] style` names: a file of LaTeX of the book's own, the last word before the text begins."""
    name = config.value("pdf", "style")
    return read_text(config.root / name) if name else ""
