"""Readers change the device whose results they see: with mouse and keyboard, for all cells, from page to page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from barriers import find_barriers
from books import freeze, freeze_on_gpu, open_book, printed, view_of
from playwright.sync_api import BrowserContext, Locator, Page, expect
from site_book import TINYBOOK
from static_host import served

from d2lbook.diagnostics import Messages
from d2lbook.export.site.build import build
from d2lbook.rendering.book_context import BookContext

MEANS = "chapter_numbers/means"
ADDRESS = f"/{MEANS}.html"
WIDE = "by a GPU, with many words " * 20
Reader = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The tiny book with results of two devices on one page."""
    root: Path = tmp_path_factory.mktemp("devices") / "book"
    shutil.copytree(TINYBOOK, root)
    book, _ = open_book(root)
    for page in book.pages:
        for tab in book.tabs:
            if view_of(book, page.document.name, tab).cells:
                freeze(root, page.document.name, tab, "by a processor")
    freeze_on_gpu(root, MEANS, "plain", printed(WIDE))
    freeze_on_gpu(root, MEANS, "exact", printed("older"), stale=True)
    book, config = open_book(root)
    messages = Messages()
    site = build(BookContext.of(book, config, book.tabs, messages))
    assert list(messages) == []
    with served(site) as found:
        yield found


def seen(page: Page) -> list[str]:
    """The kind of device of each result that is seen, of cells with a choice."""
    kinds = page.locator(".d2l-on").evaluate_all("all => all.filter(e => e.offsetHeight).map(e => e.dataset.on)")
    return list(kinds)


def button(page: Page, name: str, number: int = 0) -> Locator:
    return page.get_by_role("radio", name=name, exact=True).nth(number)


def test_a_choice_holds_for_all_cells_all_frameworks_the_address_and_the_next_page(reader: Reader) -> None:
    page = reader().new_page()
    page.goto(ADDRESS)
    first = seen(page)
    assert {"cpu", "cuda"} == set(first) and "device=" not in page.url  # each cell as the page orders it
    button(page, "H100").click()
    assert seen(page) == ["cuda"] * len(first)
    assert "device=cuda" in page.url and "fw=plain" in page.url
    expect(button(page, "H100")).to_have_attribute("aria-checked", "true")
    expect(button(page, "CPU")).to_have_attribute("aria-checked", "false")
    page.get_by_role("radio", name="exact").click()
    assert set(seen(page)) == {"cuda"}
    page.goto("/index.html")
    page.goto(ADDRESS)  # as remembered
    assert set(seen(page)) == {"cuda"} and "device=cuda" in page.url
    button(page, "CPU").click()
    assert set(seen(page)) == {"cpu"}


def test_the_address_says_the_device_and_one_that_nobody_has_changes_nothing(reader: Reader) -> None:
    page = reader().new_page()
    page.goto(f"{ADDRESS}?device=cuda")
    assert set(seen(page)) == {"cuda"}
    other = reader().new_page()
    other.goto(f"{ADDRESS}?device=abacus")
    assert set(seen(other)) == {"cpu", "cuda"}


def test_arrows_change_the_device_and_the_choice_stays_where_it_was(reader: Reader) -> None:
    page = reader().new_page()
    page.goto(ADDRESS)
    last = button(page, "CPU", 2)
    last.scroll_into_view_if_needed()
    last.focus()
    before = last.bounding_box()
    page.keyboard.press("ArrowRight")
    expect(button(page, "H100", 2)).to_be_focused()
    assert set(seen(page)) == {"cuda"}
    after = last.bounding_box()
    assert before is not None and after is not None and abs(before["y"] - after["y"]) < 1


def test_without_scripts_the_first_is_seen_and_no_button(reader: Reader) -> None:
    page = reader(java_script_enabled=False).new_page()
    page.goto(ADDRESS)
    expect(page.locator(".d2l-choice").first).to_be_hidden()
    displayed = "box => [...box.querySelectorAll('.d2l-on')].map(e => getComputedStyle(e).display)"
    for box in page.locator(".d2l-output[data-devices]").all():
        assert box.evaluate(displayed) == ["block", "none"]


def test_paper_has_the_gpu_s_and_both_where_the_text_compares(reader: Reader) -> None:
    page = reader().new_page()
    page.goto(f"{ADDRESS}?device=cpu")
    page.emulate_media(media="print")
    assert seen(page)[:3] == ["cuda", "cpu", "cuda"]
    expect(page.locator(".d2l-choice").first).to_be_hidden()


def test_a_stale_result_says_so(reader: Reader) -> None:
    page = reader().new_page()
    page.goto(f"{ADDRESS}?fw=exact&device=cuda")
    expect(page.get_by_text("the code has changed since").locator("visible=true").first).to_be_visible()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_no_barrier_that_axe_knows(reader: Reader, mode: str) -> None:
    page = reader(color_scheme=mode).new_page()
    page.goto(f"{ADDRESS}?device=cuda")
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("width", [320, 390])
def test_a_phone_has_room_for_the_choice(reader: Reader, width: int) -> None:
    page = reader(viewport={"width": width, "height": 700}).new_page()
    page.goto(f"{ADDRESS}?device=cuda")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
