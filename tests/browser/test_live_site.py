"""The live site in a browser: it reloads by itself, and shows what is wrong where it is."""

from __future__ import annotations

import threading
from pathlib import Path

from playwright.sync_api import Browser, expect

from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.serve import Builder
from d2lbook.server import Live, open_server

PAGE = "# The Book\n\nFirst text.\n"


def test_the_page_follows_its_source(tmp_path: Path, browser: Browser) -> None:
    source = tmp_path / "index.md"
    source.write_text(PAGE)
    (tmp_path / "config.ini").write_text("[build]\n")
    live = Live()
    builder = Builder(tmp_path / "config.ini", live, [].append)
    server = open_server(load(tmp_path / "config.ini", Messages()), 0, live)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page()
    try:
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        expect(page.get_by_text("The site is being built.").first).to_be_visible()
        assert builder.build(())
        expect(page.get_by_text("First text.")).to_be_visible()  # without a reload by hand
        source.write_text(PAGE.replace("First text.", "Second text, :numref:`sec_nowhere`."))
        assert not builder.build(())
        alert = page.locator("#d2lbook-messages")
        expect(alert).to_contain_text("index.md:3:14: error: label 'sec_nowhere' is not defined")
        expect(page.get_by_text("Second text")).to_be_visible()
        expect(page.locator(".fault")).to_contain_text("label-undefined")
        source.write_text(PAGE.replace("First", "Third"))
        assert builder.build(())
        expect(page.get_by_text("Third text.")).to_be_visible()
        expect(alert).to_have_count(0)
        expect(page.locator(".fault")).to_have_count(0)
    finally:
        page.close()
        server.shutdown()
        server.server_close()
