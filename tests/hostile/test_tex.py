"""Row 4: TeX reads nothing but its own folder, sets no formula that KaTeX refuses, and comes to an end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from books import cell, freeze_output, open_book, write_book

from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.pdf import tex
from d2lbook.export.pdf.build import build
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.figures import BadPicture, run_converter

SECRET = "asecretofthismachine"
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0V9"/></svg>\n'
REFUSED = [
    r"\text{\input{@/secret.txt}}",
    r"\input{@/secret.txt}",
    r"\def\x{\x}\x",
    r"\includegraphics{@/secret.png}",
    r"\href{file:///etc/passwd}{x}",
    r"\url{https://evil.example}",
    r"\openin5=@/secret.txt",
    r"\csname input\endcsname",
]


def text_of(pdf: Path) -> str:
    return subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout


def test_a_formula_that_katex_refuses_never_reaches_tex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    formulas = [formula.replace("@", tmp_path.as_posix()) for formula in REFUSED]
    texts = [f"$${formula}$$\n\nText ${formula}$ on.\n\n| ${formula}$ |\n|---|\n| a |\n" for formula in formulas]
    write_book(tmp_path, {"page": "\n".join(texts)}, CONFIG)
    monkeypatch.chdir(tmp_path)
    assert main(["pdf"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len([line for line in said if line.startswith("page.md:") and line.endswith("[formula-syntax]")]) == len(
        said
    )
    assert len(said) == 3 * len(REFUSED)
    (source,) = (tmp_path / "_build").rglob("pytorch.tex")
    written = source.read_text()
    body = written[written.index("\\begin{document}") :]
    assert "secret" in body  # shown, as code and in the messages
    for command in ("\\input", "\\def\\x", "\\includegraphics{/", "\\href{file", "\\url{https", "\\openin", "\\csname"):
        assert command not in body.replace("\\textbackslash{}", "")


def test_latex_that_a_cell_put_out_is_formulas_only(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    latex = r"\input{@/secret.txt} and $\input{@/secret.txt}$ and \write18{touch x} and $\frac{a}{b}$"
    write_book(tmp_path, {"page": cell("show()")}, "[build]\ntabs = pytorch\n")
    freeze_output(tmp_path, "page", "pytorch", {"text/latex": latex.replace("@", tmp_path.as_posix())})
    book, config = open_book(tmp_path)
    (pdf,) = build(BookContext.of(book, config, ("pytorch",), Messages()))
    assert SECRET not in text_of(pdf)
    source = (tmp_path / "_build" / "latex" / "en" / "pytorch" / "pytorch.tex").read_text()
    assert r"\input{/" not in source and r"\write18" not in source
    assert r"\(\frac{a}{b}\)" in source


def test_tex_reads_no_file_from_elsewhere(tmp_path: Path) -> None:
    """Whatever a style of the book's own asks for."""
    (tmp_path / "secret.txt").write_text(SECRET)
    root = tmp_path / "book"
    write_book(root, {"page": "Text.\n"}, CONFIG + "[pdf]\nstyle = style.tex\n")
    style = r"\AtBeginDocument{\InputIfFileExists{@}{}{}}"
    for place in (tmp_path / "secret.txt", "../../../../../secret.txt"):
        (root / "style.tex").write_text(style.replace("@", str(place)))
        book, config = open_book(root)
        for pdf in build(BookContext.of(book, config, ("pytorch",), Messages())):
            assert SECRET not in text_of(pdf)


def test_tex_that_does_not_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tex, "TIME_LIMIT", 2)
    write_book(tmp_path, {"page": "Text.\n"}, CONFIG + "[pdf]\nstyle = style.tex\n")
    (tmp_path / "style.tex").write_text(r"\def\x{\x}\x")
    book, config = open_book(tmp_path)
    messages = Messages()
    assert build(BookContext.of(book, config, ("pytorch",), messages)) == []
    assert [message.code for message in messages] == ["pdf-time"]


def test_a_converter_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("d2lbook.rendering.figures.CONVERTER_LIMIT", 0.1)
    with pytest.raises(BadPicture, match="stopped"):
        run_converter(["sleep", "9"], SVG)


def test_the_books_own_path_may_have_any_sign(tmp_path: Path) -> None:
    root = tmp_path / "a #1 100% book~b_c&d"
    write_book(root, {"page": "![A](a.svg)\n:alt:`a`\n"}, CONFIG)
    (root / "a.svg").write_text(SVG)
    messages = Messages()
    book, _ = open_book(root)
    (pdf,) = build(BookContext.of(book, load(root / "config.ini", messages), ("pytorch",), messages))
    assert pdf.exists() and not messages.failed


def test_a_changed_figure_makes_the_pdf_anew(tmp_path: Path) -> None:
    write_book(tmp_path, {"page": "![A](a.svg)\n:alt:`a`\n"}, CONFIG)
    (tmp_path / "a.svg").write_text(SVG)
    book, config = open_book(tmp_path)
    (pdf,) = build(BookContext.of(book, config, ("pytorch",), Messages()))
    before = pdf.read_bytes()
    (tmp_path / "a.svg").write_text(SVG.replace('<path d="M0 0V9"/>', '<rect width="9" height="9"/>'))
    build(BookContext.of(book, config, ("pytorch",), Messages()))
    assert pdf.read_bytes() != before
    images = list((tmp_path / "_build" / "latex" / "en" / "pytorch" / "images").iterdir())
    assert len(images) == 1
