"""The line of provenance below a result: versions, device, date; and what a device is called in a choice of them."""

from __future__ import annotations

import datetime
import re

from babel import Locale, UnknownLocaleError
from babel.dates import format_date

from d2lbook.execute.frozen import CPU
from d2lbook.frameworks import FREE_TAB, label_of, packages_of
from d2lbook.languages import language_of
from d2lbook.model import UiStrings
from d2lbook.rendering.results import Result

_CPU = re.compile(r"CPU, (?:(?P<used>\d+) of )?(?P<count>\d+) cores?")


_MEMORY = re.compile(r"\d+\s*GB|HBM\w*|PCI\w*|SXM\w*|NVL\w*", re.IGNORECASE)  # and connectors: of no use in a name
_MAKERS = re.compile(r"\b(?:NVIDIA|Tesla|GeForce|AMD|Instinct|Google|Intel)\b\s*")


def device_label(result: Result) -> str:
    """What a choice of devices calls one: "CPU", and "H100" for an NVIDIA H100 80GB HBM3."""
    if result.kind == CPU:
        return CPU.upper()
    short = _MEMORY.sub("", _MAKERS.sub("", result.run.produced.device))
    return " ".join(short.replace("-", " ").split()) or result.kind.upper()


def made_with(tab: str, result: Result, words: UiStrings | None = None) -> str:
    """The line below an output: framework and version, device, date; as the language of `words` writes them."""
    words, tab = words or UiStrings(), FREE_TAB if result.free else tab
    produced = result.run.produced
    names = [name for names in packages_of(tab)[:1] for name in names] or [tab]
    version = next((produced.versions[name] for name in names if name in produced.versions), "")
    device, date = device_in(words, produced.device), date_in(words.lang, produced.date)
    changed = words("the code has changed since") if result.stale else ""
    parts = f"{label_of(tab)} {version}".strip(), device, date, changed
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
