"""Brings catalogs in step with the source: what stays is kept, what changed turns fuzzy, nothing is lost."""

from __future__ import annotations

import copy
import difflib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import polib

from d2lbook.config import Config
from d2lbook.languages import interface_words
from d2lbook.translate.catalog import (
    INTERFACE,
    catalog_path,
    header_findings,
    new_entry,
    new_po,
    parse_po,
    read_catalog_text,
    write_po,
)
from d2lbook.translate.units import Unit

_Find = Callable[[Unit], "polib.POEntry | None"]
_ALIKE = 0.6  # a text that changed more than this is a new one
_SAME_PLACE = 0.15  # how much more alike two texts are in one context


def update_catalog(
    config: Config, lang: str, name: str, units: tuple[Unit, ...], gone: Iterable[polib.POFile] = ()
) -> bool:
    """Updates the catalog of a page; whether the file changed.

    `units` holds the first unit of each message, in the order of the page. Of the catalogs `gone`, whose pages are no
    more, a page that has none takes the one of its texts: it was renamed. Raises BookError, and writes nothing, when
    the catalog cannot be read.
    """
    shown = catalog_path(lang, name)
    text = read_catalog_text(config, lang, name)
    if text is None:
        return write_po(config.root / shown, new_po(config, lang, name), merged(_of_former_name(gone, units), units))
    po = parse_po(text, shown)
    readable = "\n#~| " not in text.replace("\r", "")  # which gettext writes, and other tools stop at
    if readable and _is_current(po, units) and not any(header_findings(po, text, shown)):
        return False
    _complete_header(po, new_po(config, lang, name))
    for entry in po:
        _without_plural(entry)
    said = interface_words(lang) if name == INTERFACE else {}  # what the builder says as the catalog does goes from it
    same = (entry for entry in po if entry.msgctxt == INTERFACE and said.get(entry.msgid) == entry.msgstr)
    left_out = set(map(id, same))
    # Without the headers of catalogs that were joined.
    old = [entry for entry in po if entry.msgid and id(entry) not in left_out]
    return write_po(config.root / shown, po, merged(old, units), "\r\n" if "\r\n" in text else "\n")


def _of_former_name(gone: Iterable[polib.POFile], units: tuple[Unit, ...]) -> list[polib.POEntry]:
    """The messages of the catalog that has at least half of the texts; none if no catalog does."""
    texts = {unit.msgid for unit in units}
    shared = [(len(texts & {entry.msgid for entry in po if entry.msgstr}), list(po)) for po in gone]
    count, entries = max(shared, key=lambda pair: pair[0], default=(0, []))
    return copy.deepcopy(entries) if texts and count >= len(texts) / 2 else []


def _complete_header(po: polib.POFile, new: polib.POFile) -> None:
    """Gives a catalog what its header lacks, and the encoding that it has."""
    po.header = po.header or new.header
    kept = {name: value for name, value in po.metadata.items() if name != "Content-Type"}
    po.metadata = {**new.metadata, **kept}


def _without_plural(entry: polib.POEntry) -> None:
    """Makes a message with forms for numbers, which some tool made, one without; the other forms are told beside it."""
    if not entry.msgid_plural:
        return
    forms = [text for _, text in sorted(entry.msgstr_plural.items()) if text]
    entry.msgstr, entry.msgid_plural, entry.msgstr_plural = next(iter(forms), ""), "", {}
    _note_others(entry, forms[1:])
    if forms and not entry.fuzzy:
        entry.flags.append("fuzzy")


def _is_current(po: polib.POFile, units: tuple[Unit, ...]) -> bool:
    """Whether the catalog has the messages of the page in their order: then its bytes are the translator's."""
    present = [
        (entry.msgctxt or "", entry.msgid, " ".join(entry.comment.split())) for entry in po if not entry.obsolete
    ]
    if any(entry.msgid_plural or not entry.msgid for entry in po):
        return False
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
        """The same text in another place, of the same kind: a translation of it is as good there.

        Where places have translations of their own, and were renamed together, each gets back its own. An entry whose
        context some tool has lost is for any place.
        """
        known: dict[tuple[str, str], list[polib.POEntry]] = defaultdict(list)
        for entry in self.old:
            if entry.msgstr and not entry.fuzzy:
                known[_kind(entry), entry.msgid].append(entry)

        def find(unit: Unit) -> polib.POEntry | None:
            found = known.get((unit.kind, unit.msgid)) or known.get(("", unit.msgid)) or []
            return next((entry for entry in found if id(entry) not in self.used), found[0] if found else None)

        self._take(find)

    def _take(self, find: _Find) -> None:
        rest = []
        for number in self.open:
            unit, entry = self.new[number]
            found = find(unit)
            if found is None:
                rest.append(number)
                continue
            self.used.add(id(found))
            _hand_over(found, entry)
            # Fuzzy because this text had changed, which it has no more; or because a translator says so.
            if found.fuzzy and (found.msgid == entry.msgid or found.previous_msgid != entry.msgid):
                _turn_fuzzy(entry, found.previous_msgctxt, found.previous_msgid)
        self.open = rest

    def take_changed(self) -> None:
        """The most similar text of the same kind, or the same of another: its translation is a start, and fuzzy."""
        pairs = sorted(self._similar(), key=lambda pair: (-pair[0], pair[1]))
        taken: set[int] = set()
        for _, number, entry in pairs:
            if number in taken or id(entry) in self.used:
                continue
            taken.add(number)
            self.used.add(id(entry))
            new = self.new[number][1]
            _hand_over(entry, new)
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
                if _kind(entry) not in {unit.kind, ""} and entry.msgid != unit.msgid:
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
            _name_by_translated(entry)
            other = first.setdefault((entry.msgctxt, entry.msgid), entry)
            if other is entry:
                entry.obsolete = True
                gone.append(entry)
            elif entry.msgstr != other.msgstr:
                _note_others(other, [entry.msgstr])
        yield from (entry for _, entry in self.new)
        yield from gone


def _name_by_translated(entry: polib.POEntry) -> None:
    """Gives a fuzzy entry back the text that its translation is of: other tools cannot read it beside the new one."""
    if not entry.previous_msgid:
        return
    entry.msgctxt, entry.msgid = entry.previous_msgctxt or entry.msgctxt, entry.previous_msgid
    entry.previous_msgctxt = entry.previous_msgid = None
    entry.flags = [flag for flag in entry.flags if flag != "fuzzy"]


def _hand_over(old: polib.POEntry, new: polib.POEntry) -> None:
    """Gives a message the translation of another, and what a translator and other tools wrote beside it."""
    new.msgstr, new.tcomment, new.occurrences = old.msgstr, old.tcomment, old.occurrences
    new.flags += [flag for flag in old.flags if flag != "fuzzy" and flag not in new.flags and not _is_ours(flag)]


def _is_ours(flag: str) -> bool:
    return flag.startswith("code-") or flag == "python-brace-format"


def _note_others(entry: polib.POEntry, texts: Iterable[str]) -> None:
    """Writes translations for which there is no place into the comment of the one that has it."""
    notes = [f"another translation: {' '.join(text.split())}" for text in texts]
    entry.tcomment = "\n".join(filter(None, [entry.tcomment, *notes]))


def _turn_fuzzy(entry: polib.POEntry, context: str | None, msgid: str | None) -> None:
    entry.flags.append("fuzzy")
    entry.previous_msgctxt = context if context != entry.msgctxt else None
    entry.previous_msgid = msgid


def _kind(entry: polib.POEntry) -> str:
    """The kind of text that an entry is for: what stands last in its context."""
    return (entry.msgctxt or "").rpartition(": ")[2]
