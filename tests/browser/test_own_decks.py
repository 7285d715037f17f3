"""The slides of the book itself: in every framework and language nothing runs over an edge or is too small to read."""

from __future__ import annotations

from pathlib import Path

import pytest
from own_book import copy_own_book
from playwright.sync_api import Browser

from d2lbook.cli import main

LANGUAGES = ("ko", "vi", "tr")  # in one framework: the text is the same in all, but for a few words
TABS = ("pytorch", "mxnet", "jax", "tensorflow")
CORE = {"use-gpu", "multiple-gpus", "multiple-gpus-concise"}
# Of each slide that stands in the page: what leaves it, by tag and first words, and pictures that are too small.
MEASURE = """() => [...document.querySelectorAll(".slides > section")].flatMap((slide, at) => {
  const box = slide.getBoundingClientRect();
  const shown = [...slide.querySelectorAll("h1, h2, .body > *, .body pre, .body li, .body math, .body img")];
  const wrong = shown.filter((part) => {
    const own = part.getBoundingClientRect();
    return own.bottom > box.bottom - 30 || own.right > box.right - 40 || own.left < box.left + 40;
  }).map((part) => `${at + 1}: ${part.tagName} '${part.textContent.trim().slice(0, 40)}' runs over`);
  const small = shown.filter((part) => part.tagName === "IMG" && part.getBoundingClientRect().height < 150);
  const text = shown.filter((part) => parseFloat(getComputedStyle(part).fontSize) < 16.5 && part.matches("pre, li"));
  return [...wrong, ...small.map(() => `${at + 1}: a picture is small`), ...text.map(() => `${at + 1}: small type`)];
})"""


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = copy_own_book(tmp_path_factory.mktemp("own") / "book")
    config = str(path)
    assert main(["slides", "--lang", "en", "--config", config]) == 0
    assert main(["slides", "--lang", ",".join(LANGUAGES), "--tab", TABS[0], "--config", config]) == 0
    return path.parent / "_build" / "slides"


@pytest.mark.parametrize(("lang", "tab"), [*(("en", tab) for tab in TABS), *((lang, TABS[0]) for lang in LANGUAGES)])
def test_every_slide_shows_all_that_is_on_it(browser: Browser, decks: Path, lang: str, tab: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    wrong: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for deck in sorted((decks / lang / tab).rglob("*.html")):
        page.goto(f"{deck.as_uri()}?print")
        page.evaluate("document.fonts.ready")
        counts[deck.stem] = page.locator(".slides > section").count()
        if found := page.evaluate(MEASURE):
            wrong[deck.stem] = found
    context.close()
    assert wrong == {}
    assert counts.keys() >= CORE
    most = 25 if lang == "en" else 28  # where sentences are longer, one or another slide goes on
    assert {name: count for name, count in counts.items() if name in CORE and not 12 <= count <= most} == {}
