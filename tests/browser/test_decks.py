"""Decks in Chromium: from files, without a network; keys lead through them; nothing runs over; printed as PDF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from books import cell, freeze, open_book, write_book
from playwright.sync_api import Browser, Page

from d2lbook.diagnostics import Messages
from d2lbook.export.slides.build import build, print_pdfs
from d2lbook.rendering.book_context import BookContext

TEXT = (
    "Goal.\n\n[**First of all**] we say $x_1$.\n\n"
    + cell("def f(x):\n    return x + 1\n\nprint(f(1))", "a")
    + "\n[**A long cell**]\n\n"
    + cell("\n".join(f"value_{number} = {number}" for number in range(40)), "a")
    + "\n[**Last**]\n\n$$\\sum_i x_i = 1$$\n"
)


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("slides") / "book"
    write_book(root, {"page": TEXT}, "[build]\ntabs = a, b\n")
    freeze(root, "page", "a")
    return build_decks(root, "a")[0]


def build_decks(root: Path, *tabs: str) -> list[Path]:
    book, config = open_book(root)
    messages = Messages()
    paths = build(BookContext.of(book, config, tabs, messages))
    assert [str(message) for message in messages] == []
    return paths


@pytest.fixture
def screen(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    yield page
    page.close()


def opened(page: Page, deck: Path) -> list[str]:
    """Opens a deck; what went wrong, and every request that is not for a file."""
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("request", lambda request: wrong.append(request.url) if not request.url.startswith("file:") else None)
    page.goto(deck.resolve().as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    page.evaluate("document.fonts.ready")
    return wrong


def test_keys_lead_forward_and_back_and_code_is_seen(screen: Page, deck: Path) -> None:
    assert opened(screen, deck) == []
    seen = screen.locator("section.present")
    assert seen.locator("h1").inner_text() == "The Page"
    screen.keyboard.press("ArrowRight")
    assert seen.locator("h2").inner_text() == "First of all"
    assert seen.locator("pre.code").is_visible() and "return x + 1" in seen.locator("pre.code").inner_text()
    assert seen.locator("pre.printed").inner_text() == "frozen"
    screen.keyboard.press("Space")
    assert seen.locator("h2").inner_text() == "A long cell"
    screen.keyboard.press("ArrowLeft")
    assert seen.locator("h2").inner_text() == "First of all"
    screen.get_by_role("button", name=re.compile("next", re.IGNORECASE)).click()
    assert seen.locator("h2").inner_text() == "A long cell"


def test_formulas_are_drawn_and_notes_are_not(screen: Page, deck: Path) -> None:
    opened(screen, deck)
    screen.keyboard.press("End")
    height = screen.locator("section.present math").bounding_box()
    assert height is not None and height["height"] > 30
    assert screen.locator("aside.notes:visible").count() == 0


def test_a_reader_of_screens_finds_nothing_wrong(screen: Page, deck: Path) -> None:
    opened(screen, deck)
    screen.keyboard.press("ArrowRight")
    found = Axe().run(screen)
    assert found.violations_count == 0, found.generate_report()


def test_a_pdf_has_a_page_for_each_slide_and_is_not_printed_twice(deck: Path) -> None:
    book, config = open_book(deck.parents[4])
    messages = Messages()
    (path,) = print_pdfs(BookContext.of(book, config, book.tabs, messages), [deck])
    assert [str(message) for message in messages] == []
    content = path.read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", content)) == deck.read_text().count("<section")
    changed = path.stat().st_mtime_ns
    print_pdfs(BookContext.of(book, config, book.tabs, messages), [deck])
    assert path.stat().st_mtime_ns == changed
    path.unlink()
    print_pdfs(BookContext.of(book, config, book.tabs, messages), [deck])
    assert path.read_bytes() == content


def test_without_chromium_it_says_what_to_install(deck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    book, config = open_book(deck.parents[4])
    messages = Messages()
    assert print_pdfs(BookContext.of(book, config, book.tabs, messages), [deck]) == []
    assert [str(message) for message in messages] == [
        "slides: error: Chromium, which prints the slides, is missing; on Debian:"
        " apt-get install chromium-headless-shell [slides-browser]"
    ]
