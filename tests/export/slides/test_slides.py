"""Slides: which text stands on which slide, in the notes, or nowhere; code cut to size; decks that stand alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from books import cell, freeze, open_book, write_book

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.export.slides.build import build, slides_directory
from d2lbook.export.slides.code import LINES, pieces, short_docstrings, without_comments
from d2lbook.export.slides.layout import Note, Piece, Slide, sheets
from d2lbook.rendering.book_context import BookContext

SECTION = re.compile(r"<section.*?</section>", re.DOTALL)
NOTES = re.compile(r'<aside class="notes">(.*?)</aside>', re.DOTALL)
HEAD = re.compile(r"<h[12][^>]*>(.*?)</h[12]>", re.DOTALL)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def deck(root: Path, text: str, tab: str = "a", config: str = "") -> list[str]:
    """The sections of the deck of a page with this text."""
    write_book(root, {"page": text}, f"[build]\ntabs = a, b\n{config}")
    if "{.python" in text:
        freeze(root, "page", tab)
    paths, messages = decks_of(root, tab)
    assert messages == []
    return SECTION.findall(paths[0].read_text()) if paths else []


def decks_of(root: Path, *tabs: str) -> tuple[list[Path], list[str]]:
    book, config = open_book(root)
    messages = Messages(strict=config.strict)
    return build(BookContext.of(book, config, tabs, messages)), [str(message) for message in messages]


def shown(section: str) -> str:
    return words(NOTES.sub("", HEAD.sub("", section)))


def headline(section: str) -> str:
    found = HEAD.search(section)
    assert found is not None
    return words(found[1])


def notes(section: str) -> str:
    return words(" ".join(NOTES.findall(section)))


def test_each_mark_puts_its_text_where_it_says(tmp_path: Path) -> None:
    title, first, second = deck(
        tmp_path / "book",
        "Goal.\n\nSo [**the first**], which is long. Then (**more of it**), and (~~a word on slides~~).\n\n"
        "[~~only a slide~~] Read this.\n",
    )
    assert headline(title) == "The Page" and notes(title) == "Goal."
    assert headline(first) == "The first" and shown(first) == "More of it A word on slides"
    assert notes(first) == "So the first, which is long. Then more of it, and ."
    assert headline(second) == "Only a slide" and notes(second) == "Read this."


def test_a_deck_leads_out_of_the_book_only(tmp_path: Path) -> None:
    _, section = deck(
        tmp_path / "book",
        "[**Links**]\n\n(**See :numref:`sec_page`, [the index](index.md), [a place](#there), :func:`d2l.f`, "
        "[a site](https://example.org/x?a=1&b=2) and [us](mailto:us@example.org).**)\n",
    )
    assert shown(section) == "See Section 1, the index, a place, d2l.f , a site and us"
    addresses = re.findall('<a href="(.*?)">', NOTES.sub("", section))
    assert addresses == ["https://example.org/x?a=1&amp;b=2", "mailto:us@example.org"]


def test_cells_follow_the_mark_that_they_stand_under(tmp_path: Path) -> None:
    text = cell("before = 0", "a") + "\n[**One**]\n\n" + cell("one = 1  #@save", "a") + "\nProse.\n\n"
    text += cell("other_framework = 2", "b") + cell("two = 2", "a") + "\n## Next\n\n" + cell("unmarked = 3", "a")
    sections = deck(tmp_path / "book", text)
    assert [headline(section) for section in sections] == ["The Page", "One"]
    assert "one = 1" in shown(sections[1]) and "two = 2" in shown(sections[1]) and "frozen" in shown(sections[1])
    together = "".join(sections)
    assert not re.search("before|#@save|other_framework|unmarked", words(together))
    assert notes(sections[1]) == "One Prose."


def test_marked_headings_formulas_and_what_a_colon_announces(tmp_path: Path) -> None:
    sections = deck(
        tmp_path / "book",
        "## [**A Section**]\n\nIt holds that (**$$a = 1.$$**)\n\n(**We count**):\n\n| k | n |\n|--|--|\n| 1 | 2 |\n\n"
        "Not shown: $$b = 2$$\n\n[**As in**]\n\n```text\nlisting\n```\n",
    )
    assert [headline(section) for section in sections] == ["The Page", "A Section", "As in"]
    assert "a = 1" in sections[1] and "<table>" in sections[1] and "We count" in shown(sections[1])
    assert "b = 2" not in NOTES.sub("", sections[1]) and "b = 2" in notes(sections[1])
    assert shown(sections[2]) == "A Section listing"  # the section stands above the headline


def test_a_mark_over_several_blocks_and_a_hidden_one(tmp_path: Path) -> None:
    sections = deck(tmp_path / "book", "[~~Nobody reads\n\nthis on the page~~] Words.\n")
    assert [headline(section) for section in sections] == ["The Page", "Nobody reads"]
    assert shown(sections[1]) == "This on the page"


def test_a_marked_heading_brings_the_list_below_it(tmp_path: Path) -> None:
    (_, summary) = deck(tmp_path / "book", "## [**Summary**]\n\n* One.\n* Two.\n\nNo.\n")
    assert summary.count("<li>") == 2 and notes(summary) == "No."


def test_a_cell_can_be_kept_off(tmp_path: Path) -> None:
    text = "[**One**]\n\n" + cell("plumbing = 1", "a").replace(".input}", ".input .no-slide}") + cell("shown = 1", "a")
    (_, section) = deck(tmp_path / "book", text)
    assert "plumbing" not in section and "shown = 1" in shown(section)


def test_a_mark_around_a_sentence_and_its_formula_is_one_slide(tmp_path: Path) -> None:
    sections = deck(tmp_path / "book", "But [**now\n$$b$$**]\n:eqlabel:`eq_b`\n\n[**$$c$$**]\n:eqlabel:`eq_c`\n")
    assert [headline(section) for section in sections] == ["The Page", "Now", "The Page"]
    assert "(1.1)" in shown(sections[1]) and "(1.2)" in shown(sections[2])


def test_a_heading_without_a_mark_closes_the_slide(tmp_path: Path) -> None:
    sections = deck(tmp_path / "book", "[**One**]\n\n## Two\n\nLead-in.\n\n(**said here**)\n\n## Three\n\nNowhere.\n")
    assert [headline(section) for section in sections] == ["The Page", "One", "Two"]
    assert shown(sections[2]) == "Said here" and notes(sections[2]) == "Lead-in. said here"
    assert "Nowhere" not in "".join(sections)


def test_solutions_are_on_no_slide(tmp_path: Path) -> None:
    text = "[**Try**]\n\n1. How many?\n\n:begin_solution:\nThree.\n\n" + cell("secret = 3", "a") + ":end_solution:\n"
    assert "secret" not in "".join(deck(tmp_path / "book", text))


def test_figures_say_what_they_show_and_lie_in_the_shared_folder(tmp_path: Path) -> None:
    root = tmp_path / "book"
    write_book(root, {"deep/page": "[**See**]\n\n![Caption.](../x.svg)\n:alt:`It rises.`\n"}, "[build]\ntabs = a, b\n")
    (root / "x.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 6"/>')
    (path,), messages = decks_of(root, "b")
    assert messages == []
    found = re.search(r'<img src="([^"]+)" alt="It rises."/>', path.read_text())
    assert found is not None and (path.parent / found[1]).is_file()
    assert (path.parent / found[1]).resolve().is_relative_to(slides_directory(open_book(root)[1]) / "assets")


def test_the_deck_asks_for_files_beside_it_only(tmp_path: Path) -> None:
    root = tmp_path / "book"
    deck(root, "[**One** by the rule")
    write_book(root, {"page": "[**One**] $x$\n"}, "[build]\ntabs = a, b\n")
    (path,), _ = decks_of(root, "a")
    asked = re.findall(r'(?:src|href)="([^"#]+)"', path.read_text())
    assert len(asked) >= 6 and all((path.parent / place).is_file() for place in asked)
    fonts = path.parents[1] / "assets" / "fonts.css"
    for place in re.findall(r'url\("([^"]+)"\)', fonts.read_text()):
        assert (fonts.parent / place).is_file()


def test_corners_hold_what_the_configuration_says(tmp_path: Path) -> None:
    root = tmp_path / "book"
    slides = "[slides]\ntop_left = <b>A &amp; B</b><script>x</script>\ntop_right = <img src='http://a.b/c.png'>\n"
    write_book(root, {"page": "[**One**]\n"}, f"[build]\ntabs = a\n{slides}")
    (path,), messages = decks_of(root, "a")
    text = path.read_text()
    assert '<div class="corner left"><b>A &amp; B</b></div>' in text.replace("x</div>", "</div>")
    assert "http://a.b" not in text and "<script>x" not in text
    assert messages == [
        "config.ini:5:1: warning: top_right: 'http://a.b/c.png' is on another site; keep a copy in the book"
        " [figure-remote]"
    ]


def test_the_command_builds_decks_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_book(tmp_path / "book", {"one": "[**Mark**]\n", "two": "[**Mark**]\n"}, "[build]\ntabs = a, b\n")
    monkeypatch.chdir(tmp_path / "book")
    assert main(["build", "slides", "--tab", "b"]) == 0
    assert capsys.readouterr().out.startswith("2 decks of slides: ")
    assert main(["slides", "one"]) == 0
    assert sorted(str(path) for path in Path("_build/slides/en").glob("*/*.html")) == [
        "_build/slides/en/a/one.html",
        "_build/slides/en/b/one.html",
        "_build/slides/en/b/two.html",
    ]
    monkeypatch.setenv("PATH", "")
    assert main(["slides", "--pdf"]) == 1
    assert "apt-get install chromium" in capsys.readouterr().err


def test_only_pages_with_marks_have_decks_and_the_list_names_them(tmp_path: Path) -> None:
    root = tmp_path / "book"
    config = "[build]\ntabs = pytorch, jax\n[project]\ntitle = A & B\n"
    write_book(root, {"one": "[**Mark**]\n", "two": "Plain.\n"}, config)
    decks_of(root, "pytorch", "jax")
    directory = slides_directory(open_book(root)[1])
    assert sorted(path.name for path in directory.glob("*/*.html")) == ["one.html", "one.html"]
    listed = (directory / "index.html").read_text()
    assert 'href="pytorch/one.html"' in listed and 'href="jax/one.html"' in listed and "two" not in listed
    write_book(root, {"one": "No mark.\n", "two": "[**Mark**]\n"}, config)
    decks_of(root, "jax")
    assert [path.relative_to(directory).as_posix() for path in directory.glob("*/*.html")] == ["jax/two.html"]


def test_a_missing_result_keeps_that_deck_as_it_was_and_builds_the_others(tmp_path: Path) -> None:
    root = tmp_path / "book"
    config = "[build]\ntabs = a, b\n"
    write_book(root, {"one": "[**Old**]\n", "two": "[**Fine**]\n"}, config)
    (one, _), _ = decks_of(root, "a")
    before = one.read_bytes()
    write_book(root, {"one": "[**New**]\n\n" + cell("x", "a"), "two": "[**Better**]\n"}, config)
    paths, messages = decks_of(root, "a")
    assert [path.name for path in paths] == ["two.html"] and "the result for a is missing" in messages[0]
    assert one.read_bytes() == before


def test_the_same_bytes_from_another_place(tmp_path: Path) -> None:
    root = tmp_path / "book"
    deck(root, "[**One**] $x_1$\n\n" + cell("x = 1", "a"))
    shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("_build"))
    decks_of(tmp_path / "copy", "a")
    for path in sorted((root / "_build" / "slides").rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "copy" / path.relative_to(root)).read_bytes(), path


# ---- code on slides --------------------------------------------------------------------------------------------------

LONG = "\n".join(f"def f{number}(x):\n    y = x + {number}\n    return y\n" for number in range(9))


def test_long_code_is_cut_between_statements_and_nothing_is_lost() -> None:
    parts = pieces(LONG.strip("\n"))
    assert max(part.count("\n") + 1 for part in parts) <= LINES
    assert all(part.startswith("def ") for part in parts)
    assert [line for part in parts for line in part.split("\n") if line] == [line for line in LONG.split("\n") if line]


def test_code_that_is_too_long_by_blank_lines_only_loses_them() -> None:
    code = "\n\n".join(f"x{number} = {number}" for number in range(LINES))
    assert pieces(code) == [code.replace("\n\n", "\n")]


def test_code_without_a_place_to_cut_is_cut_all_the_same() -> None:
    text = "text = '''\n" + "\n".join(map(str, range(40))) + "\n'''"
    assert [line for part in pieces(text) for line in part.split("\n")] == text.split("\n")


def test_comments_stay_off_and_strings_whole() -> None:
    assert without_comments("#@save\nx = '# no comment'  # one\n\n# two\ny = 1") == "x = '# no comment'\n\ny = 1"
    assert without_comments("%%bash\n# kept\nls") == "%%bash\n# kept\nls"


def test_a_docstring_is_its_first_line() -> None:
    assert short_docstrings('def f():\n    """One.\n\n    Two.\n    """\n    return 1') == (
        'def f():\n    """One."""\n    return 1'
    )


@pytest.mark.parametrize(("heights", "expected"), [([200.0, 200], [2]), ([400, 400], [1, 1]), ([900], [1])])
def test_a_slide_takes_as_many_sheets_as_its_pieces_need(heights: list[float], expected: list[int]) -> None:
    found = sheets(Slide("Head", pieces=[Piece("x", height) for height in heights]))
    assert [len(sheet.pieces) for sheet in found] == expected
    assert [(sheet.part, sheet.parts) for sheet in found] == [(n + 1, len(expected)) for n in range(len(expected))]


def test_a_cell_and_its_output_stay_together_and_no_sheet_has_too_much_code() -> None:
    pieces_ = [Piece("a", 300), Piece("b", 250, 1, 0, 9), Piece("c", 100, 1), Piece("d", 90, 2, 0, 8), Note("n")]
    found = sheets(Slide("Head", pieces=list(pieces_)))
    assert [[piece.html for piece in sheet.pieces] for sheet in found] == [["a"], ["b", "c"], ["d"]]
    assert found[-1].notes == ["n"]


def tall(height: float = 520) -> Piece:
    return Piece("figure", height, is_tall=True)


def text(words: str = "Words.") -> Piece:
    return Piece(f"<p>{words}</p>", 54, is_text=True)


def kinds(pieces: list[Piece | Note], headline: str = "Head") -> list[tuple[str, int]]:
    return [(sheet.kind, len(sheet.pieces)) for sheet in sheets(Slide(headline, pieces=pieces))]


def test_a_tall_figure_has_the_height_of_the_slide_with_text_beside_it() -> None:
    assert kinds([tall()]) == [("beside", 1)]
    assert kinds([text(), tall(), text(), text()]) == [("beside", 4)]
    assert kinds([tall()], "A headline of so many words that it takes several lines in a column. " * 2) == [
        ("beside", 1)
    ]


def test_what_does_not_fit_beside_a_tall_figure_goes_on_another_sheet() -> None:
    long = text("many words " * 40)
    assert kinds([tall(), long, long]) == [("beside", 2), ("roomy", 1)]
    assert kinds([Piece("formula", 84), tall()]) == [("roomy", 1), ("beside", 1)]
    assert kinds([tall(), Piece("code", 120, 1, 20, 3)]) == [("beside", 1), ("roomy", 1)]
    assert kinds([tall(), tall()]) == [("beside", 1), ("beside", 1)]


def test_a_sentence_alone_is_a_statement() -> None:
    assert kinds([]) == [("statement", 0)]


def test_notes_stay_while_a_slide_goes_on() -> None:
    found = sheets(
        Slide("Head", pieces=[Note("first"), Piece("a", 500), Piece("b", 500), Piece("c", 500), Note("last")])
    )
    assert [sheet.notes for sheet in found] == [["first"], ["first"], ["last"]]


def test_a_line_too_many_makes_the_type_smaller_and_more_of_them_another_sheet() -> None:
    assert kinds([Piece("text", 100, is_text=True) for _ in range(6)]) == [("dense", 6)]
    assert [count for _, count in kinds([Piece("text", 100, is_text=True) for _ in range(7)])] == [5, 2]
    assert [count for _, count in kinds([Piece("code", 100, n, 20, 3) for n in range(1, 7)])] == [5, 1]


def test_a_sentence_stays_with_the_formula_that_it_leads_to(tmp_path: Path) -> None:
    code = cell("\n".join(f"value_{number} = {number}" for number in range(14)))
    page = f"[**First**]\n\n{code}\n(**The bubble is:**)\n\n$$x = 1$$\n"
    assert [words(part).endswith("The bubble is") for part in deck(tmp_path / "book", page)] == [False] * 3
    assert "The bubble is" in words(deck(tmp_path / "book", page)[-1])


def test_no_line_ends_between_a_formula_and_its_full_stop(tmp_path: Path) -> None:
    headline = HEAD.findall("".join(deck(tmp_path / "book", "[**The $j$-th part, ($k$), of $x$ is small**]\n")))[1]
    plain = re.sub(r"<annotation.*?</annotation>", "", headline, flags=re.DOTALL)
    held = re.findall(r'<span class="joined">(.*?)</span>', plain, re.DOTALL)
    assert [words(part).replace(" ", "") for part in held] == ["j-th", "(k),"]
