"""Brings catalogs in step with the source: what stays is kept, what changed turns fuzzy, nothing is lost."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

import polib

from d2lbook.config import Config
from d2lbook.translate.catalog import catalog_path, new_entry, new_po, read_po, write_po
from d2lbook.translate.units import Unit

_Find = Callable[[Unit], "polib.POEntry | None"]
_ALIKE = 0.6  # a text that changed more than this is a new one
_SAME_PLACE = 0.15  # how much more alike two texts are in one context


def update_catalog(config: Config, lang: str, name: str, units: tuple[Unit, ...]) -> bool:
    """Updates the catalog of a page; whether the file changed.

    `units` holds the first unit of each message, in the order of the page. Raises BookError, and writes nothing, when
    the catalog cannot be read.
    """
    path = config.root / catalog_path(lang, name)
    po = read_po(config, lang, name)
    if po is None:
        po = new_po(config, lang, name)
    elif _is_current(po, units):
        return False
    return write_po(path, po, merged(list(po), units))


def _is_current(po: polib.POFile, units: tuple[Unit, ...]) -> bool:
    """Whether the catalog has the messages of the page in their order: then its bytes are the translator's."""
    present = [
        (entry.msgctxt or "", entry.msgid, " ".join(entry.comment.split())) for entry in po if not entry.obsolete
    ]
    return present == [(unit.context, unit.msgid, new_entry(unit).comment) for unit in units]


def merged(old: list[polib.POEntry], units: tuple[Unit, ...]) -> list[polib.POEntry]:
    """The entries for `units`, each with what the old entries know about it; then what is gone but was translated."""
    merger = _Merger(units, old)
    merger.take_same()
    merger.take_back()
    merger.take_moved()
    merger.take_changed()
    return list(merger.entries())


class _Merger:
    def __init__(self, units: tuple[Unit, ...], old: list[polib.POEntry]) -> None:
        self.new = [(unit, new_entry(unit)) for unit in units]
        self.old = old
        self.open = list(range(len(self.new)))  # new entries that have found nothing yet
        self.used: set[int] = set()  # by id: old entries whose translation has a place

    def take_same(self) -> None:
        """The same text in the same place."""
        known: dict[tuple[str, str], polib.POEntry] = {}
        for entry in sorted(self.old, key=lambda entry: bool(entry.obsolete)):
            known.setdefault((entry.msgctxt or "", entry.msgid), entry)
        self._take(lambda unit: known.get(unit.key))

    def take_back(self) -> None:
        """A text as it was before it changed, if its translation is still the one of that time."""
        known = {
            (entry.previous_msgctxt or entry.msgctxt or "", entry.previous_msgid): entry
            for entry in self.old
            if entry.fuzzy and id(entry) not in self.used
        }
        self._take(lambda unit: known.get(unit.key))

    def take_moved(self) -> None:
        """The same text in another place, of the same kind: a translation of it is as good there."""
        known: dict[tuple[str, str], polib.POEntry] = {}
        for entry in self.old:
            if entry.msgstr and not entry.fuzzy:
                known.setdefault((_kind(entry), entry.msgid), entry)
        self._take(lambda unit: known.get((unit.kind, unit.msgid)))

    def _take(self, find: _Find) -> None:
        rest = []
        for number in self.open:
            unit, entry = self.new[number]
            found = find(unit)
            if found is None:
                rest.append(number)
                continue
            self.used.add(id(found))
            entry.msgstr, entry.tcomment = found.msgstr, found.tcomment
            if found.fuzzy and found.previous_msgid != entry.msgid:
                _turn_fuzzy(entry, found.previous_msgctxt, found.previous_msgid)
        self.open = rest

    def take_changed(self) -> None:
        """The most similar text of the same kind: its translation is a start, marked as fuzzy."""
        pairs = sorted(self._similar(), key=lambda pair: (-pair[0], pair[1]))
        taken: set[int] = set()
        for _, number, entry in pairs:
            if number in taken or id(entry) in self.used:
                continue
            taken.add(number)
            self.used.add(id(entry))
            new = self.new[number][1]
            new.msgstr, new.tcomment = entry.msgstr, entry.tcomment
            if entry.fuzzy and entry.previous_msgid:  # it was translated from an even older text
                _turn_fuzzy(new, entry.previous_msgctxt, entry.previous_msgid)
            else:
                _turn_fuzzy(new, entry.msgctxt, entry.msgid)
        self.open = [number for number in self.open if number not in taken]

    def _similar(self) -> Iterator[tuple[float, int, polib.POEntry]]:
        left = [entry for entry in self.old if entry.msgstr and id(entry) not in self.used]
        matcher = difflib.SequenceMatcher(autojunk=False)
        for number in self.open:
            unit, _ = self.new[number]
            matcher.set_seq2(unit.msgid.split())
            for entry in left:
                if _kind(entry) != unit.kind:
                    continue
                matcher.set_seq1(entry.msgid.split())
                bonus = _SAME_PLACE if entry.msgctxt == unit.context else 0.0
                least = _ALIKE - bonus
                if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                    continue
                ratio = matcher.ratio()
                if ratio >= least:
                    yield ratio + bonus, number, entry

    def entries(self) -> Iterator[polib.POEntry]:
        """All entries, those whose text is gone behind the others; no text in one context has two, as gettext wants."""
        first = {(entry.msgctxt, entry.msgid): entry for _, entry in self.new}
        gone: list[polib.POEntry] = []
        for entry in self.old:
            if id(entry) in self.used or not entry.msgstr:
                continue
            other = first.setdefault((entry.msgctxt, entry.msgid), entry)
            if other is entry:
                entry.obsolete = True
                gone.append(entry)
            elif entry.msgstr != other.msgstr:
                note = f"another translation: {' '.join(entry.msgstr.split())}"
                other.tcomment = "\n".join(filter(None, [other.tcomment, note]))
        yield from (entry for _, entry in self.new)
        yield from gone


def _turn_fuzzy(entry: polib.POEntry, context: str | None, msgid: str | None) -> None:
    entry.flags.append("fuzzy")
    entry.previous_msgctxt = context if context != entry.msgctxt else None
    entry.previous_msgid = msgid


def _kind(entry: polib.POEntry) -> str:
    """The kind of text that an entry is for: what stands last in its context."""
    return (entry.msgctxt or "").rpartition(": ")[2]
