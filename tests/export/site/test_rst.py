"""What an `eval_rst` fence may hold, and what it may not read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from site_book import TINYBOOK

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.export.site.build import build
from d2lbook.rendering.book_context import BookContext


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(TINYBOOK, tmp_path / "book"))


def built(root: Path, fences: str) -> tuple[str, list[str]]:
    """The preface with fences in place of its note, and what is wrong with them."""
    path = root / "preface.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("```eval_rst")] + fences, encoding="utf-8")
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    site = build(BookContext.of(book, config, book.tabs, messages), pending_ok=True)
    page = site / "preface.html"
    return page.read_text(encoding="utf-8") if page.exists() else "", [message.code for message in messages]


def fence(text: str) -> str:
    return f"```eval_rst\n{text}\n```\n\n"


def test_a_class_is_described_from_the_book_s_reference(root: Path) -> None:
    text, codes = built(root, fence(".. currentmodule:: tiny.plain") + fence(".. autoclass:: Summary\n   :members:"))
    assert codes == []
    described = text[text.index('class="d2l-api"') :]
    assert "<strong>Summary</strong>" in described and "<strong>of</strong>" in described


def test_a_module_holds_in_its_framework_only(root: Path) -> None:
    fences = (
        f":begin_tab:`exact`\n{fence('.. currentmodule:: fractions')}:end_tab:\n\n{fence('.. autofunction:: mean')}"
    )
    text, codes = built(root, fences)
    assert codes == []
    assert re.search(r'data-for="plain whole"><p class="d2l-name">plain, whole</p>\s*<dl class="d2l-api">', text)


@pytest.mark.parametrize(
    ("fences", "code"),
    [
        (".. autoclass:: Nowhere", "rst-name"),
        (".. automodule:: os", "rst-name"),
        (":doc:`preface`", "rst"),
        (".. toctree::\n\n   preface", "rst"),
        (".. include:: index.md", "rst"),
        (".. raw:: html\n   :file: ../secret.html", "rst"),
        (".. raw:: html\n   :url: file:///etc/passwd", "rst"),
    ],
)
def test_what_it_cannot_answer_or_may_not_read_is_a_finding(root: Path, fences: str, code: str) -> None:
    (root.parent / "secret.html").write_text("secret")
    text, codes = built(root, fence(fences))
    assert set(codes) == {code}
    assert "secret" not in text


def test_markup_of_a_file_of_the_book_is_passed_on(root: Path) -> None:
    (root / "img" / "own.html").write_text('<b class="own">own</b>\n')
    text, codes = built(root, fence(".. raw:: html\n   :file: img/own.html"))
    assert codes == []
    assert '<b class="own">own</b>' in text
