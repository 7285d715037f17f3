"""The folder that `deploy` makes, on a host that serves it below a path and shows `404.html` for what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from http import HTTPStatus

import pytest
from playwright.sync_api import Browser, Page, expect
from site_book import TINYBOOK, build_site
from static_host import hosted

from d2lbook.book import load_book
from d2lbook.commands.publish import offers
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.deploy.build import prepare, write
from d2lbook.rendering.book_context import BookContext

BELOW = "shelf/tiny"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the start page's folder."""
    root = tmp_path_factory.mktemp("published") / "book"
    shutil.copytree(TINYBOOK, root)
    build_site(root)
    built = root / "_build"
    deck = built / "slides" / "en" / "exact" / "chapter_numbers" / "means.html"
    pdfs = [built / "pdf" / "en" / f"{name}.pdf" for name in ("plain", "exact")]
    for path in (*pdfs, deck, built / "slides" / "en" / "index.html"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF" if path.suffix == ".pdf" else b"<!DOCTYPE html><title>Deck</title>")
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    folder = write(prepare([BookContext.of(book, config, book.tabs, messages)], offers()), config)
    assert [str(message) for message in messages] == []
    with hosted(folder, root.parent / "served", BELOW) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("missing", ["gone.html", "chapter_numbers/gone.html", "a/b/c/gone"])
def test_a_missing_page_leads_to_the_start_page_from_any_depth(page: Page, host: str, missing: str) -> None:
    answer = page.goto(host + missing)
    assert answer is not None and answer.status == HTTPStatus.NOT_FOUND
    link = page.get_by_role("link", name="A Tiny Book")
    expect(link).to_have_attribute("href", f"/{BELOW}/")
    link.click()
    expect(page.locator("h1")).to_contain_text("Tiny Book")


def test_pages_find_everything_under_its_new_name(page: Page, host: str) -> None:
    failed: list[str] = []
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(host + "chapter_numbers/means.html?fw=exact")
    assert page.evaluate("document.documentElement.dataset.fw") == "exact"
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"D2L Serif"')
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("mean")
    expect(page.locator(".d2l-search-results li").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert failed == []


def test_the_downloads_fit_on_a_phone(page: Page, host: str) -> None:
    page.goto(host)
    downloads = page.locator("#downloads")
    expect(downloads.get_by_role("link", name="plain")).to_have_attribute("href", "downloads/tinybook-plain.pdf")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = downloads.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390


def test_a_page_offers_the_formats_of_the_chosen_framework(page: Page, host: str) -> None:
    page.goto(host + "chapter_numbers/means.html?fw=plain")
    menu = page.locator(".d2l-formats")
    menu.locator("summary").click()
    expect(menu.get_by_role("link")).to_have_text(["The book as PDF · plain", "All downloads"])
    page.locator(".d2l-chooser").get_by_role("radio", name="exact").click()
    expect(menu.get_by_role("link")).to_have_text(
        ["Slides of this page · exact", "The book as PDF · exact", "All downloads"]
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    menu.get_by_role("link", name="All downloads").click()
    expect(page.locator("#downloads")).to_be_in_viewport()
    page.go_back()
    page.locator(".d2l-formats summary").click()
    page.get_by_role("link", name="Slides of this page").click()
    expect(page).to_have_title("Deck")


def test_without_javascript_a_page_offers_the_formats_of_all_frameworks(browser: Browser, host: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(host + "chapter_numbers/means.html")
    page.locator(".d2l-formats summary").click()
    for words in ("The book as PDF · plain", "The book as PDF · exact", "Slides of this page · exact"):
        expect(page.get_by_role("link", name=words)).to_be_visible()
    context.close()
