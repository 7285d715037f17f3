"""What formats are written from is made once for a command, whichever formats and languages ask for it."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from books import freeze, open_book, view_of
from site_book import TINYBOOK

from d2lbook import library, process_pool, view
from d2lbook.cli import main
from d2lbook.diagnostics import Messages
from d2lbook.execute import state
from d2lbook.rendering.book_context import BookContext

MEANS = "chapter_numbers/means"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The tiny book with all its results."""
    root = tmp_path / "book"
    shutil.copytree(TINYBOOK, root)
    freeze_all(root)
    return root


def freeze_all(root: Path) -> None:
    book, _ = open_book(root)
    for page in book.pages:
        for tab in book.tabs:
            if view_of(book, page.document.name, tab).cells:
                freeze(root, page.document.name, tab)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Counter[str]]:
    """What is loaded and made from now on, and how often: in a file, to which processes that are started add."""
    log = tmp_path / "log"
    log.touch()

    def logged(module: Any, name: str, what: Callable[..., object]) -> None:
        make = getattr(module, name)

        def making(*arguments: Any, **options: Any) -> Any:
            with log.open("a") as file:
                file.write(f"{what(*arguments)}\n")
            return make(*arguments, **options)

        monkeypatch.setattr(module, name, making)

    logged(state, "load_run", lambda root, page, tab, device="cpu": f"result {page} {tab} {device}")
    logged(view, "_Maker", lambda tab, tabs, slides, path, lines: f"view {path} {tab} {slides}")
    logged(library, "assemble", lambda book, config, tab: f"library {config.lang} {tab}")
    return lambda: Counter(log.read_text().splitlines())


@pytest.mark.parametrize("commands", [["all"], ["all", "epub", "slides", "pkg"]], ids=" ".join)
def test_results_views_and_libraries_are_made_once(
    root: Path, made: Callable[[], Counter[str]], monkeypatch: pytest.MonkeyPatch, commands: list[str]
) -> None:
    monkeypatch.setattr(process_pool, "processors", lambda: 1)
    assert main(["build", *commands, "--config", str(root / "config.ini")]) == 0
    found = made()
    assert {f"result {MEANS} exact cpu", f"view {MEANS}.md exact False", "library en exact"} <= found.keys()
    assert [name for name, count in found.items() if count > 1] == []


def test_languages_share_the_results(root: Path, made: Callable[[], Counter[str]]) -> None:
    config = root / "config.ini"
    assert main(["translate", "add", "ko", "--config", str(config)]) == 0
    assert main(["build", "html", "ipynb", "epub", "--config", str(config)]) == 0
    results = {name: count for name, count in made().items() if name.startswith("result")}
    assert results and set(results.values()) == {1}


def test_results_that_a_command_has_made_are_seen_by_the_next(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = root / f"{MEANS}.md"
    page.write_text(page.read_text().replace("#@tab plain\n", "#@tab plain\nprint('added')\n", 1))
    config = str(root / "config.ini")
    assert main(["build", "epub", "eval", "slides", "ipynb", "--tab", "plain", "--config", config]) == 1
    output = capsys.readouterr()
    assert output.err.count("the result for plain is stale") == 1 and "epub: with faults" in output.out
    assert "added" in (root / "_build" / "ipynb-with-outputs" / "en" / "plain" / f"{MEANS}.ipynb").read_text()


def test_a_part_that_fails_does_not_fail_the_whole(root: Path) -> None:
    book, config = open_book(root)
    (root / "outputs" / MEANS / "exact.cpu.json").write_text("{")
    context = BookContext.of(book, config, book.tabs, Messages())
    apart = context.apart()
    pages = context.pages([MEANS])
    complete = {place for place, results in apart.results(pages).items() if results.complete}
    assert complete == {(MEANS, "plain"), (MEANS, "whole")}
    assert [message.code for message in apart.messages] == ["result-damaged"] and not context.messages.failed
    assert context.results(pages, ["plain"]) == apart.results(pages, ["plain"]) and not context.messages.failed
