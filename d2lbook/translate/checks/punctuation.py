"""Punctuation as a language has it; where a rule could be wrong, it is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from d2lbook.languages import language_of
from d2lbook.translate.checks.translation import Finding, words_only
from d2lbook.translate.units import Unit

_CODE = "translation-punctuation"
_SPACE_BEFORE = re.compile(r"[^\W\d_] +[,.;:!?](?=\s|$)")
_TWO_SPACES = re.compile(r"\S {2,}\S")


def check_punctuation(lang: str, unit: Unit, text: str) -> Iterator[Finding]:
    """What a reader of the language would take for a slip."""
    if unit.kind == "string":
        return
    source, words = words_only(unit.msgid, unit.is_code), words_only(text, unit.is_code)
    if not unit.is_code and _TWO_SPACES.search(words) and not _TWO_SPACES.search(source):
        yield Finding("warning", "two spaces in a row; one is enough", _CODE)
    if (found := _SPACE_BEFORE.search(words)) and not _SPACE_BEFORE.search(source):
        yield Finding("warning", f"a space before '{found[0][-1]}'; take it out", _CODE)
    for rule in language_of(lang).punctuation:
        if (rule.in_code or not unit.is_code) and (message := rule.find(words)):
            yield Finding("warning", message, _CODE)
