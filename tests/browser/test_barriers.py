"""That `find_barriers` finds those of one element among many that look nearly alike."""

from __future__ import annotations

import pytest
from barriers import find_barriers
from playwright.sync_api import Browser

ALIKE = "<p>Forty words in the same colours, <em>some stressed</em>.</p>" * 40
HIDDEN = {
    "its colour": '<p style="color: #bbb">pale</p>',
    "its background": '<p style="background: #222">dark</p>',
    "a background further up": '<section style="background: #222"><div><p>dark</p></div></section>',
    "its opacity": '<p style="opacity: 0.3">faint</p>',
    "an opacity further up": '<section style="opacity: 0.3"><div><p>faint</p></div></section>',
    "a field's colour": '<label>Name <input style="color: #ccc" value="pale"></label>',
    "the one word stressed": '<p>A word <em style="color: #bbb">stressed</em>.</p>',
}
PAGE = """<!doctype html><html lang="en"><head><title>Looks</title>
<style>body {{ color: #111; background: #fff }}</style></head><body><main><h1>Looks</h1>{}</main></body></html>"""


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("what", HIDDEN)
def test_a_contrast_is_found_among_many_alike(browser: Browser, what: str, mode: str) -> None:
    page = browser.new_page()
    page.set_content(PAGE.format(ALIKE + HIDDEN[what] + ALIKE))
    found = find_barriers(page, mode).response["violations"]
    assert [violation["id"] for violation in found] == ["color-contrast"], what
    assert page.locator("[data-look]").count() == 0
    page.set_content(PAGE.format(ALIKE))
    assert find_barriers(page, mode).violations_count == 0
    page.close()


def test_other_barriers_are_found_in_the_light(browser: Browser) -> None:
    page = browser.new_page()
    plain = "text-decoration: none; color: #222"
    page.set_content(PAGE.format(f'<p>A paragraph with <a href="/a" style="{plain}">a link</a> in it.</p><img src="">'))
    found = find_barriers(page, "light").response["violations"]
    assert {"image-alt", "link-in-text-block"} <= {violation["id"] for violation in found}
    page.close()
