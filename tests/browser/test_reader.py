"""What scripts add to a page: contents on every width, previews, the place kept, signs of what goes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from barriers import find_barriers
from playwright.sync_api import BrowserContext, Page, expect

MEANS = "/chapter_numbers/means.html"
ROUNDING = "/chapter_numbers/rounding.html"
PHONE = {"width": 390, "height": 740}
Reader = Callable[..., BrowserContext]
IS_OPEN = "document.documentElement.classList.contains('d2l-contents-open')"


def test_a_phone_s_drawer_has_the_page_s_sections_and_closes_outside(reader: Reader) -> None:
    page = reader(viewport=PHONE).new_page()
    page.goto(MEANS)
    page.locator(".d2l-menu").click()
    here = page.locator(".d2l-page-here")
    expect(here.get_by_role("link").first).to_be_in_viewport()
    expect(here.locator(".d2l-share")).to_be_visible()
    page.mouse.click(PHONE["width"] - 5, PHONE["height"] - 60)
    expect(here).not_to_be_visible()
    assert not page.evaluate(IS_OPEN)
    expect(page.locator(".d2l-menu")).to_have_attribute("aria-expanded", "false")


def test_a_link_of_the_drawer_closes_it_and_leads_there(reader: Reader) -> None:
    page = reader(viewport=PHONE).new_page()
    page.goto(MEANS)
    page.locator(".d2l-menu").click()
    link = page.locator(".d2l-page-here li a").last
    wanted = str(link.get_attribute("href"))
    link.click()
    assert not page.evaluate(IS_OPEN)
    assert page.url.endswith(wanted)


def test_the_link_can_be_copied_beside_the_text_and_says_so(reader: Reader) -> None:
    page = reader(viewport={"width": 1366, "height": 700}, permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{MEANS}?fw=whole#exercises")
    button = page.locator(".d2l-page-contents + .d2l-tools .d2l-share")
    expect(button).to_be_in_viewport()
    button.click()
    expect(button).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith("?fw=whole#exercises")
    expect(page.locator(".d2l-page-contents + .d2l-tools a")).to_have_attribute(
        "href", "https://example.org/edit/chapter_numbers/means.md"
    )


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_an_open_drawer_has_no_barrier(reader: Reader, mode: str) -> None:
    page = reader(viewport=PHONE, color_scheme=mode).new_page()
    page.goto(MEANS)
    page.locator(".d2l-menu").click()
    expect(page.locator(".d2l-page-here")).to_be_visible()
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()


def test_the_section_that_is_read_is_marked(reader: Reader) -> None:
    page = reader(viewport={"width": 1366, "height": 500}).new_page()
    page.goto(MEANS)
    links = page.locator(".d2l-page-contents a[href^='#']")
    current = page.locator(".d2l-page-contents a[aria-current]")
    expect(current).to_have_count(0)
    name = str(links.nth(1).get_attribute("href"))
    page.locator(name).evaluate("place => place.scrollIntoView()")
    expect(current).to_have_count(1)
    expect(current).to_have_attribute("href", name)


def test_the_text_stays_where_it_is_when_the_bar_changes_the_framework(reader: Reader) -> None:
    page = reader(viewport={"width": 1366, "height": 500}).new_page()
    page.goto(f"{MEANS}?fw=plain")
    heading = page.locator(".bd-article section section h2").last
    heading.evaluate("place => scrollBy(0, place.getBoundingClientRect().top - 90)")
    top = "place => place.getBoundingClientRect().top"
    before = heading.evaluate(top)
    page.get_by_role("radio", name="whole").evaluate("button => button.click()")  # Playwright's own may scroll
    assert heading.evaluate(top) == pytest.approx(before, abs=2)


def test_a_reference_shows_what_it_is_about_and_escape_hides_it(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=plain")
    link = page.get_by_role("link", name="Kahan, 1965").first
    preview = page.locator("#d2l-preview")
    link.hover()
    expect(preview).to_be_visible()
    expect(preview).to_contain_text("Kahan")
    expect(link).to_have_attribute("aria-describedby", "d2l-preview")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    assert link.get_attribute("aria-describedby") is None


def test_so_does_the_keyboard_and_nothing_is_a_barrier(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=plain")
    link = page.locator('.bd-article a[href*="#cite-"]').first
    page.keyboard.press("Tab")  # the keyboard is in use
    link.focus()
    expect(page.locator("#d2l-preview")).to_be_visible()
    results = find_barriers(page, "light")
    assert results.violations_count == 0, results.generate_report()


def test_a_tap_follows_the_link_and_shows_nothing(reader: Reader) -> None:
    page = reader(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    page.goto(f"{ROUNDING}?fw=plain")
    page.locator('.bd-article a[href*="#cite-"]').first.tap()
    page.wait_for_url("**/index.html?fw=plain#cite-*")
    expect(page.locator("#d2l-preview")).to_have_count(0)


def test_a_box_says_on_which_sides_it_goes_on(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain")
    box = page.locator(".d2l-output:visible pre").first
    expect(box).to_have_attribute("data-more", "right")
    box.evaluate("pre => { pre.scrollLeft = 40 }")
    expect(box).to_have_attribute("data-more", "left right")
    box.evaluate("pre => { pre.scrollLeft = pre.scrollWidth }")
    expect(box).to_have_attribute("data-more", "left")
    assert "inset" in box.evaluate("pre => getComputedStyle(pre).boxShadow")


def test_the_words_that_led_there_are_marked_until_escape(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=whole")
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("remainder")
    page.locator(".d2l-search-results a").first.click()
    page.wait_for_url("**/means.html?fw=whole#*")
    marks = "() => [...(CSS.highlights.get('d2l-found') ?? [])].map(range => range.toString().toLowerCase())"
    page.wait_for_function(f"({marks})().length > 0")
    assert set(page.evaluate(marks)) == {"remainder"}
    page.keyboard.press("Escape")
    assert page.evaluate(marks) == []


@pytest.mark.parametrize("width", [320, 640])
def test_a_narrow_or_magnified_screen_is_no_wider_than_itself(reader: Reader, width: int) -> None:
    """640 CSS pixels are a screen of 1280 at 200 %."""
    page = reader(viewport={"width": width, "height": 500}).new_page()
    for path in (MEANS, ROUNDING):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.locator(".d2l-menu").click()
        expect(page.locator(".d2l-contents a").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".d2l-menu")).to_be_focused()
