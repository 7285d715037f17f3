"""The book itself, as its readers meet it: every page in every framework, light and dark, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import searches
from barriers import find_barriers
from line_beginnings import HANGUL, MARKS, line_beginnings
from own_book import ROOT, copy_own_book
from playwright.sync_api import Browser, ConsoleMessage
from static_host import served

from d2lbook.book import load_book
from d2lbook.cli import main
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.context import prefix_of
from d2lbook.export.site.offline import words_script
from d2lbook.rendering.book_context import BookContext

FILES = [ROOT / "index.md", *sorted(ROOT.glob("chapter_*/*.md"))]
PAGES = [path.relative_to(ROOT).with_suffix("").as_posix() for path in FILES]
# The core pages in the other languages.
CORE = ("index", *(f"chapter_computation/{name}" for name in ("use-gpu", "multiple-gpus", "multiple-gpus-concise")))
TRANSLATED = [f"{lang}/{name}" for lang in ("ko", "vi", "tr") for name in CORE]
LEFT = "net::ERR_ABORTED"  # what a page had asked for when the reader went on to the next
TABS = ("pytorch", "mxnet", "jax", "tensorflow")


def _is_finding(message: ConsoleMessage) -> bool:
    """Whether a line of the console says that something is wrong, other than that the machine is busy."""
    late = "was preloaded using link preload but not used within a few seconds" in message.text
    return message.type in ("error", "warning") and not late


@pytest.fixture(scope="module")
def book_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    config = copy_own_book(tmp_path_factory.mktemp("own") / "book")
    status = main(["html", "--config", str(config)])
    assert status == 0
    return config


@pytest.fixture(scope="module")
def book_address(book_config: Path) -> Iterator[str]:
    with served(book_config.parent / "_build" / "html") as found:
        yield found


@pytest.fixture(scope="module")
def book_files(book_config: Path) -> Path:
    """The same site to read from files, with its words as the copy to read offline has them."""
    place = book_config.parent / "_build" / "html"
    config = load(book_config, Messages())
    book = load_book(config, Messages())
    for lang in config.all_languages:
        context = BookContext.of(book, config, book.tabs, Messages()).in_language(lang)
        script = place / prefix_of(context.config) / "_offline" / "pytorch.js"
        script.parent.mkdir()
        script.write_text(words_script(context, "pytorch"), encoding="utf-8")
    return place


def of_language(lang: str, name: str) -> str:
    return name if lang == "en" else f"{lang}/{name}"


@pytest.mark.parametrize("lang", searches.LANGUAGES)
def test_search_has_the_right_section_among_the_first(browser: Browser, book_address: str, lang: str) -> None:
    page = browser.new_page()
    assert searches.missed(page, lang, lambda name: f"{book_address}/{of_language(lang, name)}") == {}
    page.close()


@pytest.mark.parametrize("lang", searches.LANGUAGES)
def test_so_has_a_copy_without_a_server(browser: Browser, book_files: Path, lang: str) -> None:
    page = browser.new_page()
    assert searches.missed(page, lang, lambda name: (book_files / of_language(lang, name)).as_uri()) == {}
    page.close()


@pytest.mark.parametrize("name", [*PAGES, *TRANSLATED])
def test_a_page_is_whole_in_every_framework(browser: Browser, book_address: str, name: str) -> None:
    context = browser.new_context(base_url=book_address, viewport={"width": 360, "height": 740})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if _is_finding(message) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url) if request.failure != LEFT else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith((book_address, "data:")) else wrong.append(request.url),
    )
    for tab in TABS:
        page.goto(f"/{name}.html?fw={tab}")
        assert page.locator("html").evaluate("html => html.scrollWidth") == 360, tab
        text = page.locator("article").inner_text()
        assert "Not run yet" not in text
        assert ":numref:" not in text and ":begin_tab:" not in text and "[**" not in text
        lang, _, file = name.partition("/") if name in TRANSLATED else ("en", "", name)
        marks = page.locator(".d2l-foreign, .d2l-foreign-title").count()
        assert (marks == 0) == searches.is_translated(lang, file)
    assert wrong == []
    context.close()


# The colours of the dark are the same in all languages.
@pytest.mark.parametrize(
    ("name", "mode"), [*((name, "light") for name in [*PAGES, *TRANSLATED]), *((name, "dark") for name in PAGES)]
)
def test_axe_finds_no_barrier(browser: Browser, book_address: str, name: str, mode: str) -> None:
    context = browser.new_context(base_url=book_address, color_scheme=mode)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"/{name}.html")
    page.locator("details").evaluate_all("all => all.forEach(details => { details.open = true })")
    results = find_barriers(page, mode)
    assert results.violations_count == 0, results.generate_report()
    context.close()


WIDTHS = (390, 768, 1280)
FULL_OF_FORMULAS = ("activations", "batch-norm", "pipelines", "cost-model", "zero")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_begins_with_a_particle_or_a_mark(browser: Browser, book_address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    found = {}
    for lang, pattern in (("ko", HANGUL), ("ko", MARKS), ("tr", MARKS), ("en", MARKS)):
        for name in FULL_OF_FORMULAS:
            page.goto(f"{book_address}/{of_language(lang, f'chapter_computation/{name}')}.html")
            page.wait_for_function("document.fonts.status === 'loaded'")
            found[lang, pattern, name] = line_beginnings(page, pattern)
    assert {place: lines for place, lines in found.items() if lines} == {}
    page.close()
