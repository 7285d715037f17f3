"""XeLaTeX's errors: each is told with what it is and where, in whatever way TeX, a package or a program says it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from books import open_book, write_book

from d2lbook.diagnostics import Messages
from d2lbook.export.pdf.build import build
from d2lbook.export.pdf.tex_errors import TexError, errors_in, reason
from d2lbook.rendering.book_context import BookContext

SOURCE = ["\\documentclass{book}", "\\usepackage{hyperref}", "\\begin{document}", "Words.", "\\last{"]
# hyperref without the font that it asks for, as Debian has it without texlive-fonts-recommended.
NO_FONT = r"""
/usr/share/texlive/texmf-dist/tex/latex/hyperref/hyperref.sty:4872: Font \XeTeXLink@font=pzdr at 0.00002pt not loadable: Metric (TFM) file or installed font not found.
<to be read again>
                   \relax
l.4872   \font\XeTeXLink@font=pzdr at 1sp\relax

I wasn't able to read the size data for this font,
"""  # noqa: E501
NO_FILE = r"""
! LaTeX Error: File `hyperref.sty' not found.

Type X to quit or <RETURN> to proceed,

Enter file name:
./book.tex:3: Emergency stop.
<read *>

l.3 \begin
          {document}^^M
./book.tex:3:  ==> Fatal error occurred, no output PDF file produced!
"""
TOO_EARLY = r"""
Runaway argument?
{
! File ended while scanning use of \last.
<inserted text>
                \par
l.5 \last{

! Emergency stop.
"""
PACKAGE = r"""
./book.tex:2: Package hyperref Error: The option cannot
(hyperref)             be read.

For immediate help type H <return>.
 ...

l.2 \usepackage{hyperref}
"""
LATER = "./book.tex:4: Undefined control sequence.\nl.4 Words.\n./book.tex:4: Undefined control sequence.\n"
DUMP = "[]\\TU/NotoSerif(0)/m/n/10 see a.py:12: words\nLaTeX Warning: Reference `x' on input line 3.\n"


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (
            NO_FONT,
            [
                TexError(
                    r"Font \XeTeXLink@font=pzdr at 0.00002pt not loadable: Metric (TFM) file or installed font not"
                    " found.",
                    0,
                    "/usr/share/texlive/texmf-dist/tex/latex/hyperref/hyperref.sty:4872",
                ),
            ],
        ),
        (NO_FILE, [TexError("LaTeX Error: File `hyperref.sty' not found.")]),
        (TOO_EARLY, [TexError(r"File ended while scanning use of \last.", 5)]),
        (PACKAGE, [TexError("Package hyperref Error: The option cannot be read.", 2)]),
        (LATER, [TexError("Undefined control sequence.", 4)]),
        ("! Emergency stop.\n<*> book.tex\n", [TexError("Emergency stop.")]),
        (
            "./book.tex:9: TeX capacity exceeded, sorry [main memory size=1].\n",
            [
                TexError(
                    "TeX capacity exceeded, sorry [main memory size=1].",
                    9,
                )
            ],
        ),
        (DUMP, []),
    ],
)
def test_an_error_has_its_words_and_its_line(log: str, expected: list[TexError]) -> None:
    assert errors_in(log, "book.tex", SOURCE) == expected


def test_a_line_of_another_file_is_none_of_ours() -> None:
    """TeX tells which line it read, and not of which file: it is ours only when ours reads like this."""
    log = "! File ended while scanning use of \\x.\nl.4 \\endinput\n"
    assert errors_in(log, "book.tex", SOURCE) == [TexError(r"File ended while scanning use of \x.")]
    assert errors_in(log.replace("l.4", "l.44"), "book.tex", SOURCE)[0].line == 0


@pytest.mark.parametrize(
    ("said", "status", "expected"),
    [
        ("", -9, "it was ended by signal 9 and printed nothing"),
        ("This is XeTeX\n", 1, "it ended with status 1; its last line was: This is XeTeX"),
        (
            "This is XeTeX\nI can't find the format file `xelatex.fmt'!\nkpathsea: Running mktexfmt xelatex.fmt\n",
            1,
            "I can't find the format file `xelatex.fmt'!",
        ),
        (
            "xdvipdfmx:warning: a glyph\nError 256 (driver return code) generating output;\n"
            'xdvipdfmx:fatal: Cannot proceed without .vf or "physical" font\n',
            1,
            'xdvipdfmx:fatal: Cannot proceed without .vf or "physical" font',
        ),
        (
            "Error 256 (driver return code) generating output;\nfile a.pdf may not be valid.\n",
            1,
            "Error 256 (driver return code) generating output;",
        ),
    ],
)
def test_without_an_error_in_the_log_there_is_a_reason_all_the_same(said: str, status: int, expected: str) -> None:
    assert reason(said, status) == expected


def built(root: Path) -> list[str]:
    book, config = open_book(root)
    messages = Messages()
    assert build(BookContext.of(book, config, ["a"], messages)) == []
    return [str(message) for message in messages]


@pytest.mark.tex
@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (r"\usepackage{nosuchpackage}", "XeLaTeX stopped: LaTeX Error: File `nosuchpackage.sty' not found.; see "),
        (
            r"\font\missing=nosuchfont \relax",
            r"the PDF's frame: error: XeLaTeX cannot typeset this: Font \missing=nosuchfont not loadable: Metric (TFM)"
            r" file or installed font not found. at '\font\missing=nosuchfont \relax'; mend it, or see ",
        ),
    ],
)
def test_a_style_that_asks_for_what_is_not_there(tmp_path: Path, style: str, expected: str) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "Fine.\n"}, "[build]\ntabs = a\n[pdf]\nstyle = own.tex\n")
    (root / "own.tex").write_text(style + "\n")
    assert expected in built(root)[0]


@pytest.mark.tex
def test_a_program_that_stops_without_a_word_is_not_told_with_an_older_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "Fine.\n"}, "[build]\ntabs = a\n")
    work = root / "_build" / "latex" / "en" / "a"
    work.mkdir(parents=True)
    (work / "a.log").write_text("./a.tex:1: An older error.\n")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "xelatex").write_text("#!/bin/sh\nkill -9 $$\n")
    (programs / "xelatex").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (message,) = built(root)
    assert message.startswith("a.tex: error: XeLaTeX stopped: it was ended by signal 9 and printed nothing; see ")
