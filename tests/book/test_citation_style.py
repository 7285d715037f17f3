"""Styles of CSL: how works are cited and listed in every format, and what is said of a style that cannot be used."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main

HERE = Path(__file__).parent
WORKS = """
@article{li, author = {Li, Mu and Smola, Alexander J. and van der Berg, Jan}, title = {Servers \\& <Parameters>},
  journal = {OSDI}, year = 2014, url = {https://example.org/li}}
@book{Dean:12, author = {Dean, Jeff}, title = {Zeta}, publisher = {Press}, year = 2012}
@misc{team, author = {{The PyTorch Team}}, title = {Alpha}, year = 2019}
@book{unused, author = {Nobody, Ann}, title = {Unread}, year = 2001}
"""
TEXT = "First :cite:`Dean:12`, then :citet:`li` and both :cite:`li,team`.\n\n:bibliography:`works.bib`\n"
CONFIG = "[build]\neval_notebook = false\n"
AUTHOR = "First [Dean 2012], then Li et al. [2014] and both [Li et al. 2014; The PyTorch Team 2019]."
NUMERIC = "First [1], then Li et al. [2] and both [2, 3]."


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "book"
    write_book(root, {"page": TEXT}, CONFIG)
    (root / "works.bib").write_text(WORKS)
    for name in ("author.csl", "numeric.csl"):
        shutil.copy(HERE / name, root)
    monkeypatch.chdir(root)
    return root


def set_style(root: Path, written: str) -> None:
    (root / "config.ini").write_text(f"{CONFIG}[bibliography]\nstyle = {written}\n")


def words(markup: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]*>", "", markup)).split())


def site(root: Path) -> str:
    text = (root / "_build" / "html" / "page.html").read_text()
    return text.partition("<article")[2].partition("</article>")[0]


def entries(root: Path) -> list[str]:
    return [words(entry) for entry in re.findall(r'<li id="cite-.*?</li>', site(root), re.DOTALL)]


def test_names_and_years_on_the_site(root: Path) -> None:
    set_style(root, "author.csl")
    assert main(["html"]) == 0
    assert AUTHOR in words(site(root))
    assert site(root).count('href="#cite-li"') == 2 and "<em>Servers &amp; &lt;Parameters&gt;</em>" in site(root)
    assert [entry.partition(" Cited in")[0] for entry in entries(root)] == [
        "The PyTorch Team. Alpha. 2019.",
        "Li, M., Smola, A.J., van der Berg, J. Servers & <Parameters>. OSDI. 2014. https://example.org/li",
        "Dean, J. Zeta. 2012.",
    ]


def test_numbers_in_the_order_of_the_text(root: Path) -> None:
    set_style(root, "numeric.csl")
    assert main(["html"]) == 0
    assert NUMERIC in words(site(root))
    assert [entry[:9] for entry in entries(root)] == ["[1] J. De", "[2] M. Li", "[3] The P"]
    assert "<em>OSDI</em>" in site(root)


def test_a_citation_that_changes_the_numbers_reaches_every_page(root: Path) -> None:
    write_book(root, {"before": "Text.\n", "page": TEXT}, "")
    set_style(root, "numeric.csl")
    assert main(["html"]) == 0
    (root / "before.md").write_text("# Before\n\nSee :cite:`team`.\n")
    assert main(["html"]) == 0
    assert "First [2], then Li et al. [3] and both [3, 1]." in words(site(root))
    style = (root / "numeric.csl").read_text()
    (root / "numeric.csl").write_text(style.replace('layout prefix="[" suffix="]"', 'layout prefix="{" suffix="}"'))
    assert main(["html"]) == 0
    assert "First {2}" in words(site(root))


@pytest.mark.parametrize(("style", "text"), [("author.csl", AUTHOR), ("numeric.csl", NUMERIC)])
def test_epub_slides_and_notebooks_follow_the_style(root: Path, style: str, text: str) -> None:
    write_book(root, {"page": f"[**{TEXT.split(chr(10))[0]}**]\n\n:bibliography:`works.bib`\n"}, "")
    set_style(root, style)
    assert main(["build", "epub", "slides", "ipynb"]) == 0
    build = root / "_build"
    (path,) = build.rglob("*.epub")
    with zipfile.ZipFile(path) as packed:
        pages = [words(packed.read(name).decode()) for name in packed.namelist() if name.endswith(".xhtml")]
    (deck,) = build.glob("slides/**/page.html")
    (notebook,) = build.glob("ipynb/**/page.ipynb")
    shown = ["".join(cell["source"]) for cell in json.loads(notebook.read_text())["cells"]]
    text_of = " ".join(shown).replace("\\[", "\0").replace("\\]", "\1")
    plain = re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", text_of).replace("\0", "[").replace("\1", "]")
    for found in (" ".join(pages), words(deck.read_text()), plain):
        assert text in found.replace("\xa0", " ")
    listed = "Dean, J. <em>Zeta</em>. 2012." if style == "author.csl" else "1] J. Dean, “Zeta”"
    assert listed in plain


@pytest.mark.tex
def test_the_pdf_follows_the_style(root: Path) -> None:
    set_style(root, "numeric.csl")
    assert main(["pdf"]) == 0
    (path,) = (root / "_build").rglob("*/en/*.pdf")
    done = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True)
    text = " ".join(done.stdout.split())
    assert NUMERIC in text and "[1] J. Dean" in text and "Unread" not in text


def test_without_the_key_citations_are_the_builders(root: Path) -> None:
    assert main(["html"]) == 0
    assert "First (Dean, 2012), then Li et al. (2014)" in words(site(root))


def test_without_citeproc_it_is_said_what_to_install(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "citeproc", None)
    set_style(root, "author.csl")
    assert main(["html"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("config.ini:4:1: error: style: a style needs citeproc-py; run: ")
    assert said.count("[style-citeproc]") == 1 and "First (Dean, 2012)" in words(site(root))


BAD = {
    "not XML": ("Text", "is no CSL style"),
    "not CSL": ("<svg/>", "is no"),
    "invalid": ('<style xmlns="http://purl.org/net/xbiblio/csl"><x/></style>', "is no"),
    "entities": ('<!DOCTYPE style [<!ENTITY a SYSTEM "file:///etc/passwd">]><style>&a;</style>', "has a document type"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_style_that_cannot_be_used_is_one_finding(root: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    content, what = BAD[kind]
    (root / "bad.csl").write_text(content)
    set_style(root, "bad.csl")
    assert main(["check"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"config.ini:4:1: error: style: 'bad.csl' {what}") and said.endswith("[style-csl]")


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("none.csl", "is no file of the book"),
        ("../author.csl", "[path-outside]"),
        ("no-such-style", "is no CSL style: 'no-such-style' not found"),
    ],
)
def test_a_style_that_is_not_there_is_one_finding(
    root: Path, capsys: pytest.CaptureFixture[str], written: str, what: str
) -> None:
    set_style(root, written)
    assert main(["check"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("config.ini:4:1: error: style: ") and what in said


def test_an_installed_style_is_named_without_a_path(root: Path) -> None:
    set_style(root, "harvard-cite-them-right")
    assert main(["html"]) == 0
    assert "(Dean, 2012)" in words(site(root)) and "Dean, J. (2012) Zeta" in words(site(root))
