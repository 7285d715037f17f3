"""Pages with their translations in them: everything but the words as in the source, and what is missing in English."""

from __future__ import annotations

import re
from pathlib import Path

import polib
import pytest
from translated import CONFIG, INDEX, PAGE, SVG, catalog, fill, in_xx, open_book, page_text, run, set_message, write

from d2lbook.diagnostics import Messages
from d2lbook.execute.key import result_key
from d2lbook.export.site.context import languages_of
from d2lbook.model import Block, Book, Cell, Document, Figure, Heading, Prose, Solution, Table, TabProse
from d2lbook.parse import parse_document
from d2lbook.translate.edition import TranslationCache
from d2lbook.translate.extract import units
from d2lbook.translate.splice import splice
from d2lbook.view import make_view


@pytest.fixture
def root(tmp_path: Path) -> Path:
    book = write(tmp_path / "book")
    assert run(book, "update") == 0
    return book


def marked(entry: polib.POEntry) -> str:
    """A translation that keeps all that has to be kept."""
    if entry.msgctxt.endswith("title"):
        return entry.msgid.replace("Page", "Seite").replace("Lists", "Listen")
    return re.sub(r"\b(?:a|A|is)\b", lambda word: {"a": "ein", "A": "Ein", "is": "ist"}[word[0]], entry.msgid)


def page_of(book: Book, name: str = "page") -> Document:
    page = book.page(name)
    assert page is not None
    return page.document


def block(book: Book, kind: type[Block], number: int = 0) -> Block:
    return [found for found in page_of(book).walk() if isinstance(found, kind)][number]


def test_a_complete_catalog_gives_the_page_in_the_language(root: Path) -> None:
    fill(root, marked)
    book, found = in_xx(root)
    assert found == []
    document = page_of(book)
    assert document.title == "The Seite"
    assert [other for other in document.walk() if other.lang] == []
    expected = PAGE
    for old, new in (
        ("# The Page", "# The Seite"),
        (
            "A paragraph with `code`, $x = 1$, a [link](https://example.org/x7) and :numref:`sec_page`,\nwrapped",
            "Ein paragraph with `code`, $x = 1$, ein [link](https://example.org/x7) and :numref:`sec_page`, wrapped",
        ),
        ("[**Lists**]", "[**Listen**]"),
        ("> A quotation,\n> wrapped.", "> Ein quotation, wrapped."),
        ("| a cell ", "| ein cell "),
        ("![A caption]", "![Ein caption]"),
        ("It is solved", "It ist solved"),
        ("#@alt A curve\n#@alt that rises.", "#@alt Ein curve that rises."),
        ("# A comment\n# over two lines.", "# Ein comment over two lines."),
        ("which is\n    a number.", "which ist ein number."),
        ("`r` is its", "`r` ist its"),
        ("Only for a.", "Only for ein."),
        ("area of a circle", "area of ein circle"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert document.text.split("\n") == expected.split("\n")


def test_printed_strings_stay_as_the_program_has_them(root: Path) -> None:
    fill(root, marked)
    set_message(root, "the area is", r"xx {area(2):.1f}\n")
    assert "the area is {area(2)" in page_text(root)


def test_what_is_not_translated_is_english_and_says_so(root: Path) -> None:
    book, found = in_xx(root)
    assert found == []
    assert page_of(book).text == PAGE
    languages = {type(other).__name__: other.lang for other in page_of(book).walk()}
    assert languages == {
        "Heading": "en",
        "Prose": "en",
        "Table": "en",
        "Figure": "en",
        "Equation": "",
        "TabProse": "",
        "Solution": "",
        "Cell": "",
    }


def test_a_page_without_a_catalog_is_english(root: Path) -> None:
    (root / "locales" / "xx" / "page.po").unlink()
    book, found = in_xx(root)
    assert found == []
    assert block(book, Prose).lang == "en"


def test_a_list_of_which_one_item_is_missing_is_english_as_a_whole(root: Path) -> None:
    fill(root, marked)
    set_message(root, "Another:", "")
    book, _ = in_xx(root)
    prose = [other for other in page_of(book).walk() if isinstance(other, Prose)]
    assert [other.text.split("\n")[0] for other in prose if other.lang] == ["* One *item*,"]


def test_a_fuzzy_message_is_english(root: Path) -> None:
    fill(root, marked)
    po = catalog(root)
    next(entry for entry in po if entry.msgid == "It is solved.").flags.append("fuzzy")
    po.save()
    book, found = in_xx(root)
    assert found == []
    assert [page_of(book).source(other) for other in page_of(book).walk() if other.lang] == ["It is solved."]


@pytest.mark.parametrize(("missing", "kind"), [("A caption", Figure), ("What it", Figure), ("Column", Table)])
def test_a_figure_or_table_is_translated_as_a_whole(root: Path, missing: str, kind: type[Block]) -> None:
    fill(root, marked)
    set_message(root, missing, "")
    book, _ = in_xx(root)
    assert block(book, kind).lang == "en"
    assert [other for other in page_of(book).walk() if other.lang] == [block(book, kind)]


def test_comments_are_translated_one_by_one(root: Path) -> None:
    set_message(root, "roughly", "etwa")
    book, _ = in_xx(root)
    assert "return 3 * r ** 2  # etwa\n" in page_of(book).text and "# A comment\n" in page_of(book).text
    assert block(book, Cell).lang == ""


def test_anchors_are_those_of_the_source(root: Path) -> None:
    fill(root, marked)
    book, _ = in_xx(root)
    labelled, unlabelled = block(book, Heading), block(book, Heading, 1)
    assert isinstance(labelled, Heading) and isinstance(unlabelled, Heading)
    assert (labelled.labels[0].name, labelled.anchor_title) == ("sec_page", "")
    assert (unlabelled.title, unlabelled.anchor_title) == ("[**Listen**] and Tables", "[**Lists**] and Tables")


def test_numbers_and_references_are_those_of_the_source(root: Path) -> None:
    english, _ = open_book(root)
    fill(root, marked)
    book, _ = in_xx(root)
    for label, target in english.targets.items():
        translated = book.targets[label]
        assert (translated.number, translated.anchor, translated.kind) == (target.number, target.anchor, target.kind)
    assert book.targets["sec_page"].title == "The Seite"
    assert sorted(book.numbers.values()) == sorted(english.numbers.values())


def test_titles_of_the_configuration_and_the_builders_words(root: Path) -> None:
    set_message(root, "A Book", "Ein Buch", "interface")
    set_message(root, "Fig. {number}", "Abb. {number}", "interface")
    book, _ = in_xx(root)
    _, config = open_book(root)
    assert book.words("Fig. {number}", number="1") == "Abb. 1"
    assert book.words("Table {number}", number="1") == "Table 1"
    assert config.in_language("xx", book.words).title == "Ein Buch"


def test_what_a_language_says_elsewhere_is_read_again_only_when_its_catalog_changes(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, config = open_book(root)
    assert [one.not_now for one in languages_of(config)] == ["Not now", "Not now"]
    set_message(root, "Not now", "Später", "interface")
    after = languages_of(config)
    assert [one.not_now for one in after] == ["Not now", "Später"]
    monkeypatch.setattr("d2lbook.export.site.context.words_in", lambda *_: pytest.fail("read again"))
    assert languages_of(config) == after


def test_citations_name_authors_as_the_language_does(root: Path) -> None:
    set_message(root, "{author} et al.", "{author} vd.", "interface")
    set_message(root, "{first} and {second}", "{first} ve {second}", "interface")
    people = {
        "many": "{Ioffe, S. and Szegedy, C. and Li, M.}",
        "others": "{Ioffe, S. and others}",
        "two": "{Ioffe, S. and Szegedy, C.}",
        "one": "{Ioffe, S.}",
        "firm": "{{Sons et al.}}",
    }
    entries = [f"@book{{{key}, author = {names}, title = {{T}}, year = 2020}}" for key, names in people.items()]
    (root / "references.bib").write_text("\n".join(entries))
    (root / "index.md").write_text(f"{INDEX}\n:bibliography:`references.bib`\n")
    book, _ = in_xx(root)
    assert {key: fields["short_author"] for key, fields in book.citations.items()} == {
        "many": "Ioffe vd.",
        "others": "Ioffe vd.",
        "two": "Ioffe ve Szegedy",
        "one": "Ioffe",
        "firm": "Sons et al.",
    }
    english, _ = open_book(root)
    assert english.citations["two"]["short_author"] == "Ioffe and Szegedy"


def test_drawings_have_their_text_in_the_language(root: Path) -> None:
    set_message(root, "a box of", "<1>h</1> in der Kiste", "box")
    book, found = in_xx(root)
    assert found == []
    svg = book.drawings[root / "box.svg"]
    assert '<tspan font-style="italic">h</tspan> in der Kiste</text>' in svg and "<text>12</text>" in svg


def test_a_drawing_is_translated_as_a_whole(root: Path) -> None:
    (root / "box.svg").write_text(SVG.replace("<text>12</text>", "<text>the lid</text>"))
    assert run(root, "update") == 0
    set_message(root, "a box of", "eine Kiste von <1>h</1>", "box")
    assert in_xx(root)[0].drawings == {}
    set_message(root, "the lid", "der Deckel", "box")
    assert "der Deckel" in in_xx(root)[0].drawings[root / "box.svg"]
    set_message(root, "the lid", "der & Deckel", "box")
    assert in_xx(root)[0].drawings == {}


def test_comments_and_docstrings_leave_results_fresh(root: Path) -> None:
    english, config = open_book(root)
    fill(root, marked)
    book, _ = in_xx(root)
    for tab in ("a", "b"):
        keys = {
            result_key(make_view(page_of(each), tab, each.tabs), each, config, {"numpy": "2"})
            for each in (english, book)
        }
        assert len(keys) == 1


def test_a_file_that_a_cell_writes_leaves_its_result_fresh(tmp_path: Path) -> None:
    code = "```{.python .input}\n#@tab all\n%%writefile x.py\ny = 1  # a comment\n```\n"
    root = write(tmp_path / "book", f"# Page\n\n{code}")
    assert run(root, "update") == 0
    set_message(root, "a comment", "ein Kommentar")
    book, _ = in_xx(root)
    english, config = open_book(root)
    views = [make_view(page_of(each), "a", each.tabs) for each in (english, book)]
    assert [view.cells[0].code.split("# ")[1] for view in views] == ["a comment", "ein Kommentar"]
    assert [view.cells[0].runs.split("# ")[1] for view in views] == ["a comment"] * 2
    assert len({result_key(view, each, config, {}) for view, each in zip(views, (english, book), strict=True)}) == 1


def test_long_comments_and_docstrings_are_wrapped(root: Path) -> None:
    words = "한국어 낱말 " * 20
    set_message(root, "A comment over", words.strip())
    set_message(root, "`r` is its", f"`r` {words.strip()}")
    lines = page_text(root).split("\n")
    comment = [line for line in lines if line.startswith("# 한국어") or line.startswith("# 낱말")]
    assert len(comment) == 3
    docstring = [line for line in lines if line.startswith(("    `r` 한", "    한국어", "    낱말"))]
    assert len(docstring) > 1
    assert all(sum(2 if letter > "\u1100" else 1 for letter in line) <= 88 for line in comment + docstring)


def test_a_bar_in_a_table_cell_stays_in_its_cell(root: Path) -> None:
    set_message(root, "either | or", "entweder | oder")
    set_message(root, "Column", "Spalte")
    set_message(root, "a cell", "eine Zelle")
    set_message(root, "What the table", "Tabelle")
    book, _ = in_xx(root)
    table = block(book, Table)
    assert isinstance(table, Table) and table.lang == ""
    assert "| entweder \\| oder | $k$ |" in table.text


def test_windows_line_ends_stay(tmp_path: Path) -> None:
    root = write(tmp_path / "book", PAGE.replace("\n", "\r\n"))
    assert run(root, "update") == 0
    fill(root, marked)
    text = page_text(root)
    assert text.count("\n") == text.count("\r\n") and "Ein comment" in text


def test_containers_are_not_in_english_but_what_they_hold(root: Path) -> None:
    fill(root, marked)
    set_message(root, "It is solved", "")
    set_message(root, "Only for a", "")
    book, _ = in_xx(root)
    for kind in (Solution, TabProse):
        container = block(book, kind)
        assert isinstance(container, Solution | TabProse)
        assert (container.lang, container.blocks[0].lang) == ("", "en")


def test_what_did_not_change_is_not_translated_again(root: Path) -> None:
    kept = TranslationCache()
    first, _ = in_xx(root, kept)
    second, _ = in_xx(root, kept)
    assert page_of(second) is page_of(first)
    set_message(root, "It is solved", "gelöst")
    third, _ = in_xx(root, kept)
    assert page_of(third) is not page_of(first) and page_of(third, "index") is page_of(first, "index")
    assert "gelöst" in page_of(third).text


def test_findings_are_said_again_though_nothing_changed(root: Path) -> None:
    kept = TranslationCache()
    set_message(root, "It is solved", "TODO")
    assert in_xx(root, kept)[1] == in_xx(root, kept)[1] != []


def test_the_same_text_twice_in_one_place_is_one_message() -> None:
    text = "# A\n\nThe same.\n\nThe same.\n"
    document = parse_document(text, "a.md", Messages())
    found = units(document)
    assert [unit.key for unit in found] == [("a: paragraph", "The same.")] * 2
    assert splice(text, dict.fromkeys(found, "Dasselbe.")) == "# A\n\nDasselbe.\n\nDasselbe.\n"


def test_the_language_is_that_of_the_configuration(root: Path) -> None:
    write(root, config=CONFIG.replace("languages", "lang = de\nlanguages"))
    book, _ = in_xx(root)
    assert block(book, Prose).lang == "de"
