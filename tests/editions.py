"""Editions of small books, made by hand: pages in a language, the builder's words in it, what is not translated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from books import open_book, write_book

from d2lbook.editions import Edition
from d2lbook.model import Block, Book, Solution, TabProse, UiStrings

WORDS = {
    "ko": {
        "Fig. {number}": "그림 {number}", "Table {number}": "표 {number}", "Section {number}": "{number}절",
        "Chapter {number}": "{number}장", "Contents": "차례", "Solutions": "풀이", "Solution": "풀이",
        "Solution {number}": "풀이 {number}", "Solution on page {page}": "풀이는 {page}쪽",
        "(exercise on page {page})": "(연습문제는 {page}쪽)", "References": "참고 문헌",
        "Index of Saved Names": "저장된 이름 찾아보기", "with {framework}": "{framework}판",
        "Functions, classes and methods of the package {package}, with the page that defines them.":
            "패키지 {package}의 함수와 클래스, 그리고 정의된 쪽입니다.",
        "Plot of the cell above": "위 셀의 그래프", "Not translated yet": "아직 번역되지 않음",
        "Parts of this page are not translated yet and are shown in English.": "번역되지 않은 부분은 영어입니다.",
        "Read this page in {title}": "《{title}》에서 이 페이지 읽기", "read in": "책에서 읽기",
        "… {count} more lines on the page": "… 페이지에 {count}줄이 더 있습니다", "Page": "페이지",
        "Previous": "이전", "Next": "다음", "as of {month}": "{month} 기준", "{title}: slides": "{title}: 슬라이드",
        "The next cell installs what this page needs and {platform} ({described}) lacks."
        " What is there already stays as it is.": "{platform}({described})에 없는 것을 설치합니다.",
    },
    "vi": {
        "Fig. {number}": "Hình {number}", "Section {number}": "Mục {number}", "Chapter {number}": "Chương {number}",
        "Contents": "Mục lục", "Solution {number}": "Lời giải {number}",
        "Not translated yet": "Chưa được dịch",
    },
    "tr": {
        "Fig. {number}": "Şekil {number}", "Section {number}": "Bölüm {number}", "Chapter {number}": "Bölüm {number}",
        "Contents": "İçindekiler", "Solution {number}": "Çözüm {number}",
        "Not translated yet": "Henüz çevrilmedi",
    },
}  # fmt: skip


def edition(
    root: Path, lang: str, pages: dict[str, str], config: str = "[build]\ntabs = a, b\n", english: str = ""
) -> Edition:
    """An edition in `lang` of an English book whose pages are already in that language.

    Blocks whose source holds the text `english` are marked as not translated.
    """
    write_book(root, pages, config)
    book, settings = open_book(root)
    words = UiStrings(lang, WORDS.get(lang, {}))
    book = replace(book, words=words)
    settings = replace(settings, languages=(lang,)).in_language(lang, words)
    return Edition(marked(book, english) if english else book, settings)


def marked(book: Book, english: str) -> Book:
    """The book with the blocks that hold a text marked as English."""

    def mark(text: str) -> Callable[[Block], Block]:
        def one(block: Block) -> Block:
            if isinstance(block, Solution | TabProse):
                return replace(block, blocks=tuple(map(one, block.blocks)))
            found = english in text[block.span.start : block.span.end]
            return replace(block, lang="en") if found else block

        return one

    pages = []
    for page in book.pages:
        document = page.document
        blocks = tuple(map(mark(document.text), document.blocks))
        pages.append(replace(page, document=replace(document, blocks=blocks)))
    return replace(book, pages=tuple(pages))
