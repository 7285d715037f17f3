"""What reading and checking a book found out, remembered between commands: a page that stays is not read twice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from d2lbook.book import ParsedPages, load_book
from d2lbook.cache import Cache
from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.library import CodeCache
from d2lbook.model import Book
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

    def load_book(self, config: Config, messages: Messages) -> Book:
        """The book as it is now; of what did not change nothing is found out again."""
        book = load_book(config, messages, self.parsed)
        book.memo[CodeCache] = self.code
        return book


def load_kept(config: Config) -> BuildCache:
    """What the last command kept; nothing where there is none, or another builder's."""
    cache, made_of = Cache(config.output_dir), _made_of(config)
    kept: BuildCache = cache.load("pages", made_of) or BuildCache()

    def load_language(lang: str) -> Pages:
        pages: Pages = cache.load(f"pages-{lang}", made_of) or {}
        return pages

    kept.translations.load = load_language
    return kept


def store_kept(config: Config, kept: BuildCache) -> None:
    """Keeps what a command found out; the pages of languages that it had nothing to do with stay as they are kept."""
    cache, made_of = Cache(config.output_dir), _made_of(config)
    for lang, pages in kept.translations.pages.items():
        cache.store(f"pages-{lang}", pages, made_of)
    without_pages = replace(kept.translations, pages={}, load=None)
    cache.store("pages", replace(kept, translations=without_pages), made_of)


def _made_of(config: Config) -> str:
    return f"strict {config.strict}"  # findings are kept with their level
