"""Input that a format cannot take: one clear message however many formats it stops, and the others go on."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from books import cell, freeze, freeze_output, write_book

from d2lbook.cli import main

CONFIG = "[project]\nname = small\nd2l_address = https://book.example.org/d2l.whl\n[build]\ntabs = a\n"
GOOD = "[**A slide.**] Words.\n\n" + cell("1 + 1")
FIGURE = "[**A slide.**]\n\n![A picture]({})\n:alt:`It shows.`\n"
MADE = {  # a file of each format
    "html": "html/good.html",
    "ipynb": "ipynb/en/a/good.ipynb",
    "pdf": "pdf/en/a.pdf",
    "epub": "epub/en/a.epub",
    "slides": "slides/en/a/good.html",
    "colab": "colab/en/a/good.ipynb",
}


class Made:
    """What a build of several formats left and said."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str], stages: str) -> None:
        self.root = root
        before = Path.cwd()
        os.chdir(root)
        try:
            self.status = main(["build", *stages.split()])
        finally:
            os.chdir(before)
        said = capsys.readouterr()
        self.out, self.messages = said.out, said.err.splitlines()

    @property
    def formats(self) -> str:
        return " ".join(name for name, path in MADE.items() if (self.root / "_build" / path).is_file())


def write(root: Path, pages: dict[str, str], config: str = CONFIG, files: dict[str, bytes] | None = None) -> Path:
    write_book(root, pages, config)
    for name, content in (files or {}).items():
        (root / name).write_bytes(content)
    for name, text in pages.items():
        if ".input" in text:
            freeze(root, name, "a")
    return root


def test_a_drawing_that_is_none_is_marked_in_what_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"bad.svg": b'<svg xmlns="http://www.w3.org/2000/svg">\n<text>a</g></svg>'}
    root = write(tmp_path / "book", {"good": GOOD, "bad": FIGURE.format("bad.svg")}, files=files)
    made = Made(root, capsys, "html ipynb pdf epub slides colab")
    assert made.messages == [
        "bad.md:6:1: error: figure 'bad.svg': this drawing is not well-formed SVG: mismatched tag: line 2, column 9;"
        " open it in a browser and mend it [figure-unreadable]"
    ]
    assert made.status == 1 and made.formats == "html ipynb pdf epub slides colab"
    for place in ("html/bad.html", "slides/en/a/bad.html", "colab/en/a/bad.ipynb"):
        assert "figure-unreadable" in (root / "_build" / place).read_text()


def test_a_drawing_that_does_not_convert_is_marked_in_the_pdf_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"bad.svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>'}  # without a size
    root = write(tmp_path / "book", {"good": GOOD, "bad": FIGURE.format("bad.svg")}, files=files)
    made = Made(root, capsys, "html pdf epub slides colab")
    (message,) = made.messages
    assert message.startswith("bad.md:6:1: error: figure 'bad.svg': rsvg-convert cannot read this drawing: ")
    assert made.status == 1 and made.formats == "html pdf epub slides colab"
    assert "figure-unreadable" in (root / "_build/latex/en/a/a.tex").read_text()
    assert 'class="fault"' not in (root / "_build/html/bad.html").read_text()


def test_a_bitmap_of_50_megabytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"bad.png": bytes(50_000_000)}
    root = write(tmp_path / "book", {"good": GOOD, "bad": FIGURE.format("bad.png")}, files=files)
    made = Made(root, capsys, "ipynb pdf epub slides colab")
    assert made.messages == [
        "bad.md:6:1: error: figure 'bad.png': a bitmap of 50 MB; reduce it to less than 10 MB [figure-large]"
    ]
    assert made.status == 1 and made.formats == "ipynb pdf epub slides colab"
    assert "pdf: with faults; what cannot be built is as it was before\n" in made.out


def test_a_page_without_cells_is_no_trouble(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(tmp_path / "book", {"good": GOOD, "words": "Only words.\n", "title": ""})
    made = Made(root, capsys, "ipynb pdf epub slides colab pkg")
    assert (made.status, made.messages, made.formats) == (0, [], "ipynb pdf epub slides colab")
    assert (root / "_build/colab/en/a/title.ipynb").is_file() and not (root / "_build/slides/en/a/words.html").exists()


def test_an_output_that_only_browsers_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(tmp_path / "book", {"good": GOOD, "bad": "[**A slide.**]\n\n" + cell("1")})
    freeze_output(root, "bad", "a", {"text/html": "<b>bold</b>"})
    made = Made(root, capsys, "pdf epub slides colab")
    assert made.messages == [
        "bad.md:6:1: warning: [a] PDF, ePub and slides leave out an output that is only text/html;"
        " let the cell give text as well [output-print]"
    ]
    assert (made.status, made.formats) == (0, "pdf epub slides colab")


def test_a_missing_font_stops_the_pdf_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = write(tmp_path / "book", {"good": GOOD}, CONFIG + "[pdf]\nmain_font = No Such Font\n")
    made = Made(root, capsys, "pdf epub slides colab")
    (message,) = made.messages
    assert message.startswith("config.ini:6: error: the PDF needs No Such Font; ") and message.endswith("[pdf-missing]")
    assert made.status == 1 and made.formats == "epub slides colab"


def test_missing_programs_are_named_with_their_packages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "book", {"good": GOOD})
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "fc-list", "rsvg-convert"):  # but no TeX
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(programs))
    made = Made(root, capsys, "pdf epub slides colab")
    assert made.messages == [
        "config.ini: error: the PDF needs xelatex; on Debian: apt-get install texlive-xetex [pdf-missing]"
    ]
    assert made.status == 1 and made.formats == "epub slides colab"


def test_a_latex_package_that_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "book", {"good": GOOD})
    programs = tmp_path / "bin"
    programs.mkdir()
    real = shutil.which("kpsewhich")
    (programs / "kpsewhich").write_text(f'#!/bin/sh\n{real} "$@" | grep -v titlesec.sty\n')
    (programs / "kpsewhich").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    made = Made(root, capsys, "pdf epub")
    assert made.messages == [
        "config.ini: error: the PDF needs titlesec.sty; on Debian: apt-get install texlive-latex-extra [pdf-missing]"
    ]
    assert made.status == 1 and made.formats == "epub"


def test_a_platform_without_repository_stops_its_notebooks_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path / "book", {"good": GOOD}, CONFIG + "[colab]\ngpu_pattern = x\n")
    made = Made(root, capsys, "colab sagemaker epub slides")
    (message,) = made.messages
    assert message.startswith("config.ini:6:1: error: [colab] no github_repo; ")
    assert message.endswith("[hosted-repository]")
    assert made.status == 1 and made.formats == "epub slides"
    assert (root / "_build/sagemaker/en/a/good.ipynb").is_file()


def test_a_target_that_is_not_there_stops_the_publishing_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "book", {"good": GOOD})
    monkeypatch.chdir(root)
    assert main(["build", "epub", "deploy", "slides", "--target", "nowhere"]) == 1
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith("--target: error: 'nowhere' is not a directory that is there; ")
    assert (root / "_build/epub/en/a.epub").is_file() and (root / "_build/slides/en/a/good.html").is_file()
    assert not (root / "_build/deploy").exists()
