"""Begins a new language: its catalogs, an empty glossary, and its name in config.ini."""

from __future__ import annotations

import re

from d2lbook.config import Config
from d2lbook.config.keys import LANGUAGE
from d2lbook.diagnostics import error_at
from d2lbook.files import read_text, write_atomic
from d2lbook.translate.checks.glossary import HEADER, glossary_path
from d2lbook.translate.commands import Say

_KEY = re.compile(r"(?P<key>languages[ \t]*[=:][ \t]*)(?P<value>[^\r\n]*?)(?P<end>[ \t]*\r?\n?)$", re.IGNORECASE)


def check_language(config: Config, names: list[str]) -> str:
    """The one language that was named. Raises BookError when it cannot be one, or is the book's own."""
    if len(names) != 1:
        raise error_at("translate add", 0, 0, "name one language: d2lbook translate add ja", "lang-unknown")
    lang = names[0]
    if not LANGUAGE.fullmatch(lang):
        what = f"'{lang}' is no code of a language; write one such as ja or pt-BR"
        raise error_at("translate add", 0, 0, what, "lang-unknown")
    if lang == config.source_lang:
        raise error_at("translate add", 0, 0, f"the pages are written in {lang}; name another language", "lang-unknown")
    return lang


def begin(config: Config, lang: str, say: Say) -> None:
    """Names the language in config.ini and gives it a glossary, unless it has them; says what it wrote."""
    if lang not in config.languages:
        text = read_text(config.path)
        write_atomic(config.path, _with_language(text, lang, config.line("project", "languages")))
        say(f"added '{lang}' to languages in {config.name_in_messages}")
    glossary = config.root / glossary_path(lang)
    if not glossary.exists():
        write_atomic(glossary, ",".join(HEADER) + "\n")
        say(f"wrote {glossary_path(lang)}")


def _with_language(text: str, lang: str, line: int) -> str:
    """The text of config.ini with one language more; `line`: 1-based, of the key, 0 when there is none."""
    lines = text.splitlines(keepends=True)
    ending = "\r\n" if "\r\n" in text else "\n"
    key = _KEY.match(lines[line - 1]) if line else None
    if key is not None:
        values = [value for value in re.split(r"[ \t,]+", key["value"]) if value]
        lines[line - 1] = f"{key['key']}{', '.join([*values, lang])}{key['end']}"
        return "".join(lines)
    header = next((number for number, text in enumerate(lines) if text.strip().lower() == "[project]"), None)
    if header is None:
        return f"[project]{ending}languages = {lang}{ending}{ending}{text}"
    return "".join([*lines[: header + 1], f"languages = {lang}{ending}", *lines[header + 1 :]])
