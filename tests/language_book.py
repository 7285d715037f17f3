"""A small book in four languages, for tests: one page translated, one in part, one not at all."""

from __future__ import annotations

from pathlib import Path

import polib

from d2lbook.book import load_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import Messages
from d2lbook.execute.plots import plots_of
from d2lbook.export.site.build import build
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.translate import commands
from d2lbook.translate.sources import sources
from d2lbook.translate.unit_cache import TranslationCache
from d2lbook.ui_strings import WORDS

CONFIG = """[project]
name = small
title = A Small Book
lang = en
languages = ko, vi, tr
base_url = {base_url}

[build]
notebooks = *.md
tabs = pytorch, jax
"""
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60" width="90" height="60">'
    '<text x="9" y="50">memory</text></svg>\n'
)
PAGES = {
    "index": "# A Small Book\n\nIt has three pages.\n\n```toc\n:numbered:\n\nmeans\npart\nplain\n```\n",
    "means": """# Means
:label:`sec_means`

The gradient of a minibatch is a mean.

## How It Is Computed

Each device has memory of its own; :numref:`fig_box` shows it, and :numref:`tab_sizes` says how much.

![The memory of a device.](img/box.svg)
:label:`fig_box`
:alt:`A box.`

:A table of sizes.

| Device | Size |
|:--|--:|
| first | 1 |
:label:`tab_sizes`

```{.python .input}
#@tab all
print(1)
```

## Exercises

1. What is the mean of one number?

:begin_solution:
The number.
:end_solution:
""",
    "part": "# Heat\n\nThe speed of light is a constant.\n\n## Second Heading\n\nThis sentence waits.\n",
    "plain": "# Plain\n\nNobody has translated this page.\n\n```eval_rst\n.. note::\n\n   A box.\n```\n",
}
TRANSLATIONS: dict[str, dict[str, str]] = {
    "ko": {
        "Previous": "이전", "Next": "다음", "Search": "검색", "Fig. {number}": "그림 {number}",
        "Table {number}": "표 {number}", "Section {number}": "{number}절", "Solution": "풀이",
        "Framework": "프레임워크",
        "On this page": "이 페이지에서", "Language": "언어",
        "Read this page in {language}": "이 페이지를 {language}로 읽기",
        "Not now": "나중에", "Not run yet": "아직 실행하지 않음", "Copy": "복사", "Copied": "복사됨",
        "Nothing found for “{words}”.": "“{words}”에 대한 결과가 없습니다.", "{count} page": "{count}쪽",
        "{count} pages": "{count}쪽", "Link to this heading": "이 제목으로 가는 링크",
        "Skip to main content": "본문으로 건너뛰기", "Not translated yet": "아직 번역되지 않음",
        "Parts of this page are not translated yet and are shown in English.":
            "이 페이지의 일부는 아직 번역되지 않아 영어로 표시됩니다.",
        "This page is not translated yet and is shown in English.":
            "이 페이지는 아직 번역되지 않아 영어로 표시됩니다.",
        "A Small Book": "작은 책", "It has three pages.": "세 쪽으로 되어 있습니다.", "Means": "평균",
        "The gradient of a minibatch is a mean.":
            "미니배치의 기울기를 평균합니다. 데이터 병렬화는 분산학습에서 쓰입니다.",
        "How It Is Computed": "계산 방법",
        "Each device has memory of its own; :numref:`fig_box` shows it, and :numref:`tab_sizes` says how much.":
            "장치마다 자신의 메모리가 있습니다. :numref:`fig_box`에 나와 있고 :numref:`tab_sizes`에 크기가 있습니다.",
        "The memory of a device.": "장치의 메모리.", "A box.": "상자.", "A table of sizes.": "크기 표.",
        "Device": "장치", "Size": "크기", "first": "첫째", "Exercises": "연습 문제",
        "What is the mean of one number?": "수 하나의 평균은 무엇입니까?", "The number.": "그 수입니다.",
        "memory": "메모리", "Heat": "열", "The speed of light is a constant.": "빛의 속도는 상수입니다.",
        "Second Heading": "둘째 제목",
    },
    "vi": {
        "Search": "Tìm kiếm", "Read this page in {language}": "Đọc trang này bằng {language}", "Not now": "Để sau",
        "A Small Book": "Một cuốn sách nhỏ", "It has three pages.": "Sách có ba trang.", "Means": "Trung bình",
        "The gradient of a minibatch is a mean.": "Gradient của minibatch là trung bình. Hoà bình và bộ nhớ đệm.",
        "Heat": "Nhiệt", "The speed of light is a constant.": "Tốc độ ánh sáng là hằng số.",
        "Second Heading": "Đề mục thứ hai",
    },
    "tr": {
        "Search": "Ara", "Read this page in {language}": "Bu sayfayı {language} okuyun", "Not now": "Şimdi değil",
        "A Small Book": "Küçük Bir Kitap", "It has three pages.": "Üç sayfası vardır.", "Means": "Ortalamalar",
        "The gradient of a minibatch is a mean.":
            "Minigrubun gradyanı bir ortalamadır. İşlemci ve GPU'lar başlatılır (INIT).",
        "Heat": "Isı", "The speed of light is a constant.": "Işık hızı sabittir; ÖĞRENME sürer.",
        "Second Heading": "İkinci Başlık",
    },
}  # fmt: skip


def write_language_book(root: Path, base_url: str = "") -> Path:
    """The book with its catalogs in `root`."""
    (root / "img").mkdir(parents=True)
    (root / "config.ini").write_text(CONFIG.format(base_url=base_url), encoding="utf-8")
    (root / "img" / "box.svg").write_text(DRAWING, encoding="utf-8")
    for name, text in PAGES.items():
        (root / f"{name}.md").write_text(text, encoding="utf-8")
    update_catalogs(root)
    for lang, known in TRANSLATIONS.items():
        for path in sorted((root / "locales" / lang).rglob("*.po")):
            fill(path, known)
    return root


def update_catalogs(root: Path) -> None:
    book, config = open_language_book(root)
    messages = Messages()
    kept = TranslationCache()
    found = sources([page.document for page in book.pages], config, kept, plots_of(book, config))
    commands.update(found, config, config.languages, messages, lambda text: None, kept)
    assert [str(message) for message in messages] == []


def fill(path: Path, known: dict[str, str]) -> None:
    """Puts translations into a catalog."""
    catalog = polib.pofile(str(path), wrapwidth=78)
    for entry in catalog:
        entry.msgstr = known.get(entry.msgid, entry.msgstr)
    if path.name == "interface.po":  # which has not what the builder says itself
        there = {entry.msgid for entry in catalog}
        for word in (word for word in known if word in WORDS and word not in there):
            catalog.append(polib.POEntry(msgctxt="interface", msgid=word, msgstr=known[word]))
    catalog.save(str(path))


def open_language_book(root: Path) -> tuple[Book, Config]:
    messages = Messages()
    config = load(root / "config.ini", messages)
    book = load_book(config, messages)
    assert [str(message) for message in messages] == []
    return book, config


def build_languages(root: Path, *languages: str) -> tuple[Path, list[str]]:
    """The site of the book, and what was found; of some languages or all."""
    book, config = open_language_book(root)
    messages = Messages()
    site = build(BookContext.of(book, config, book.tabs, messages), pending_ok=True, languages=languages)
    return site, [str(message) for message in messages]
