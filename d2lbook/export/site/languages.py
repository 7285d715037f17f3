"""The languages that a site can be read in, and what its pages say of them."""

from __future__ import annotations

from dataclasses import dataclass

from babel import Locale, UnknownLocaleError

from d2lbook.config import Config
from d2lbook.editions import words_in


@dataclass(frozen=True, slots=True)
class Language:
    """A language, as it calls itself, and how readers of another one are offered it."""

    lang: str
    name: str
    offer: str
    not_now: str


def languages_of(config: Config) -> tuple[Language, ...]:
    """The book's languages, its own first."""
    return tuple(_language(config, lang) for lang in config.all_languages)


def _language(config: Config, lang: str) -> Language:
    words, name = words_in(config, lang), native_name(lang)
    offer = words("Read this page in {language}", language=name)
    return Language(lang, name, offer, words("Not now"))


def native_name(lang: str) -> str:
    """How a language calls itself; its code where that is not known."""
    try:
        locale = Locale.parse(lang, sep="-")
    except (UnknownLocaleError, ValueError):
        return lang
    name = locale.get_display_name(locale) or lang
    return name[:1].upper() + name[1:]
