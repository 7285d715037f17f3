"""The tiny book as a site, with some results frozen, behind a server of its own; and browsers to read it."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from site_book import TINYBOOK, build_site

expect.set_options(timeout=30_000)  # a limit for what never comes; a busy machine may take seconds
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("site") / "book"
    shutil.copytree(TINYBOOK, root)
    return build_site(root)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.fail("these tests need Chromium; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def reader(browser: Browser, address: str) -> Iterator[Callable[..., BrowserContext]]:
    """Makes readers, each with a memory of their own."""
    contexts: list[BrowserContext] = []

    def make(**settings: object) -> BrowserContext:
        context = browser.new_context(base_url=address, **settings)  # type: ignore[arg-type]
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(reader: Callable[..., BrowserContext]) -> Page:
    return reader().new_page()
