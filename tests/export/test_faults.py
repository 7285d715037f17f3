"""A build goes on: what can be built of a book with errors is built, and its pages show them."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest
from books import cell, freeze, write_book

from d2lbook.book import load_book
from d2lbook.book.faults import marked, with_faults
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Message, Messages
from d2lbook.model import Fault, Solution, TabProse

CONFIG = "[project]\nname = small\nd2l_address = https://book.example.org/d2l.whl\n[build]\ntabs = a\n"
GOOD = "[**A slide.**] Words.\n\n" + cell("1 + 1")
PAGES = {
    "good": GOOD,
    "label": "[**A slide.**] See :numref:`sec_nowhere`.\n\nThe end.\n",
    "formula": "[**A slide.**]\n\nThe rate is $\\frac{1$ here.\n\nThe end.\n",
    "figure": "[**A slide.**]\n\n![A picture](missing.svg)\n:alt:`It shows.`\n\nThe end.\n",
    "result": "[**A slide.**] Not run.\n\n" + cell("2 + 2"),
}
FAULTS = {  # of each page: the place, a word of the message, the code
    "label": ("label.md:4:20", "no page defines it", "label-undefined"),
    "formula": ("formula.md:6:", "mend this formula", "formula-syntax"),
    "figure": ("figure.md:6:1", "missing.svg", "figure-missing"),
    "result": ("result.md", "the result for a is missing", "result-missing"),
}
MARK = 'class="fault"'
SITE, EPUB, SLIDES = "html/{}.html", "epub/en/a.epub", "slides/en/a/{}.html"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book with a good page and one page for each fault."""
    write_book(tmp_path, {"good": GOOD}, CONFIG)
    freeze(tmp_path, "good", "a")
    write_book(tmp_path, PAGES, CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mended(root: Path) -> None:
    for name in FAULTS:
        (root / f"{name}.md").write_text("# The Page\n\n[**A slide.**] Right.\n")


def built(root: Path, place: str) -> str:
    return (root / "_build" / place).read_text(encoding="utf-8")


def chapters(root: Path) -> dict[str, str]:
    with zipfile.ZipFile(root / "_build" / EPUB) as archive:
        return {name.rpartition("/")[2]: archive.read(name).decode() for name in archive.namelist() if "html" in name}


@pytest.mark.parametrize("name", FAULTS)
def test_the_site_has_every_page_and_each_fault_where_it_is(
    root: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["html"]) == 1
    place, text, code = FAULTS[name]
    assert any(line.startswith(place) and line.endswith(f"[{code}]") for line in capsys.readouterr().err.splitlines())
    page = built(root, SITE.format(name))
    (mark,) = (line for line in page.splitlines() if MARK in line)
    assert place in mark and text in mark and code in mark
    assert MARK not in built(root, SITE.format("good"))
    if "The end." in PAGES[name]:  # directly behind the block that has the fault
        assert page.index(MARK) < page.index("The end.")


def test_a_formula_that_cannot_be_set_is_shown_as_code(root: Path) -> None:
    assert main(["build", "html", "epub"]) == 1
    for page in (built(root, SITE.format("formula")), chapters(root)["formula.xhtml"]):
        assert "The rate is <code>\\frac{1</code> here." in page


def test_other_formats_show_them_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "epub", "slides", "ipynb", "colab", "pkg", "offline"]) == 1
    inside = chapters(root)
    for name, (place, _, code) in FAULTS.items():
        assert place in inside[f"{name}.xhtml"] and code in inside[f"{name}.xhtml"]
        assert code in built(root, SLIDES.format(name)) or name == "result"
        notebook = built(root, f"ipynb-with-outputs/en/a/{name}.ipynb")
        assert code in notebook or (name, code) == ("formula", "formula-syntax")  # notebooks leave formulas to Jupyter
    said = capsys.readouterr().out
    assert "epub: with faults; what cannot be built is as it was before" in said
    assert (root / "_build/pkg/en/small-notebooks.zip").is_file()


@pytest.mark.tex
def test_a_pdf_shows_them(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pdf"]) == 1
    source = built(root, "latex/en/a/a.tex")
    for _, _, code in FAULTS.values():
        assert f"\\fault{{{code}}}" in source
    assert (root / "_build/pdf/en/a.pdf").is_file(), capsys.readouterr().err


def test_faults_are_told_and_shown_until_they_are_mended(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["html"]) == 1
    first, pages = capsys.readouterr().err, {name: built(root, SITE.format(name)) for name in PAGES}
    assert main(["html"]) == 1
    assert capsys.readouterr().err == first
    assert {name: built(root, SITE.format(name)) for name in PAGES} == pages
    mended(root)
    assert main(["html"]) == 0
    again = {name: built(root, SITE.format(name)) for name in PAGES}
    shutil.rmtree(root / "_build")
    assert main(["html"]) == 0
    assert {name: built(root, SITE.format(name)) for name in PAGES} == again
    assert not any(MARK in page for page in again.values())


def test_a_label_that_comes_later_takes_the_mark_away(root: Path) -> None:
    assert main(["html"]) == 1
    (root / "good.md").write_text((root / "good.md").read_text() + "\n## Here\n:label:`sec_nowhere`\n\nAll.\n")
    assert main(["html"]) == 1  # other pages have faults still
    assert MARK not in built(root, SITE.format("label"))


@pytest.mark.parametrize("command", ["html", "epub", "slides", "ipynb"])
def test_without_faults_the_last_good_version_stays(root: Path, command: str) -> None:
    texts = {name: (root / f"{name}.md").read_text() for name in FAULTS}
    mended(root)
    assert main([command]) == 0
    before = {path: path.read_bytes() for path in (root / "_build").rglob("*.*") if ".cache" not in path.parts}
    for name, text in texts.items():
        (root / f"{name}.md").write_text(text)
    assert main([command, "--no-faults"]) == 1
    assert {path: path.read_bytes() for path in before} == before


def test_nothing_is_published_with_faults(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "html", "epub", "deploy"]) == 1
    assert not (root / "_build" / "deploy").exists()
    mended(root)
    capsys.readouterr()
    assert main(["deploy"]) == 1  # the ePub lies there as it was
    assert (
        "deploy: error: the format epub was last built with faults, or as a draft; run: d2lbook epub [deploy-faults]"
        in (capsys.readouterr().err)
    )
    assert main(["build", "epub", "deploy"]) == 0
    assert (root / "_build" / "deploy").exists()


def test_a_preview_shows_the_faults_of_its_page(root: Path) -> None:
    assert main(["html", "label"]) == 1
    assert "label-undefined" in built(root, SITE.format("label"))


def test_a_translation_shows_the_faults_of_the_source(root: Path) -> None:
    (root / "config.ini").write_text(CONFIG.replace("d2l_address", "languages = ko\nd2l_address"))
    main(["translate", "update"])  # the source has errors, which are none of its own
    assert main(["html"]) == 1
    assert "label-undefined" in built(root, "html/ko/label.html")


def test_a_mark_stands_behind_its_block_and_divides_no_group(tmp_path: Path) -> None:
    page = (
        "One.\n\n" + cell("x = 1", "a") + "\n" + cell("x = 2", "b") + "\n:begin_tab:`a`\nTwo.\n\nThree.\n:end_tab:\n\n"
        ":begin_solution:\nFour.\n\nFive.\n:end_solution:\n\nSix.\n"
    )
    write_book(tmp_path, {"page": page}, "[build]\ntabs = a, b\n")
    config = load(tmp_path / "config.ini", Messages())
    book = load_book(config, Messages())
    lines = (tmp_path / "page.md").read_text().splitlines()

    def behind(words: str) -> str:
        """The block before the mark of a fault in the line with these words."""
        line = lines.index(words) + 1 if words else 0
        shown = with_faults(book, [Message("page.md", line, 1, "error", "Wrong.", "code")])
        edition = marked(shown, shown)
        blocks = list(edition.pages[1].document.walk())
        (at,) = (number for number, block in enumerate(blocks) if isinstance(block, Fault))
        inside = [block for block in blocks if isinstance(block, TabProse | Solution)]
        where = next((type(one).__name__ for one in inside if blocks[at] in one.blocks), "")
        return f"{where} {edition.pages[1].document.source(blocks[at - 1]).splitlines()[0]}".strip()

    assert behind("") == "# The Page"
    assert behind("One.") == "One."
    assert behind("x = 1") == "Three."  # behind the whole group: the last block inside it, and not in it
    assert behind("Two.") == "TabProse Two."
    assert behind("Four.") == "Solution Four."
    assert behind("Six.") == "Six."


def test_warnings_and_other_files_have_no_mark(tmp_path: Path) -> None:
    write_book(tmp_path, {"page": "One.\n"}, "[build]\ntabs = a\n")
    book = load_book(load(tmp_path / "config.ini", Messages()), Messages())
    said = [Message("page.md", 4, 1, "warning", "Odd.", "x"), Message("config.ini", 1, 1, "error", "Wrong.", "y")]
    assert with_faults(book, said) is book


@pytest.mark.parametrize("target", ["https://example.org/a.png", "//example.org/a.svg"])
def test_a_picture_on_another_site_is_a_link_and_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    write_book(tmp_path, {"page": f"![A curve]({target})\n:alt:`It rises.`\n"}, "[build]\ntabs = a\n")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 0
    assert f"page.md:4:1: warning: '{target}' is on another site" in capsys.readouterr().err
    assert main(["build", "html", "epub"]) == 0
    assert capsys.readouterr().err.count("figure-remote") == 1
    for page in (built(tmp_path, SITE.format("page")), chapters(tmp_path)["page.xhtml"]):
        assert f'href="{target}">It rises.</a>' in page and "<img" not in page
