"""Other words for what readers search: the terms of a language's glossary, and what `locales/LANG/spoken.csv` adds."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from d2lbook import languages
from d2lbook.cache import CATALOGS
from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.files import is_file, read_text

HEADER = ["typed", "written"]


def spoken_path(lang: str) -> str:
    return f"{CATALOGS}/{lang}/spoken.csv"


def spoken_script(config: Config, messages: Messages) -> str:
    """What `find.js` has to know of the language, as a script, which pages read from files can load, too."""
    table = dict(sorted(_table(config, messages).items()))
    language = f"window.d2lLanguage = {languages.search(config.lang)};\n"
    return f"{language}window.d2lSpoken = {json.dumps(table, ensure_ascii=False, separators=(',', ':'))};\n"


def _table(config: Config, messages: Messages) -> dict[str, list[str]]:
    """What is typed, folded -> what the book may say instead."""
    found: dict[str, list[str]] = {}
    if config.lang == config.source_lang:
        return found
    from d2lbook.translate.checks.glossary import load_glossary  # the book in its own language has none

    glossary = load_glossary(config, config.lang, Messages())  # what is wrong in it is told with the catalogs
    rows = [(term, word) for term, words in glossary.terms.items() for word in words]
    for typed, written in [*rows, *_rows(config, messages)]:
        if folded(written) != folded(typed):
            found.setdefault(folded(typed), []).append(written)
    return found


def _rows(config: Config, messages: Messages) -> Iterator[tuple[str, str]]:
    """Lines `typed,written` of the language's own list; those that cannot be used are reported."""
    shown = spoken_path(config.lang)
    path: Path = config.root / shown
    if not is_file(path):
        return
    for line, row in enumerate(csv.reader(io.StringIO(read_text(path))), 1):
        if line == 1 and row == HEADER:
            continue
        if line == 1 or len(row) != len(HEADER) or not all(cell.strip() for cell in row):
            what = (
                f"the first line is '{','.join(HEADER)}'" if line == 1 else "a line has what is typed, a comma and what"
            )
            text = f"{what}{'' if line == 1 else ' the book writes'}; write it so"
            messages.error(shown, line, 1, text, "spoken-line")
        else:
            yield " ".join(row[0].split()), " ".join(row[1].split())


def folded(text: str) -> str:
    """A text in lower case without marks, as `folded` in `find.js` makes it."""
    parts = unicodedata.normalize("NFD", text.lower().replace("ı", "i").replace("đ", "d"))
    return unicodedata.normalize("NFC", "".join(sign for sign in parts if unicodedata.category(sign)[0] != "M"))
