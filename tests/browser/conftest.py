"""The tiny book as a site, with some results frozen, behind a server of its own; and browsers to read it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from site_book import TINYBOOK, build_site
from static_host import served

from d2lbook.system_packages import BROWSERS, chromium_hint

expect.set_options(timeout=30_000)  # a limit for what never comes; a busy machine may take seconds
# The shell would fit letters to pixels, which makes lines wider than in a window.
ARGUMENTS = ["--no-sandbox", "--font-render-hinting=none"]
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site") / "book"
    shutil.copytree(TINYBOOK, root)
    return build_site(root)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with served(site) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.fail(f"these tests need Chromium; {chromium_hint()}")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def reader(browser: Browser, address: str) -> Iterator[Callable[..., BrowserContext]]:
    """Makes readers, each with a memory of their own. A module with another `address` reads what is there."""
    contexts: list[BrowserContext] = []

    def make(locale: str = "en-US", **settings: Any) -> BrowserContext:
        context = browser.new_context(base_url=address, locale=locale, **settings)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(reader: Callable[..., BrowserContext]) -> Page:
    return reader().new_page()
