"""Order, numbers, targets and citations of a book, and loading it again after a change."""

from __future__ import annotations

from pathlib import Path

import pytest

import d2lbook.book.load
from d2lbook.book import ParsedPages, load_book
from d2lbook.book.bibliography import read_bibliography
from d2lbook.book.citations import citations_in
from d2lbook.book.numbering import letters
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.model import Book, Document, UiStrings

TINYBOOK = Path(__file__).parents[1] / "tinybook"


def write(root: Path, **pages: str) -> None:
    for name, text in pages.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def load_from(root: Path, parsed: ParsedPages | None = None) -> tuple[Book, list[str]]:
    (root / "config.ini").write_text("[build]\ntabs = a, b\n")
    messages = Messages()
    book = load_book(load(root / "config.ini", messages), messages, parsed)
    return book, [str(message) for message in messages]


@pytest.fixture(scope="module")
def tiny() -> Book:
    messages = Messages()
    book = load_book(load(TINYBOOK / "config.ini", messages), messages)
    assert list(messages) == []
    return book


def test_pages_in_the_order_of_the_table_of_contents(tiny: Book) -> None:
    assert [(page.document.name, page.number, page.depth) for page in tiny.pages] == [
        ("index", "", 0),
        ("preface", "", 1),
        ("chapter_numbers/index", "1", 1),
        ("chapter_numbers/means", "1.1", 2),
        ("chapter_numbers/rounding", "1.2", 2),
        ("chapter_numbers/library", "1.3", 2),
    ]
    assert tiny.pages[2].children == tuple(f"chapter_numbers/{name}" for name in ("means", "rounding", "library"))


@pytest.mark.parametrize(
    ("label", "text", "anchor"),
    [
        ("chap_preface", "Preface", "chap-preface"),
        ("fig_preface_line", "Fig. 1", "fig-preface-line"),
        ("chap_numbers", "Chapter 1", "chap-numbers"),
        ("tab_pages", "Table 1.1", "tab-pages"),
        ("subsec_one_cell", "Section 1.1.1", "subsec-one-cell"),
        ("fig_line", "Fig. 1.1.1", "fig-line"),
        ("eq_thirds", "(1.1.2)", "eq-thirds"),
        ("eq_epsilon", "(1.2.1)", "eq-epsilon"),
        ("tab_digits", "Table 1.2.1", "tab-digits"),
    ],
)
def test_targets(tiny: Book, label: str, text: str, anchor: str) -> None:
    target = tiny.targets[label]
    assert (target.text(UiStrings()), target.anchor) == (text, anchor)


def test_numbers_count_on_through_a_page_and_start_anew_on_the_next(tmp_path: Path) -> None:
    figure = "![{0}](https://e.org/{0})\n:label:`fig_{0}`\n\n"
    toc = "```toc\n:numbered:\n\nc/index\nd\n```\n\n"
    unlabelled = "![no label](https://e.org/x)\n\n"
    write(
        tmp_path,
        index="# Book\n\n" + figure.format("r") + "## Before\n\n" + toc + figure.format("s"),
        c__index="# C\n\n" + figure.format("a") + "## Inside\n\n```toc\np\n```\n",
        c__p="# P\n\n" + figure.format("b") + "## Q\n\n" + unlabelled + "### R\n\n" + figure.format("c"),
        d="# D\n:label:`sec_d`\n\n" + figure.format("d") + "# E\n:label:`sec_e`\n\n" + figure.format("e"),
    )
    book, found = load_from(tmp_path)
    assert found == []
    figures = {label: target.number for label, target in book.targets.items() if target.kind == "figure"}
    # As Sphinx: a table of contents inside a section puts its pages under that section.
    assert figures == {
        "fig_r": "1",
        "fig_s": "2",
        "fig_a": "1.1",
        "fig_b": "1.1.1",
        "fig_c": "1.1.3",
        "fig_d": "2.1",
        "fig_e": "3.1",
    }
    page = book.page("c/p")
    assert page is not None
    assert page.number == "1.1.1"
    assert (book.targets["sec_d"].number, book.targets["sec_e"].number) == ("2", "3")
    block = next(block for block in page.document.blocks if getattr(block, "caption", "") == "no label")
    assert book.numbers["c/p", block.span.start] == "1.1.2"


def test_an_appendix_counts_with_letters(tmp_path: Path) -> None:
    figure = "![F](https://e.org/f)\n:label:`fig_f`\n"
    write(
        tmp_path,
        index="# Book\n\n```toc\n:numbered:\n\na\nb\n```\n\n```toc\n:appendix:\n\nmore\nstill\n```\n",
        a="# A\n",
        b="# B\n",
        more="# More\n:label:`sec_more`\n\n```toc\nparts\n```\n",
        parts=f"# Parts\n:label:`sec_parts`\n\n## Two\n:label:`sec_two`\n\n{figure}",
        still="# Still\n:label:`sec_still`\n",
    )
    book, found = load_from(tmp_path)
    assert found == []
    assert {label: target.text(UiStrings()) for label, target in book.targets.items()} == {
        "sec_more": "Appendix A",
        "sec_parts": "Section A.1",
        "sec_two": "Section A.1.1",
        "fig_f": "Fig. A.1.1",
        "sec_still": "Appendix B",
    }
    assert [page.number for page in book.pages] == ["", "1", "2", "A", "A.1", "B"]


def test_letters_go_on_after_z() -> None:
    assert [letters(number) for number in (1, 26, 27, 52, 53, 702, 703)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_several_labels_lead_to_one_figure(tmp_path: Path) -> None:
    write(tmp_path, index="# Book\n\n![A](https://example.org/a)\n:label:`fig_a`\n:label:`fig_b`\n\n:numref:`fig_b`\n")
    book, found = load_from(tmp_path)
    assert found == []
    assert book.targets["fig_b"].anchor == book.targets["fig_a"].anchor == "fig-a"


def test_titles_resolve_their_references(tmp_path: Path) -> None:
    write(tmp_path, index="# After :numref:`sec_b`\n:label:`sec_a`\n\n## *B*\n:label:`sec_b`\n")
    book, _ = load_from(tmp_path)
    assert book.targets["sec_a"].title == "After B"


def test_citations(tiny: Book) -> None:
    assert list(tiny.citations) == ["goldberg1991every", "kahan1965further", "rump2008accurate"]
    fields = tiny.citations["rump2008accurate"]
    assert (fields["short_author"], fields["short_year"], fields["pages"]) == ("Rump et al.", "2008", "189–224")
    assert fields["author"] == "Siegfried M. Rump and Takeshi Ogita and Shin'ichi Oishi"
    assert fields["title"] == "Accurate Floating-Point Summation, Part I: Faithful Rounding"
    assert tiny.bibliography_page == "index"


def test_citations_name_the_authors_in_the_words_of_the_book(tmp_path: Path) -> None:
    entries = "@book{a, author={Kim, A and Lee, B and Park, C}, year=2020, title={T}}\n"
    entries += "@book{b, author={Kim, A and Lee, B}, year=2021, title={T}}\n@misc{c, title={Alone}, year=2022}\n"
    citations = read_bibliography(entries, "works.bib", Messages())
    words = UiStrings("ko", {"{author} et al.": "{author} 외", "{first} and {second}": "{first}, {second}"})
    shown = {key: fields["short_author"] for key, fields in citations_in(words, citations).items()}
    assert shown == {"a": "Kim 외", "b": "Kim, Lee", "c": "Alone"}
    assert citations["a"]["short_author"] == "Kim et al."


def test_works_cited_in_the_same_words_are_told_apart(tmp_path: Path) -> None:
    entry = "@misc{{{0}, author = {{Li, Mu}}, title = {{{0}}}, year = 2014}}\n"
    (tmp_path / "r.bib").write_text(entry.format("x") + entry.format("y"))
    write(tmp_path, index="# Book\n\n:bibliography:`r.bib`\n")
    book, _ = load_from(tmp_path)
    assert [fields["short_year"] for fields in book.citations.values()] == ["2014a", "2014b"]


def test_only_changed_pages_are_parsed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, index="# Book\n\n```toc\na\nb\n```\n", a="# A\n\n:numref:``\n", b="# B\n")
    parsed = ParsedPages()
    _, before = load_from(tmp_path, parsed)
    paths: list[str] = []
    parse = d2lbook.book.load.parse_document

    def spy(text: str, path: str, messages: Messages) -> Document:
        paths.append(path)
        return parse(text, path, messages)

    monkeypatch.setattr(d2lbook.book.load, "parse_document", spy)
    write(tmp_path, b="# B\n:label:`sec_b`\n")
    book, after = load_from(tmp_path, parsed)
    assert (paths, "sec_b" in book.targets) == (["b.md"], True)
    assert before == after  # what was said about pages that did not change is said again


def test_excluded_pages_are_no_orphans(tmp_path: Path) -> None:
    write(tmp_path, index="# Book\n", README="# R\n", notes__a="# N\n", _build__x="# X\n", c__d="# D\n")
    config = "[build]\ntabs = a\nexclusions = README.md notes/\nnon-notebooks = c/*.md\n"
    (tmp_path / "config.ini").write_text(config)
    messages = Messages()
    load_book(load(tmp_path / "config.ini", messages), messages)
    assert list(messages) == []


def test_windows_line_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = "\ufeff# Book\r\n:label:`sec_a`\r\n\r\n:numref:`sec_a` :numref:`sec_x`\r\n"
    write(tmp_path, index=text)
    book, found = load_from(tmp_path)
    assert book.pages[0].document.text == text
    assert found == [
        "index.md:4:17: error: label 'sec_x' is not defined; did you mean 'sec_a'? [label-undefined]",
    ]


def test_a_page_that_cannot_be_read_is_reported_where_it_is(tmp_path: Path) -> None:
    write(tmp_path, index="# Book\n\n```toc\nlatin\n```\n")
    (tmp_path / "latin.md").write_bytes("# Größe\n".encode("latin-1"))
    _, found = load_from(tmp_path)
    assert found == ["latin.md:1:5: error: not UTF-8; save it in that encoding [file-encoding]"]
