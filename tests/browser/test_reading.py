"""The site as a reader meets it: frameworks, keyboard, colours, phone, print, search, no JavaScript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from barriers import find_barriers
from playwright.sync_api import BrowserContext, Page, expect

MEANS = "/chapter_numbers/means.html"
ROUNDING = "/chapter_numbers/rounding.html"
ALL_PAGES = (
    "/index.html",
    "/preface.html",
    "/chapter_numbers/index.html",
    MEANS,
    ROUNDING,
    "/chapter_numbers/library.html",
)
Reader = Callable[..., BrowserContext]


def shown(page: Page, text: str) -> bool:
    return page.get_by_text(text).first.is_visible()


def test_the_first_framework_is_the_default_and_stands_in_the_address(page: Page) -> None:
    page.goto(MEANS)
    assert shown(page, "has 53 bits of precision")
    assert not shown(page, "drops the remainder")
    assert page.url.endswith("means.html?fw=plain")


def test_a_choice_changes_prose_and_code_and_the_address_and_is_remembered(page: Page) -> None:
    page.goto(MEANS)
    page.get_by_role("radio", name="whole").click()
    assert shown(page, "drops the remainder")
    assert not shown(page, "has 53 bits of precision")
    assert shown(page, "ran in whole")
    assert not shown(page, "ran in plain")
    assert page.url.endswith("means.html?fw=whole")
    page.goto(ROUNDING)
    assert page.url.endswith("rounding.html?fw=whole")
    assert shown(page, "Ten tenths are one.")


def test_the_address_goes_before_memory(page: Page) -> None:
    page.goto(f"{MEANS}?fw=whole")
    page.goto(f"{MEANS}?fw=exact")
    assert page.locator("html").get_attribute("data-fw") == "exact"
    page.goto(f"{MEANS}?fw=unheard-of")
    assert page.locator("html").get_attribute("data-fw") == "exact"


def test_a_click_on_a_cell_chooses_for_the_whole_page_and_keeps_the_cell_in_place(page: Page) -> None:
    page.goto(MEANS)
    strip = page.locator(".d2l-strip").nth(1)
    strip.scroll_into_view_if_needed()
    before = strip.bounding_box()
    strip.get_by_role("tab", name="exact").click()
    after = strip.bounding_box()
    assert before is not None and after is not None
    assert after["y"] == pytest.approx(before["y"], abs=2)
    expect(page.get_by_role("radio", name="exact")).to_be_checked()
    selected = page.locator('.d2l-strip [aria-selected="true"]:visible').all_inner_texts()
    assert set(selected) == {"exact"}


def test_arrow_keys_move_through_the_frameworks(page: Page) -> None:
    page.goto(MEANS)
    first = page.locator(".d2l-strip").first.get_by_role("tab")
    first.first.focus()
    page.keyboard.press("ArrowRight")
    expect(first.nth(1)).to_be_focused()
    expect(first.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("End")
    assert page.url.endswith("fw=whole")
    page.keyboard.press("ArrowRight")
    assert page.url.endswith("fw=plain")


def test_each_tab_controls_its_panel(page: Page) -> None:
    page.goto(MEANS)
    for tab in page.get_by_role("tab").all():
        panel = page.locator(f"#{tab.get_attribute('aria-controls')}")
        assert panel.get_attribute("role") == "tabpanel"
        assert panel.get_attribute("aria-labelledby") == tab.get_attribute("id")


def test_links_carry_the_choice(page: Page) -> None:
    page.goto(f"{MEANS}?fw=exact")
    page.get_by_role("link", name="1.2 Rounding").first.click()
    page.wait_for_url("**/rounding.html?fw=exact")


def test_an_anchor_in_a_hidden_framework_opens_it(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain#eq-thirds")
    assert page.locator("html").get_attribute("data-fw") == "exact"
    assert page.locator("#eq-thirds").is_visible()


def test_the_framework_is_chosen_before_the_body_is_there(page: Page) -> None:
    page.add_init_script(
        "new MutationObserver((_, self) => { if (document.body) {"
        " window.chosenAtBody = document.documentElement.dataset.fw; self.disconnect(); } })"
        ".observe(document, { childList: true, subtree: true });"
    )
    page.goto(f"{MEANS}?fw=exact")
    assert page.evaluate("window.chosenAtBody") == "exact"


def test_without_javascript_everything_can_be_read(reader: Reader) -> None:
    page = reader(java_script_enabled=False).new_page()
    page.goto(MEANS)
    for text in ("has 53 bits of precision", "is exact, and", "drops the remainder", "ran in plain", "ran in whole"):
        assert shown(page, text), text
    names = page.locator(".d2l-name").first
    expect(names).to_have_text("plain")
    expect(names).to_be_visible()
    assert page.locator(".d2l-strip:visible, .d2l-chooser:visible, .d2l-search-open:visible").count() == 0


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("path", ALL_PAGES)
def test_no_barrier_that_axe_knows(reader: Reader, path: str, mode: str) -> None:
    page = reader(color_scheme=mode).new_page()
    page.goto(path)
    for details in page.locator("details").all():
        details.evaluate("element => element.open = true")
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()


def test_dark_follows_the_system_and_the_button(reader: Reader) -> None:
    page = reader(color_scheme="dark").new_page()
    page.goto(MEANS)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    button = page.get_by_role("button", name="Color mode")
    button.click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"
    colour = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    assert colour == "rgb(253, 253, 251)"


@pytest.mark.parametrize("path", ALL_PAGES)
@pytest.mark.parametrize("script", [True, False])
def test_a_phone_shows_no_page_wider_than_itself(reader: Reader, path: str, script: bool) -> None:
    context = reader(viewport={"width": 360, "height": 740}, java_script_enabled=script)
    page = context.new_page()
    page.goto(path)
    widest = page.locator("html").evaluate("html => html.scrollWidth") if script else None
    box = page.locator("article").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    assert widest in (None, 360)


def test_contents_open_on_a_phone(reader: Reader) -> None:
    page = reader(viewport={"width": 360, "height": 740}).new_page()
    page.goto(MEANS)
    link = page.locator(".d2l-contents").get_by_role("link", name="1.2 Rounding")
    expect(link).not_to_be_in_viewport()
    page.get_by_role("button", name="Contents of the book").click()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(link).not_to_be_in_viewport()


def test_nothing_is_loaded_from_elsewhere_and_nothing_fails(page: Page, address: str) -> None:
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("response", lambda answer: trouble.append(answer.url) if answer.status >= 400 else None)
    page.on(
        "request",
        lambda request: trouble.append(request.url) if not request.url.startswith((address, "data:")) else None,
    )
    for path in ALL_PAGES:
        page.goto(path, wait_until="networkidle")
    assert trouble == []


def search_for(page: Page, words: str) -> None:
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill(words)
    expect(page.locator(".d2l-search-state")).not_to_be_empty()


def test_search_finds_words_of_a_page_and_leads_there(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=whole")
    search_for(page, "remainder")
    link = page.locator(".d2l-search-results a").first
    expect(link).to_contain_text("Means")
    link.click()
    page.wait_for_url("**/chapter_numbers/means.html?fw=whole*")


def test_search_says_when_there_is_nothing(page: Page) -> None:
    page.goto(MEANS)
    search_for(page, "xylophone")
    expect(page.locator(".d2l-search-state")).to_contain_text("Nothing found")
    expect(page.locator(".d2l-search-results li")).to_have_count(0)


def test_search_keeps_to_the_chosen_framework(page: Page) -> None:
    page.goto(f"{MEANS}?fw=exact")
    search_for(page, "remainder")
    expect(page.locator(".d2l-search-state")).to_contain_text("Nothing found")


def test_enter_in_the_search_opens_what_was_typed_last(page: Page) -> None:
    page.goto(f"{MEANS}?fw=whole")
    first = page.locator(".d2l-search-results a").first
    search_for(page, "rounding")
    expect(first).not_to_contain_text("Means")
    wanted = first.evaluate("link => link.href")
    page.goto(f"{MEANS}?fw=whole")
    search_for(page, "remainder")
    expect(first).to_contain_text("Means")
    page.get_by_role("searchbox").fill("rounding")
    page.keyboard.press("Enter")  # before the search for it has begun
    page.wait_for_url(wanted)


def test_enter_without_a_result_stays_on_the_page(page: Page) -> None:
    page.goto(f"{MEANS}?fw=whole")
    search_for(page, "remainder")
    page.get_by_role("searchbox").fill("xylophone")
    page.keyboard.press("Enter")
    expect(page.locator(".d2l-search-state")).to_contain_text("Nothing found")
    assert page.locator(".d2l-search").is_visible()


def test_arrows_move_through_the_results_and_back_to_the_words(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=whole")
    search_for(page, "number")
    expect(page.locator(".d2l-search-results a").nth(1)).to_be_visible()
    focused = """() => {
        const links = [...document.querySelectorAll('.d2l-search-results a')];
        return links.indexOf(document.activeElement);
    }"""
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(page.evaluate(focused))
    assert seen == [0, 1, 0, -1, -1]


@pytest.mark.parametrize("width", [1280, 1500, 1600, 1700, 1920])
def test_code_and_its_button_are_not_covered(reader: Reader, width: int) -> None:
    page = reader(viewport={"width": width, "height": 900}).new_page()
    page.goto(f"{MEANS}?fw=plain")
    code = page.locator(".d2l-code:visible").first
    code.hover()
    covered = """block => {
        const button = block.querySelector('.d2l-copy').getBoundingClientRect();
        const edge = block.querySelector('.highlight').getBoundingClientRect();
        const at = (x, y) => block.contains(document.elementFromPoint(x, y));
        return [at(button.x + button.width / 2, button.y + button.height / 2), at(edge.right - 3, edge.bottom - 6),
                document.documentElement.scrollWidth <= innerWidth];
    }"""
    code.scroll_into_view_if_needed()
    assert code.evaluate(covered) == [True, True, True]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_print_has_the_title_and_dark_words_on_white(reader: Reader, mode: str) -> None:
    page = reader(color_scheme=mode).new_page()
    page.goto(f"{MEANS}?fw=plain")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme=mode)
    title = page.locator(".bd-article h1").first
    assert title.is_visible()
    lightness = """element => {
        const [red, green, blue] = getComputedStyle(element).color.match(/[0-9.]+/g).map(Number);
        return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
    }"""
    for found in (title, page.locator(".bd-article p").first, *page.locator(".highlight:visible pre span").all()[:40]):
        assert found.evaluate(lightness) < 0.65
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_print_writes_the_addresses_of_other_sites_only(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain")
    page.emulate_media(media="print")
    links = page.locator(".bd-article a:visible").evaluate_all(
        "links => links.map(link => [link.origin === location.origin, getComputedStyle(link, '::after').content])"
    )
    assert links and {content for inside, content in links if inside} <= {"none"}


def test_a_figure_s_result_and_a_cell_s_share_no_style(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain")
    height = """kind => {
        const result = document.createElement('pre');
        result.className = kind;
        document.querySelector('.bd-article').append(result);
        return getComputedStyle(result).minHeight;
    }"""
    assert page.evaluate(height, "d2l-text d2l-result") == page.evaluate(height, "d2l-text")
    assert page.evaluate(height, "d2l-live-result") != page.evaluate(height, "d2l-text")


def test_the_copy_button_copies_the_code_alone(reader: Reader) -> None:
    context = reader(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{MEANS}?fw=exact")
    panel = page.locator(".d2l-panel:visible").first
    panel.locator("div.highlight").hover()
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_role("button")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == "from fractions import Fraction\nfrom tiny import exact as d2l"


def test_the_notebook_of_the_chosen_framework_is_linked(page: Page) -> None:
    page.goto(f"{MEANS}?fw=whole")
    links = page.locator(".d2l-run a:visible", has_text="Notebook")
    expect(links).to_have_count(1)
    with page.expect_download() as waiting:
        links.click()
    path = Path(waiting.value.path())
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert waiting.value.suggested_filename == "means-whole.ipynb"
    assert any("from tiny import whole" in "".join(cell["source"]) for cell in notebook["cells"])


def test_the_shared_link_names_the_framework(reader: Reader) -> None:
    page = reader(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{MEANS}?fw=whole")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").endswith("/chapter_numbers/means.html?fw=whole")


def test_outputs_scroll_in_themselves_and_say_what_made_them(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain")
    output = page.locator(".d2l-output:visible").first
    text = output.locator("pre")
    assert text.evaluate("pre => pre.scrollWidth > pre.clientWidth")
    assert text.get_attribute("tabindex") == "0"
    expect(output.locator(".d2l-made")).to_have_text("plain · CPU, 2 cores · 2026-01-02")


def test_a_plot_follows_the_colours_of_the_page(reader: Reader) -> None:
    for mode, ink in (("light", "rgb(31, 35, 40)"), ("dark", "rgb(228, 228, 223)")):
        page = reader(color_scheme=mode).new_page()
        page.goto(f"{MEANS}?fw=plain")
        words = page.locator(".d2l-plot:visible text").first
        assert words.evaluate("text => getComputedStyle(text).fill") == ink


def test_no_id_comes_twice(page: Page) -> None:
    for path in ALL_PAGES:
        page.goto(path)
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
        assert sorted(ids) == sorted(set(ids)), path


def test_print_unfolds_solutions_and_shows_one_framework(page: Page) -> None:
    page.goto(f"{MEANS}?fw=plain")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert shown(page, "The number itself")
    assert not shown(page, "drops the remainder")
    assert page.locator(".d2l-strip:visible, .d2l-bar:visible, .d2l-contents:visible").count() == 0


def test_references_and_citations_lead_there_and_back(page: Page) -> None:
    page.goto(f"{ROUNDING}?fw=plain")
    page.get_by_role("link", name="Kahan, 1965").first.click()
    page.wait_for_url("**/index.html?fw=plain#cite-kahan1965further")
    entry = page.locator("#cite-kahan1965further")
    expect(entry).to_contain_text("Kahan")
    entry.get_by_role("link", name="Section 1.2").click()
    page.wait_for_url("**/rounding.html?fw=plain#citing-cite-kahan1965further")
    assert page.locator("#citing-cite-kahan1965further").is_visible()
