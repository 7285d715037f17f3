"""Barriers that axe finds on a page in a browser."""

from __future__ import annotations

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What depends on colours. The rest of a page is the same in the dark, where its light colours have been examined.
OF_COLOURS = ["color-contrast", "link-in-text-block"]


def find_barriers(page: Page, mode: str) -> AxeResults:
    """All that axe knows, or in the mode `dark` what colours can do."""
    rules = {"runOnly": {"type": "rule", "values": OF_COLOURS}} if mode == "dark" else {}
    return Axe().run(page, options={"resultTypes": ["violations"], **rules})
