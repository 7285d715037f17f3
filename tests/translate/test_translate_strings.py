"""Printed strings in another language: shown only where the page has been run with them, else the source's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from books import cell, freeze
from translated import CONFIG, open_book, run, set_message, write

from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.editions import Edition, editions, pages_to_run
from d2lbook.execute.frozen import CellResult, Produced, Run, load_run, store_run
from d2lbook.execute.key import cell_hash, result_key
from d2lbook.execute.state import page_state
from d2lbook.execute.versions import expected
from d2lbook.export.site.build import build
from d2lbook.model import Document
from d2lbook.rendering.book_context import BookContext
from d2lbook.view import make_view

CODE = "# adds\nprint('the sum is', 1 + 1)"
PAGE = f"# Page\n\nText.\n\n{cell(CODE, 'all')}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    book = write(tmp_path / "book", PAGE, CONFIG.replace("a, b", "a"))
    assert run(book, "update") == 0
    set_message(book, "adds", "addiert")
    set_message(book, "the sum is", "die Summe ist")
    freeze(book, "page", "a")
    return book


def edition(root: Path) -> Edition:
    book, config = open_book(root)
    return editions(book, config, ["xx"], Messages())[0]


def shown(root: Path) -> Document:
    page = edition(root).book.page("page")
    assert page is not None
    return page.document


def run_in_language(root: Path, output: str = "die Summe ist 2") -> None:
    """Freezes what running the page in the language gives, without running it."""
    book, config = open_book(root)
    (document,) = pages_to_run(book, config, "xx")
    view = make_view(document, "a", book.tabs)
    outputs = ({"output_type": "stream", "name": "stdout", "text": f"{output}\n"},)
    cells = tuple(CellResult(cell_hash(cell.runs), 0.1, outputs) for cell in view.cells)
    key = result_key(view, book, config, expected("a", root, {}))
    produced = Produced({"python": "3.11"}, "CPU, 2 cores", "2026-01-02", 0.1)
    store_run(root, document.result_name, "a", Run(key, cells, produced))


def test_a_string_stays_as_it_is_until_the_page_has_been_run_with_it(root: Path) -> None:
    assert "# addiert\nprint('the sum is', 1 + 1)" in shown(root).text
    assert shown(root).result_name == "page"


def test_a_page_that_has_been_run_shows_its_strings_and_their_results(root: Path) -> None:
    run_in_language(root)
    document = shown(root)
    assert "# addiert\nprint('die Summe ist', 1 + 1)" in document.text
    assert document.result_name == "xx/page"
    made = edition(root)
    view = make_view(document, "a", made.book.tabs)
    assert page_state(view.document, "a", made.book, made.config) == "fresh"
    assert (root / "outputs" / "xx" / "page" / "a.cpu.json").exists()
    assert view.cells[0].runs == "# adds\nprint('die Summe ist', 1 + 1)"


def test_an_edition_is_made_once_until_its_pages_have_been_run(root: Path) -> None:
    book, config = open_book(root)
    (root / "locales" / "xx" / "nowhere.po").write_text((root / "locales" / "xx" / "page.po").read_text())
    messages, again = Messages(), Messages()
    (first,) = editions(book, config, ["xx"], messages)
    assert editions(book, config, ["xx"], again) == [first] and editions(book, config, ["xx"], again)[0] is first
    assert [message.code for message in again] == [message.code for message in messages] == ["catalog-page"]
    run_in_language(root)
    (then,) = editions(book, config, ["xx"], messages)
    assert then is not first and then.book.pages[-1].document.results == "xx"


def test_the_site_says_in_which_language_a_page_prints(root: Path) -> None:
    def printed() -> list[str]:
        book, config = open_book(root)
        messages = Messages()
        site = build(BookContext.of(book, config, book.tabs, messages), languages=("xx",))
        assert [str(message) for message in messages if message.level == "error"] == []
        return re.findall(r"<pre class=\"d2l-text[^>]*>", (site / "xx" / "page.html").read_text(encoding="utf-8"))

    assert printed() == ['<pre class="d2l-text d2l-stdout" lang="en">']
    run_in_language(root)
    assert printed() == ['<pre class="d2l-text d2l-stdout">']


@pytest.mark.parametrize("change", ["code", "translation"])
def test_a_result_of_something_else_is_not_shown(root: Path, change: str) -> None:
    run_in_language(root)
    if change == "code":
        write(root, PAGE.replace("1 + 1", "1 + 2"), CONFIG.replace("a, b", "a"))
    else:
        set_message(root, "the sum is", "Summe:")
    assert "'the sum is'" in shown(root).text and shown(root).result_name == "page"


def test_english_keeps_its_results(root: Path) -> None:
    run_in_language(root)
    book, config = open_book(root)
    page = book.page("page")
    assert page is not None
    assert page_state(page.document, "a", book, config) == "fresh"


def test_only_pages_with_translated_strings_are_run(root: Path) -> None:
    book, config = open_book(root)
    assert [document.result_name for document in pages_to_run(book, config, "xx")] == ["xx/page"]
    set_message(root, "the sum is", "")
    assert pages_to_run(book, config, "xx") == []


def test_status_lists_results_of_other_languages(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(root / "config.ini")
    assert main(["status", "--config", config]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == [["page", "a", "fresh"], ["xx/page", "a", "missing"]]
    run_in_language(root)
    assert main(["status", "--config", config]) == 0


def test_eval_runs_a_page_in_its_language(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--lang", "xx", "--config", str(root / "config.ini")]) == 0
    found = load_run(root, "xx/page", "a")
    assert found is not None
    assert found.cells[0].outputs == ({"output_type": "stream", "name": "stdout", "text": "die Summe ist 2\n"},)
    assert "die Summe ist" in shown(root).text
    english = load_run(root, "page", "a")
    assert english is not None and english.cells[0].outputs[0]["text"] == "frozen\n"
    capsys.readouterr()
    assert main(["eval", "--lang", "xx", "--config", str(root / "config.ini")]) == 0
    assert "0 to run" in capsys.readouterr().out
