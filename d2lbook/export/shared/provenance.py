"""The line of provenance below a result: versions, device, date."""

from __future__ import annotations

import datetime
import re

from babel import Locale, UnknownLocaleError
from babel.dates import format_date

from d2lbook.execute.frozen import Run
from d2lbook.frameworks import label_of, packages_of
from d2lbook.languages import language_of
from d2lbook.model import UiStrings

_CPU = re.compile(r"CPU, (?:(?P<used>\d+) of )?(?P<count>\d+) cores?")


def made_with(tab: str, run: Run, words: UiStrings | None = None) -> str:
    """The line below an output: framework and version, device, date; as the language of `words` writes them."""
    words = words or UiStrings()
    produced = run.produced
    names = [name for names in packages_of(tab)[:1] for name in names]
    version = next((produced.versions[name] for name in names if name in produced.versions), "")
    parts = f"{label_of(tab)} {version}".strip(), device_in(words, produced.device), date_in(words.lang, produced.date)
    return " · ".join(part for part in parts if part)


def device_in(words: UiStrings, device: str) -> str:
    """What `execute.device` calls a processor, in words."""
    found = _CPU.fullmatch(device)
    if found is None:
        return device
    if found["used"]:
        return words("CPU, {used} of {count} cores", used=found["used"], count=found["count"])
    if found["count"] == "1":
        return words("CPU, {count} core", count=1)
    return words("CPU, {count} cores", count=found["count"])


def date_in(lang: str, date: str) -> str:
    """Return a date written YYYY-MM-DD as the language writes it; what is no date stays as it is."""
    if language_of(lang).iso_dates:
        return date
    try:
        return format_date(datetime.date.fromisoformat(date), "medium", Locale.parse(lang, sep="-"))
    except (UnknownLocaleError, ValueError):
        return date
