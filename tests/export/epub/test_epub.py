"""The ePub: valid, one framework's book, the same bytes from the same sources."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from books import cell, freeze, freeze_output, open_book, write_book
from epubcheck import epubcheck

from d2lbook.diagnostics import Messages
from d2lbook.export.epub.build import build
from d2lbook.html.mathml import with_letters
from d2lbook.rendering.book_context import BookContext

TINYBOOK = Path(__file__).parents[2] / "tinybook"
XHTML = "{http://www.w3.org/1999/xhtml}"
PLOT = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"'
    ' "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 6"><path d="M0 3H9" stroke="#222222"/></svg>'
)
FIRST = """Prose for everybody: 5 < 6 & $x_1$, $\\lambda_{{\\max}}$, :numref:`sec_second`, *[**a mark**]*.

:begin_tab:`b`
Words of the second framework.
:end_tab:

{cells}
1. How large?

:begin_solution:
As large as this.
:end_solution:
"""


def build_epub(root: Path, tab: str) -> tuple[list[Path], list[str]]:
    book, config = open_book(root)
    messages = Messages(strict=config.strict)
    paths = build(BookContext.of(book, config, [tab], messages))
    return paths, [str(message) for message in messages]


def pages_of(epub: Path) -> dict[str, str]:
    with zipfile.ZipFile(epub) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".xhtml")}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("epub") / "book"
    cells = cell("1 + 1", "a") + cell("print('only b')", "b")
    pages = {
        "first": FIRST.format(cells=cells),
        "second": "See :numref:`sec_first`.\n\n" + cell("#@alt It rises.\nplot()", "a"),
    }
    write_book(root, pages, "[build]\ntabs = a, b\n[project]\ntitle = A & B\n")
    freeze(root, "first", "a", "printed < here")
    freeze_output(root, "second", "a", {"image/svg+xml": PLOT, "text/plain": "<Figure>"})
    return root


@pytest.fixture(scope="module")
def made(root: Path) -> Path:
    paths, messages = build_epub(root, "a")
    assert messages == []
    return paths[0]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tiny") / "book"
    shutil.copytree(TINYBOOK, root)
    config = root / "config.ini"
    config.write_text(config.read_text().replace("[build]", "[build]\neval_notebook = False"))
    paths, messages = build_epub(root, "plain")
    assert messages == []
    return paths[0]


@pytest.mark.parametrize("book", ["made", "tiny"])
def test_epubcheck_finds_nothing(book: str, request: pytest.FixtureRequest) -> None:
    path: Path = request.getfixturevalue(book)
    done = epubcheck(path)
    assert "0 fatals / 0 errors / 0 warnings" in done.stdout, done.stdout + done.stderr


def test_one_framework_with_its_results(made: Path) -> None:
    text = pages_of(made)["book/first.xhtml"]
    assert "printed &lt; here" in text and "5 &lt; 6 &amp; " in text
    assert "only b" not in text and "second framework" not in text
    assert not re.search(r":numref:|:label:|\[\*\*|#@tab|:begin_", text)


def test_formulas_are_mathml_and_references_lead_to_other_files(made: Path) -> None:
    text = pages_of(made)["book/first.xhtml"]
    assert "<math" in text and "katex-html" not in text
    assert '<a href="second.xhtml#sec-second">Section\u00a02</a>' in text


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        ('<mi mathvariant="bold">x</mi>', "<mi>\U0001d431</mi>"),
        (
            '<mi mathvariant="bold">W</mi><mn mathvariant="bold">12</mn>',
            "<mi>\U0001d416</mi><mn>\U0001d7cf\U0001d7d0</mn>",
        ),
        ('<mi mathvariant="bold">θ</mi>', "<mi>\U0001d6c9</mi>"),
        ('<mi mathvariant="bold-italic">β</mi>', "<mi>\U0001d737</mi>"),
        ('<mi mathvariant="double-struck">R</mi>', "<mi>ℝ</mi>"),
        ('<mi mathvariant="fraktur">C</mi>', "<mi>ℭ</mi>"),
        ('<mi mathvariant="script">B</mi>', "<mi>ℬ</mi>"),
        ('<mtext mathvariant="sans-serif">a b</mtext>', "<mtext>\U0001d5ba \U0001d5bb</mtext>"),
        ('<mi mathvariant="normal">Δ</mi>', '<mi mathvariant="normal">Δ</mi>'),
        ("<mi>x</mi><mo>&lt;</mo>", "<mi>x</mi><mo>&lt;</mo>"),
    ],
)
def test_other_alphabets_are_letters_of_their_own(mathml: str, expected: str) -> None:
    assert with_letters(mathml) == expected


def test_bold_in_a_formula_is_bold_in_the_book(tmp_path: Path) -> None:
    write_book(tmp_path, {"first": r"Let $\mathbf{x} = \mathbf{W} \mathbf{1}$."}, "[build]\ntabs = a\n")
    book, config = open_book(tmp_path)
    messages = Messages()
    path = build(BookContext.of(book, config, ["a"], messages))[0]
    assert [str(message) for message in messages] == []
    text = pages_of(path)["book/first.xhtml"]
    assert "<mi>\U0001d431</mi>" in text and "mathvariant=" not in text.replace('mathvariant="normal"', "")


def test_solutions_stand_with_their_exercises(made: Path) -> None:
    text = pages_of(made)["book/first.xhtml"]
    assert text.index("How large?") < text.index('<section class="solution">') < text.index("As large as this.")


def test_every_link_and_every_contents_entry_leads_somewhere(tiny: Path) -> None:
    pages = {Path(name).name: ElementTree.fromstring(text) for name, text in pages_of(tiny).items()}
    ids = {name: {element.get("id") for element in page.iter()} for name, page in pages.items()}
    targets = [(name, link.get("href", "")) for name, page in pages.items() for link in page.iter(f"{XHTML}a")]
    inner = [(name, href) for name, href in targets if not href.startswith("http")]
    assert len(inner) > 10
    for name, href in inner:
        file, _, anchor = href.partition("#")
        assert (file or name) in ids and (not anchor or anchor in ids[file or name]), href


def test_every_picture_says_what_it_shows(tiny: Path) -> None:
    pictures = [
        picture for text in pages_of(tiny).values() for picture in ElementTree.fromstring(text).iter(f"{XHTML}img")
    ]
    assert pictures and all(picture.get("alt") for picture in pictures)


def test_the_same_bytes_from_another_place(root: Path, made: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("_build"))
    assert build_epub(tmp_path / "copy", "a")[0][0].read_bytes() == made.read_bytes()


def test_a_missing_result_leaves_the_last_good_epub(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "Fine.\n"}, "[build]\ntabs = a, b\n")
    (path,), _ = build_epub(root, "a")
    before = path.read_bytes()
    write_book(root, {"page": cell("x", "all")}, "[build]\ntabs = a, b\n")
    paths, messages = build_epub(root, "a")
    assert paths == [] and "the result for a is missing" in messages[0]
    assert path.read_bytes() == before


def test_a_picture_that_is_too_large_is_told_and_no_epub_made(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"page": "![A picture](large.png)\n:alt:`It shows.`\n"}, "[build]\ntabs = a, b\n")
    (root / "large.png").write_bytes(bytes(50_000_000))
    paths, messages = build_epub(root, "a")
    assert paths == []
    assert messages[0].startswith("page.md:4:1: error: figure 'large.png': a bitmap of 50 MB; reduce it to less")


def test_what_is_up_to_date_is_not_made_again(root: Path, made: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    epub = copy / made.relative_to(root)
    epub.write_bytes(b"kept")
    assert build_epub(copy, "a") == ([epub], [])
    assert epub.read_bytes() == b"kept"
    page = next(copy.glob("*.md"))
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")
    assert build_epub(copy, "a") == ([epub], [])
    assert "One more sentence." in "".join(pages_of(epub).values())
