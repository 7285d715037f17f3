"""What reading and checking a book found out, remembered between commands: a page that stays is not read twice.

Every command that reads a book takes it and adds to it; what is known of one page is made anew when that page changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from d2lbook.book import ParsedPages, load_book
from d2lbook.cache import Cache
from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.library import CodeCache
from d2lbook.model import Book
from d2lbook.security.output_directory import is_marked
from d2lbook.translate.unit_cache import Pages, TranslationCache

# By the path of a page: a hash of all that its findings depend on, and the findings.
Findings = dict[str, tuple[str, tuple[Message, ...]]]


@dataclass(slots=True)
class BuildCache:
    """Parsed pages and the findings of the check, by path; what is known of the code and the translations."""

    parsed: ParsedPages = field(default_factory=ParsedPages)
    checked: Findings = field(default_factory=dict)
    code: CodeCache = field(default_factory=CodeCache)
    translations: TranslationCache = field(default_factory=TranslationCache)
    _before: dict[str, list[dict[Any, Any]]] = field(default_factory=dict)  # by its name, each value as it was read

    @classmethod
    def of(cls, config: Config) -> BuildCache:
        """What earlier commands found out; nothing where there is none, or another builder's."""
        cache, made_of = Cache(config.output_dir), _made_of(config)
        kept = cls(*(cache.load("pages", made_of) or ()))
        kept._before["pages"] = kept._tables()

        def load_language(lang: str) -> Pages:
            pages: Pages = cache.load(f"pages-{lang}", made_of) or {}
            kept._before[f"pages-{lang}"] = [dict(pages)]
            return pages

        kept.translations.load = load_language
        return kept

    def load_book(self, config: Config, messages: Messages) -> Book:
        """The book as it is now; of what did not change nothing is found out again."""
        book = load_book(config, messages, self.parsed)
        book.memo[CodeCache] = self.code
        return book

    def store(self, config: Config) -> None:
        """Keeps what is new, where the output directory is this user's; languages that were not asked for stay."""
        if not is_marked(config.output_dir):
            return
        cache, made_of = Cache(config.output_dir), _made_of(config)
        for lang, pages in self.translations.pages.items():
            if self._before.get(name := f"pages-{lang}") != [pages]:
                cache.store(name, pages, made_of)
        if self._before.get("pages") != self._tables():
            without_pages = replace(self.translations, pages={}, load=None)
            cache.store("pages", (self.parsed, self.checked, self.code, without_pages), made_of)

    def _tables(self) -> list[dict[Any, Any]]:
        """Copies of all that is added to. Values are replaced, never changed, so that comparing them takes no time."""
        added = (*_fields(self.parsed), *_fields(self.code), *_fields(self.translations), self.checked)
        return [dict(table) for table in added if table is not self.translations.pages and isinstance(table, dict)]


def _fields(of: ParsedPages | CodeCache | TranslationCache) -> list[Any]:
    return [getattr(of, each.name) for each in fields(of)]


def _made_of(config: Config) -> str:
    return f"strict {config.strict}"  # findings are kept with their level
