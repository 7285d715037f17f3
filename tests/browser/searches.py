"""What readers search in the book, and the sections that answer: `searches.tsv` beside the scripts' tests.

The table's last column says which section a language still has in English: that text cannot answer its words.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polib
from playwright.sync_api import Page, expect

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "tests" / "scripts" / "searches.tsv"
FIRST = 3  # results, among which the section has to be
LANGUAGES = ("en", "ko", "vi", "tr")


def is_translated(lang: str, page: str) -> bool:
    """Whether a language has the whole of a page, as `chapter_computation/zero`; strings of code may stay English."""
    if lang == "en":
        return True
    entries = polib.pofile(str(ROOT / "locales" / lang / f"{page}.po"))
    return all(entry.translated() or entry.obsolete or "code-string" in entry.flags for entry in entries)


def queries(lang: str) -> list[tuple[str, set[str]]]:
    """What is typed in a language, and the sections of which one is right."""
    rows = [line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]]
    return [(query, set(wanted.split())) for found, query, wanted, awaits in rows if found == lang and not awaits]


def missed(page: Page, lang: str, address: Callable[[str], str]) -> dict[str, list[str]]:
    """The queries without a right section among the first results, and the results."""
    page.goto(address("index.html"))
    page.keyboard.press("/")
    wrong = {}
    for query, wanted in queries(lang):
        page.locator(".d2l-search input").fill("")
        expect(page.locator(".d2l-search-state")).to_be_empty()
        page.locator(".d2l-search input").fill(query)
        expect(page.locator(".d2l-search-state")).not_to_be_empty()
        hrefs = page.locator(".d2l-search-results a").evaluate_all("links => links.map(link => link.href)")
        found = [href.rpartition("/")[2].replace(".html", "").replace("?fw=pytorch", "") for href in hrefs[:FIRST]]
        if not wanted.intersection(found):
            wrong[query] = found
    return wrong
