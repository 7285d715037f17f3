"""Footnotes, callouts, tasks, definitions and environments of TeX: each in every format, and in translations."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from books import open_book
from epubcheck import epubcheck

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.pdf.images import Images
from d2lbook.export.pdf.pages import book_text
from d2lbook.parse import parse_document
from d2lbook.rendering.book_context import BookContext
from d2lbook.translate.checks.translation import check_translation
from d2lbook.translate.extract import units
from d2lbook.translate.splice import splice

PAGE = """# Page
:label:`sec_page`

[**A mark refers to a note[^long].**] Text refers to one[^1], and again[^1].

[^1]: The *first* note, see :numref:`sec_page`.

[^long]: A note of two

    paragraphs

> [!WARNING]
> Take care.

- [ ] Open task
- [x] Closed task

Term *one*
: Definition of it[^1]

: Caption with a note[^c]

| Cell |
|---|
| Other |

[^c]: Of the caption.

\\begin{align}
a &= b \\\\
c &= d
\\end{align}
:eqlabel:`eq_a`

- In a list

  \\begin{equation}
  x = y
  \\end{equation}

:begin_tab:`jax`
JAX has its own[^jax].

[^jax]: A note of JAX.
:end_tab:
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book in every format but PDF, which takes TeX."""
    root = tmp_path_factory.mktemp("book")
    (root / "config.ini").write_text("[project]\nlanguages = ko\n[build]\ntabs = pytorch, jax\nstrict = true\n")
    (root / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\npage\n```\n")
    (root / "page.md").write_text(PAGE)
    assert main(["translate", "update", "--config", str(root / "config.ini")]) == 0
    commands = ["html", "ipynb", "slides", "epub"]
    assert main(["build", "check", *commands, "--config", str(root / "config.ini")]) == 0
    return root


def test_the_site_has_notes_at_the_end_and_links_both_ways(book: Path) -> None:
    page = (book / "_build" / "html" / "page.html").read_text()
    notes = page[page.index('<section class="footnotes" role="doc-endnotes">') :]
    assert re.findall(r'<li id="fn-(\d)" value="\1">', notes) == ["1", "2", "3", "4"]
    assert '<a href="#fnref-1" role="doc-backlink" aria-label="Back to the text">↩</a>' in notes
    assert '<p>The <em>first</em> note, see <a class="d2l-numref' in notes
    assert page.count('id="fnref-1"') == 1 and page.count('href="#fn-2"') == 3
    assert "[^" not in page and "[!" not in page


def test_the_site_has_boxes_tasks_and_definitions(book: Path) -> None:
    page = (book / "_build" / "html" / "page.html").read_text()
    assert (
        '<div class="admonition warning" role="note">\n<p class="admonition-title">Warning</p>\n<p>Take care.</p>'
        in page
    )
    assert '<label><input type="checkbox" disabled="disabled"/> Open task</label>' in page
    assert '<label><input type="checkbox" disabled="disabled" checked="checked"/> Closed task</label>' in page
    assert "<dt>Term <em>one</em></dt>\n<dd><p>Definition of it" in page
    assert page.count("\\begin{aligned}") == 1 and "x = y" in page and "\\begin{align}" not in page


def test_the_titles_of_boxes_are_in_the_book_s_language(book: Path) -> None:
    page = (book / "_build" / "html" / "ko" / "page.html").read_text()
    assert '<p class="admonition-title">Warning</p>' in page  # of a text that is not translated yet
    catalog = book / "locales" / "ko" / "page.po"
    text = catalog.read_text(encoding="utf-8")
    assert 'msgid "Take care."' in text and "[!WARNING]" not in text
    catalog.write_text(text.replace('msgid "Take care."\nmsgstr ""', 'msgid "Take care."\nmsgstr "조심하세요."'))
    assert main(["html", "--config", str(book / "config.ini")]) == 0
    page = (book / "_build" / "html" / "ko" / "page.html").read_text()
    assert '<p class="admonition-title">경고</p>\n<p>조심하세요.</p>' in page


def test_an_epub_has_the_notes_of_its_framework_and_is_valid(book: Path, tmp_path: Path) -> None:
    for tab, numbers in (("pytorch", ["1", "2", "3"]), ("jax", ["1", "2", "3", "4"])):
        with zipfile.ZipFile(book / "_build" / "epub" / "en" / f"{tab}.epub") as archive:
            name = next(name for name in archive.namelist() if name.endswith("/page.xhtml"))
            text = archive.read(name).decode()
        ElementTree.fromstring(text)
        assert re.findall(r'<li id="fn-(\d)"', text) == numbers
        assert '<div class="admonition warning"' in text and "<dt>" in text and 'type="checkbox"' in text


@pytest.mark.tex
def test_epubcheck_accepts_it(book: Path) -> None:
    done = epubcheck(book / "_build" / "epub" / "en" / "jax.epub")
    assert done.returncode == 0, done.stdout


def test_a_slide_shows_the_note_that_its_mark_refers_to(book: Path) -> None:
    deck = (book / "_build" / "slides" / "en" / "pytorch" / "page.html").read_text()
    assert "<h2>A mark refers to a note<sup>1</sup></h2>" in deck
    assert '<div class="footnote"><sup>1</sup> <p>A note of two</p>' in deck


def test_a_notebook_has_links_quotations_and_html_that_jupyter_shows(book: Path) -> None:
    notebook = json.loads((book / "_build" / "ipynb" / "en" / "jax" / "page.ipynb").read_text())
    text = "\n\n".join("".join(cell["source"]) for cell in notebook["cells"])
    assert "refers to one<sup>[2](#fn-2)</sup>, and again<sup>[2](#fn-2)</sup>." in text
    assert '<a id="fn-2"></a><sup>2</sup> The *first* note, see [Section 1](#sec-page).' in text
    assert '<a id="fn-1"></a><sup>1</sup> A note of two\n\nparagraphs' in text
    assert "> **Warning**\n>\n> Take care." in text and "- [ ] Open task\n- [x] Closed task" in text
    assert "<dt>\n\nTerm *one*\n\n</dt>\n<dd>\n\nDefinition of it<sup>[2](#fn-2)</sup>\n\n</dd>" in text
    assert "$$\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned} \\tag{1.1}\n$$" in text


def test_latex_has_footnotes_boxes_and_lists(book: Path, tmp_path: Path) -> None:
    opened, config = open_book(book)
    messages = Messages()
    context = BookContext.of(opened, config, opened.tabs, messages)
    text = "".join(book_text(context, "jax", Images(tmp_path)).body)
    assert [str(message) for message in messages] == []
    assert "note\\footnote[1]{A note of two\n\nparagraphs}" in text
    assert "again\\footnotemark[2]" in text
    assert "Caption with a note\\footnotemark[3]" in text and "\\footnotetext[3]{Of the caption.}" in text
    assert "\\begin{callout}{Warning}\nTake care.\n\n\\end{callout}" in text
    assert "\\item[\\tasktodo] Open task" in text and "\\item[\\taskdone] Closed task" in text
    assert "\\begin{description}\n\\item[{Term \\emph{one}}] Definition of it" in text
    assert "\\[\\begin{aligned}" in text and "\\tag*{(1.1)}" in text


@pytest.mark.tex
def test_tex_sets_it(book: Path) -> None:
    assert main(["pdf", "--lang", "en", "--config", str(book / "config.ini")]) == 0
    assert (book / "_build" / "pdf" / "en" / "jax.pdf").is_file()


def test_translations_keep_the_structure() -> None:
    source = parse_document(PAGE, "page.md", Messages())
    found = units(source)
    assert splice(PAGE, {unit: unit.msgid for unit in found}) == PAGE
    kinds = {unit.kind for unit in found}
    assert {"footnote", "callout", "term", "definition", "list item"} <= kinds
    assert not [unit.msgid for unit in found if "[!" in unit.msgid or "[x]" in unit.msgid or "begin{" in unit.msgid]
    translated = splice(PAGE, {unit: f"Ü {unit.msgid}" for unit in found})
    messages = Messages()
    again = parse_document(translated, "page.md", messages)
    assert [str(message) for message in messages] == []
    assert [type(block) for block in again.walk()] == [type(block) for block in source.walk()]
    assert "> [!WARNING]\n> Ü Take care." in translated and "\n: Ü Definition" in translated
    assert "[^1]: Ü The *first*" in translated and "- [x] Ü Closed task" in translated


@pytest.mark.parametrize(
    ("translation", "wrong"),
    [
        ("Wort[^1]", []),
        ("Wort", ["the reference to the footnote 1 of the source is missing here; put it in"]),
        ("Wort[^1][^2]", ["the reference to the footnote 2 is not in the source; take it out"]),
    ],
)
def test_a_translation_keeps_references_to_notes(translation: str, wrong: list[str]) -> None:
    (unit, _) = units(parse_document("A word[^1].\n\n[^1]: A note.\n", "page.md", Messages()))
    assert [found.text for found in check_translation(unit, translation)] == wrong


def test_a_note_that_only_a_note_refers_to_comes_last_in_print(tmp_path: Path) -> None:
    (tmp_path / "config.ini").write_text("[project]\nname = x\n")
    (tmp_path / "index.md").write_text("# A[^1]\n\nB[^2]\n\n[^1]: One[^3].\n[^2]: Two[^1].\n[^3]: Three.\n")
    opened, config = open_book(tmp_path)
    context = BookContext.of(opened, config, opened.tabs, Messages())
    text = "".join(book_text(context, "default", Images(tmp_path)).body)
    assert "A\\footnotemark[1]" in text and "B\\footnote[2]{Two\\footnotemark[1].}" in text
    assert text.index("\\footnotetext[1]{One\\footnotemark[3].}") < text.index("\\footnotetext[3]{Three.}")
