"""Marks that a translation has and its source has not: what tools put in, and what hurried people leave behind."""

from __future__ import annotations

import re

from d2lbook.parse.inline import without_tokens
from d2lbook.translate.units import Unit

# Wherever they stand, in code and formulas, too.
_LEFT_OVER = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|\b(?:TODO|FIXME|XXX+)\b|\?\?\?|<{7}|={7}|\|{7}|>{7}"
    r"|&(?:nbsp|quot|apos|#\d+|#x[\da-f]+);|\ufffd|[\ue000-\uf8ff]"
)
# How tools write what they keep from being translated: <x id="1"/>, {1}, __PH1__, @@1@@, and the like.
_PLACED = re.compile(
    r"""</?[A-Za-z][\w:-]*(?:\s+[\w:-]+=(?:"[^"]*"|'[^']*'))*\s*/?>|</?\d+/?>|<!--"""
    r"|\{\d+\}|__[A-Z]+_?\d*__|@@\w*@@|[⟦⟧⟪⟫⟨⟩][\w ]*[⟦⟧⟪⟫⟨⟩]?"
)


def left_over(unit: Unit, text: str) -> list[str]:
    """The marks of a translation that its source has not, in order."""
    more = set(_LEFT_OVER.findall(text))
    if more:  # as hardly any translation has
        more -= set(_LEFT_OVER.findall(unit.msgid))
    compared_anyway = unit.form == "drawing" or unit.kind == "string"
    if not compared_anyway and (placed := set(_PLACED.findall(words_of(text)))):
        more |= placed - set(_PLACED.findall(words_of(unit.msgid)))
    return sorted(more)


def words_of(text: str) -> str:
    """What of a text is words."""
    return without_tokens(text, "\ufffc", marks=True)
