"""Languages: one module each. A further language is a further module with a `LANGUAGE`; it needs no other change.

`words/` has what the builder itself says to readers, a table for each language that it comes in.

A language without a module works with the defaults of `Language`. Its own formats of dates and numbers come from CLDR
(Babel), its hyphenation from TeX's babel. Standard library only.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import tomllib

from d2lbook.languages._language import Language, Rule

__all__ = [
    "DEFAULT",
    "Language",
    "Rule",
    "cjk",
    "cjk_region",
    "habits",
    "hyphenated",
    "interface_words",
    "is_right_to_left",
    "known",
    "language_of",
    "search",
    "style",
]

DEFAULT = "en"  # of a book that names none, and of the builder's own words
_CJK = "ko"  # whose fonts and line breaks Han and Hangul have in a book in a language of another script
_WORDS = Path(__file__).parent / "words"
_RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})


@cache
def known() -> dict[str, Language]:
    """Return the languages that have a module, by code."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))
    languages: list[Language] = [importlib.import_module(f"{__name__}.{name}").LANGUAGE for name in names]
    return {language.code: language for language in languages}


def language_of(lang: str) -> Language:
    """Return what is known of a language: of `ko-KR` what is known of `ko`."""
    primary = lang.partition("-")[0].lower()
    return known().get(primary) or Language(lang, lang)


@cache
def interface_words(lang: str) -> Mapping[str, str]:
    """Return what the builder's own words are in a language, by their English: of `ko-KR` those of `ko`.

    Nothing for a language that the builder does not come in; a book may have its own words for it.
    """
    for name in dict.fromkeys((lang, lang.partition("-")[0].lower())):
        path = _WORDS / f"{name}.toml"
        if path.is_file():
            return tomllib.loads(path.read_text(encoding="utf-8"))
    return {}


def is_right_to_left(lang: str) -> bool:
    return lang.partition("-")[0].lower() in _RIGHT_TO_LEFT


def cjk(lang: str) -> Language:
    """Return the language in whose way Chinese, Japanese and Korean text stands in a book in `lang`."""
    language = language_of(lang)
    return language if language.cjk_region else known()[_CJK]


def cjk_region(lang: str) -> str:
    """Return which of Noto's CJK fonts such text is set in."""
    language = cjk(lang)
    return language.cjk_regions.get(lang.lower(), language.cjk_region)


def hyphenated() -> dict[str, str]:
    """Return the languages whose patterns of hyphenation a system package brings: TeX's names, and ours."""
    return {language.hyphenation: language.name for language in known().values() if language.hyphenation}


def search(lang: str) -> str:
    """Return what the search scripts have to know of a language, as JSON that may stand in a `<script>`.

    `stopWords`: words of a query that name nothing.
    `queryEndings`, `particles`: taken off words of a query, longest first; particles as often as they stand there.
    `wordsAreSyllables`: a word of the query is not the beginning of a longer one, save the last. `dottedI`: i and ı are
    two letters. What does not hold for a language is left out.
    """
    language = language_of(lang)
    said = {
        "stopWords": language.stop_words,
        "queryEndings": language.query_endings,
        "particles": language.particles,
        "wordsAreSyllables": language.words_are_syllables,
        "dottedI": language.dotted_i,
    }
    text = json.dumps({key: value for key, value in said.items() if value}, ensure_ascii=False)
    return text.replace("</", "<\\/")


def style(langs: Sequence[str]) -> str:
    """Return CSS for text in some languages, the edition's own first: its variables, and the habits of all.

    The variables are `--d2l-serif-also`, `--d2l-sans-also` and `--d2l-mono-also` (font families behind the book's own),
    `--d2l-line-height`, `--d2l-code-gap` and, for slides, `--d2l-slides`. Each is set only where the language asks.
    """
    language = language_of(langs[0])
    values = {
        f"--d2l-{kind}-also": ",".join(f'"{family}"' for family in families)
        for kind, families in language.fonts.items()
    }
    values |= {"--d2l-line-height": language.line_height, "--d2l-code-gap": language.gap_around_code}
    values |= {"--d2l-slides": "var(--sans)" if language.slides_in_sans else ""}
    text = ";".join(f"{key}:{value}" for key, value in values.items() if value)
    return (f":root{{{text}}}" if text else "") + habits(langs)


def habits(langs: Iterable[str]) -> str:
    """Return CSS that breaks lines and emphasises as each of the languages does; empty where browsers do so anyway."""
    languages = {lang: language_of(lang) for lang in langs}
    rules = []
    if whole := [lang for lang, language in languages.items() if not language.breaks_in_words]:
        rules.append(f"{_selector(whole)}{{word-break:keep-all;overflow-wrap:break-word}}")
        if others := [lang for lang in languages if lang not in whole]:
            rules.append(f"{_selector(others)}{{word-break:normal}}")
    if upright := [lang for lang, language in languages.items() if not language.has_italics]:
        rules.append(f"{_selector(upright, 'em')}{{font-style:normal;font-weight:600}}")
    return "".join(rules)


def _selector(langs: Iterable[str], element: str = "") -> str:
    return ",".join(f"{element}:lang({lang})" for lang in langs)
