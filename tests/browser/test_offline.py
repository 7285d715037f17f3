"""The offline copy: the whole site read from files, without a server or network."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from site_book import TINYBOOK

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.build import build
from d2lbook.export.site.offline import pack
from d2lbook.rendering.book_context import BookContext


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("offline") / "book"
    shutil.copytree(TINYBOOK, root)
    config_file = root / "config.ini"
    config_file.write_text(config_file.read_text().replace("[build]", "[build]\neval_notebook = False"))
    messages = Messages()
    config = load(config_file, messages)
    book = load_book(config, messages)
    context = BookContext.of(book, config, book.tabs, messages)
    build(context)
    path = pack(context)
    assert [str(message) for message in messages] == []
    first = path.read_bytes()
    assert pack(context).read_bytes() == first
    with zipfile.ZipFile(path) as archive:
        archive.extractall(root / "unpacked")
    return root / "unpacked" / "tinybook"


@pytest.fixture
def page(browser: Browser, unpacked: Path) -> Iterator[Page]:
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.goto((unpacked / "index.html").as_uri())
    yield page
    assert wrong == []
    context.close()


def search(page: Page, words: str) -> None:
    page.keyboard.press("/")
    page.locator(".d2l-search input").fill(words)


def test_search_finds_a_word_of_a_page_and_leads_there(page: Page) -> None:
    search(page, "remedy")
    results = page.locator(".d2l-search-results li")
    expect(results).to_have_count(1)
    expect(results.locator("mark")).to_have_text("remedy")
    results.locator("a").click()
    page.wait_for_url("**/chapter_numbers/rounding.html*")
    assert page.url.startswith("file:")


def test_search_does_not_find_what_is_not_there(page: Page) -> None:
    search(page, "xylophone")
    expect(page.locator(".d2l-search-state")).to_have_text("Nothing found for “xylophone”.")
    expect(page.locator(".d2l-search-results li")).to_have_count(0)


def test_a_framework_chosen_is_kept_from_page_to_page(page: Page, unpacked: Path) -> None:
    page.goto((unpacked / "chapter_numbers" / "means.html").as_uri() + "?fw=exact")
    with page.context.new_page() as other:  # Chromium tells other processes what is kept a few milliseconds later
        other.goto((unpacked / "index.html").as_uri())
        other.wait_for_function("Object.values(localStorage).includes('exact')")
        other.goto((unpacked / "chapter_numbers" / "library.html").as_uri())  # in the process that has heard of it
        assert other.locator("html").get_attribute("data-fw") == "exact"
        assert "fw=exact" in other.url


def test_nothing_of_the_index_for_servers_is_in_the_copy(unpacked: Path) -> None:
    assert not (unpacked / "pagefind").exists()
    assert {path.name for path in (unpacked / "_offline").iterdir()} == {"plain.js", "exact.js", "whole.js"}
