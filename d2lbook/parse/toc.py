"""The table of contents: a fence ```toc with options and one page per line."""

from __future__ import annotations

import re

from d2lbook.diagnostics import likely
from d2lbook.model import Span, Toc, TocEntry
from d2lbook.parse.source import Source

_OPTION = re.compile(r":(?P<name>[\w-]*):[ \t]*(?P<value>.*)$")
_FLAGS = ("numbered", "appendix")
_OPTIONS = ("maxdepth", *_FLAGS)


def read_toc(source: Source, span: Span, first: int, stop: int) -> Toc:
    maxdepth = 2
    flags: set[str] = set()
    entries: list[TocEntry] = []
    for number in range(first, stop):
        text = source.lines[number].strip()
        if not text:
            continue
        start = source.starts[number] + source.lines[number].index(text)
        place = source.span(start, start + len(text))
        option = _OPTION.match(text)
        if option is None:
            entries.append(_entry(source, text, place))
        elif option["name"] in _FLAGS:
            flags.add(option["name"])
        elif option["name"] == "maxdepth":
            maxdepth = _depth(source, place, option["value"], maxdepth)
        else:
            _report_option(source, place, option["name"])
    if not entries:
        source.warning(span, "the table of contents names no page", "toc-empty")
    numbered, appendix = (flag in flags for flag in _FLAGS)
    return Toc(span=span, entries=tuple(entries), maxdepth=maxdepth, numbered=numbered, appendix=appendix)


def _entry(source: Source, text: str, place: Span) -> TocEntry:
    target = text.replace("\\", "/")
    if target != text:
        source.warning(place, f"'{text}': write '{target}', with forward slashes", "toc-suffix")
    if target.endswith(".md"):
        target = target.removesuffix(".md")
        source.warning(place, f"'{text}': pages are named without '.md'; write '{target}'", "toc-suffix")
    return TocEntry(target, place)


def _depth(source: Source, place: Span, value: str, default: int) -> int:
    if re.fullmatch(r"[1-9]\d?", value):
        return int(value)
    source.warning(place, f":maxdepth: is '{value}', not a whole number above zero; {default} is used", "toc-option")
    return default


def _report_option(source: Source, place: Span, name: str) -> None:
    hint = likely(name, _OPTIONS, "there are :maxdepth:, :numbered: and :appendix:", "':{}:'")
    source.warning(place, f":{name}: has no effect in a table of contents; {hint}", "toc-option")
