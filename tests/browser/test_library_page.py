"""The libraries' reference as a reader meets it: one framework at a time, reached by search and by links."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

LIBRARY = "/chapter_numbers/library.html"


def test_it_shows_what_the_chosen_framework_has(page: Page) -> None:
    page.goto(f"{LIBRARY}?fw=plain")
    expect(page.locator("#api-Summary")).to_be_visible()
    row = page.locator("tr#api-root")
    expect(row.locator("td").nth(1)).to_have_text("math.sqrt", use_inner_text=True)
    page.goto(f"{LIBRARY}?fw=whole")
    expect(row.locator("td").nth(1)).to_have_text("math.isqrt", use_inner_text=True)
    expect(page.locator("tr#api-power td").nth(1)).to_have_text("base ** exponent", use_inner_text=True)


def test_without_javascript_each_variant_says_whose_it_is(reader: Callable[..., BrowserContext]) -> None:
    page = reader(java_script_enabled=False).new_page()
    page.goto(LIBRARY)
    cell = page.locator("tr#api-root td").nth(1)
    assert [line for line in cell.inner_text().split("\n") if line.strip()] == [
        "plain",
        "math.sqrt",
        "exact",
        "–",
        "whole",
        "math.isqrt",
    ]


def test_search_leads_to_a_name(page: Page) -> None:
    page.goto("/index.html?fw=plain")
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("extends")
    link = page.locator(".d2l-search-results a", has_text="Summary")
    expect(link.first).to_be_visible()
    assert str(link.first.get_attribute("href")).endswith("library.html?fw=plain#api-Summary")


def test_a_name_leads_to_the_section_that_defines_it(page: Page) -> None:
    page.goto(f"{LIBRARY}?fw=exact")
    page.get_by_role("link", name="d2l.Summary.of").click()
    expect(page.locator("dt:target code")).to_have_text("of(numbers)")
    page.locator("#api-mean + dd").get_by_role("link", name="Section 1.1.1").click()
    page.wait_for_url("**/means.html?fw=exact#subsec-one-cell")


def test_the_page_s_contents_list_the_pages_that_define(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(LIBRARY)
    contents = page.locator(".d2l-page-contents a").all_inner_texts()
    assert contents == ["Reference", "1.1 Means", "1.3 A Library"]
