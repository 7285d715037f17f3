"""No line ends inside a word or before its full stop, although a browser may end one beside any formula."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main

TEXT = """The $k$th of ($a = b$), and $n$-dimensional $x$ alone; (see $c + d$).
Code `f(x)`를, (둘)은, 90%가, **굵게**(1)도."""
Article = Callable[[str], str]


@pytest.fixture
def article(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Article:
    """The page as a book in a language has it, without what only screen readers read."""

    def build(lang: str) -> str:
        write_book(tmp_path, {"words": TEXT}, f"[project]\nlang = {lang}\n[build]\neval_notebook = false\n")
        monkeypatch.chdir(tmp_path)
        assert main(["html"]) == 0
        page = (tmp_path / "_build/html/words.html").read_text(encoding="utf-8")
        return re.sub(r'<span class="katex-mathml">.*?</math></span>', "", page, flags=re.DOTALL)

    return build


def held(page: str) -> list[str]:
    """What stands on one line: the text of each element that holds it together."""
    found, paragraph = [], page[page.index("<p>The") :]
    for start in re.finditer('<span class="d2l-held">', paragraph):
        depth, end = 1, start.end()
        while depth:
            tag = re.compile(r"<(/?)span\b[^>]*>").search(paragraph, end)
            assert tag is not None
            depth, end = depth + (-1 if tag[1] else 1), tag.end()
        found.append(re.sub(r"<[^>]+>", "", paragraph[start.start() : end]))
    return found


def test_a_formula_stays_with_what_stands_beside_it(article: Article) -> None:
    page = article("en")

    assert held(page) == ["kth", "(a=", "b),", "n-dimensional", "d)."]
    assert re.sub(r"<[^>]+>|\s", "", page[page.index("<p>The") :]).startswith("Thekthof(a=b),andn-dimensionalxalone;")


def test_a_formula_is_read_aloud_once(article: Article) -> None:
    article("en")
    page = Path("_build/html/words.html").read_text(encoding="utf-8")

    assert [page.count(mark) for mark in ("<math", 'class="katex-base"')] == [5, 7]


def test_particles_stay_with_brackets_and_code(article: Article) -> None:
    page = article("ko")

    assert all(word in page for word in ("</code>\u2060를", "(둘)\u2060은", "90%\u2060가", "(1)\u2060도"))
    assert "\u2060" not in article("en")


def test_search_finds_words_that_are_held_together(article: Article) -> None:
    article("ko")
    words = json.dumps(
        json.loads(Path("_build/site/ko/words/words.json").read_text(encoding="utf-8")), ensure_ascii=False
    )

    assert "(둘)은" in words
    assert "\u2060" not in words


def test_where_words_have_no_spaces_a_formula_holds_its_mark_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_book(
        tmp_path, {"words": "数 $k$，以及 $n$ 是长的。"}, "[project]\nlang = zh\n[build]\neval_notebook = false\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 0
    page = (tmp_path / "_build/html/words.html").read_text(encoding="utf-8")

    assert "，</span>以及" in page
