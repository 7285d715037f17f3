"""Checks a catalog against its page: every translation, and messages that no text of the page belongs to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from d2lbook.diagnostics import Message
from d2lbook.translate.catalog import Catalog, CatalogEntry
from d2lbook.translate.checks.glossary import Glossary, other_direction
from d2lbook.translate.checks.numbers import numbers_missing
from d2lbook.translate.checks.punctuation import check_punctuation
from d2lbook.translate.checks.translation import Finding, check_translation
from d2lbook.translate.units import Unit, tidied

_EXCUSE = re.compile(r"\b(?P<what>[a-z]+): ok\b")


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a catalog, and which of its messages are not used for that."""

    found: tuple[Message, ...] = ()
    refused: frozenset[tuple[str, str]] = frozenset()


def check_catalog(units: tuple[Unit, ...], catalog: Catalog, glossary: Glossary, source: str) -> Checked:
    """The findings of a catalog for the page `source`, which has these units."""
    found: list[Message] = []
    refused: set[tuple[str, str]] = set()
    known = {unit.key: unit for unit in units}
    seen: dict[tuple[str, str], CatalogEntry] = {}
    for entry in catalog.entries:
        if entry.key in seen:
            what = (
                f"a second message for the text and context of line {seen[entry.key].line}; remove one of them, or run"
            )
            what = f"{what}: d2lbook translate update, which keeps the first and notes the other beside it"
            found.append(_message(catalog, entry, Finding("error", what, "translation-twice")))
            refused.add(entry.key)
            continue
        seen[entry.key] = entry
        unit = known.get(entry.key)
        if unit is None:
            what = f"{source} has no such text; run: d2lbook translate update"
            found.append(_message(catalog, entry, Finding("warning", what, "translation-unknown")))
        elif entry.plural:
            what = "a text with forms for numbers, which no text of a book needs; run: d2lbook translate update"
            found.append(_message(catalog, entry, Finding("error", f"{what}, which keeps them", "translation-plural")))
        elif entry.usable:
            for finding in check_entry(unit, entry, glossary):
                found.append(_message(catalog, entry, finding))
                if finding.level == "error":
                    refused.add(entry.key)
    return Checked(tuple(found), frozenset(refused))


def words_of(catalog: Catalog, units: Iterable[Unit], refused: Collection[tuple[str, str]]) -> dict[str, str]:
    """What the texts of `units` are in the language, of those whose translation can be used."""
    found = ((unit, catalog.get(unit)) for unit in units if unit.key not in refused)
    return {unit.msgid: tidied(unit, entry.text) for unit, entry in found if entry is not None and entry.usable}


def check_entry(unit: Unit, entry: CatalogEntry, glossary: Glossary) -> Iterator[Finding]:
    """The findings of one translation, without warnings that its translator excuses in a comment."""
    excused = {match["what"] for match in _EXCUSE.finditer(entry.comment)}
    for finding in _findings(unit, entry.text, glossary):
        if finding.level == "error" or finding.code.removeprefix("translation-") not in excused:
            yield finding


def _findings(unit: Unit, text: str, glossary: Glossary) -> Iterator[Finding]:
    yield from check_translation(unit, text)
    yield from check_punctuation(glossary.lang, unit, text)
    yield from glossary.check(unit, text)
    if (what := other_direction(glossary.lang, text)) and not other_direction(glossary.lang, unit.msgid):
        yield Finding("warning", what, "translation-character")
    if not unit.is_code and (missing := numbers_missing(unit.msgid, text, glossary.lang)):
        what = (
            f"the number {', '.join(missing)} of the source is not here; put it in, or excuse it: '# number: ok, why'"
        )
        yield Finding("warning", what, "translation-number")


def _message(catalog: Catalog, entry: CatalogEntry, finding: Finding) -> Message:
    consequence = "; until then the source is shown" if finding.level == "error" else ""
    return Message(catalog.path, entry.line, 1, finding.level, finding.text + consequence, finding.code)
