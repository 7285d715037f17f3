"""Catalogs: one gettext file per page and language, `locales/<lang>/<page>.po`, read and written with polib."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polib

from d2lbook.config import Config
from d2lbook.diagnostics import BookError, Message, Messages, error_at
from d2lbook.files import is_file, read_text, write_atomic
from d2lbook.languages import language_of
from d2lbook.security.inside import CODE, why_outside
from d2lbook.translate.po_lines import UNTIL, bad_lines, with_letters
from d2lbook.translate.units import CODE_KINDS, Unit

LOCALES = "locales"
INTERFACE = "interface"  # the catalog of the builder's own words and of those in config.ini
_CHARSET = re.compile(r"\bcharset=utf-?8\b", re.IGNORECASE)
_LINE = re.compile(r"\(?line (?P<line>\d+)\)?:?\s*")
_WRAP = 78


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """One message of a catalog."""

    context: str
    msgid: str
    text: str  # the translation; empty when there is none
    fuzzy: bool
    line: int  # 1-based, of the translation
    comment: str = ""  # the translator's
    plural: bool = False  # whether it has forms for numbers, which no text of a book needs

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.msgid

    @property
    def usable(self) -> bool:
        return bool(self.text) and not self.fuzzy


@dataclass(frozen=True, slots=True)
class Catalog:
    """The messages of a page in one language."""

    path: str  # relative to the book's root
    entries: tuple[CatalogEntry, ...] = ()
    by_key: dict[tuple[str, str], CatalogEntry] = field(init=False, repr=False, default_factory=dict)
    twice: set[tuple[str, str]] = field(init=False, repr=False, default_factory=set)

    def __post_init__(self) -> None:
        for entry in self.entries:
            if self.by_key.setdefault(entry.key, entry) is not entry:
                self.twice.add(entry.key)

    def get(self, unit: Unit) -> CatalogEntry | None:
        return self.by_key.get(unit.key)


def catalog_path(lang: str, name: str) -> str:
    """Where the catalog of the page `name` is, relative to the book's root."""
    return f"{LOCALES}/{lang}/{name}.po"


def catalog_names(config: Config, lang: str) -> list[str]:
    """The names of all catalogs of a language."""
    base = config.root / LOCALES / lang
    return [path.relative_to(base).with_suffix("").as_posix() for path in sorted(base.rglob("*.po"))]


def read_catalog_text(config: Config, lang: str, name: str) -> str | None:
    """The text of a page's catalog; None when there is no such file. Raises BookError for one that is no text."""
    shown = catalog_path(lang, name)
    if not is_file(config.root / shown):
        return None
    if why := why_outside(config.root, "", shown):
        raise error_at(shown, 0, 0, why, CODE)
    try:
        return read_text(config.root / shown)
    except BookError as error:
        raise BookError(
            Message(shown, found.line, found.column, found.level, found.text, found.code) for found in error.messages
        ) from error


def parse_po(text: str, shown: str) -> polib.POFile:
    """A catalog from its text. Raises BookError with the lines that are wrong."""
    text = with_letters(text.removeprefix("\ufeff"))
    if found := list(bad_lines(text, shown)):
        raise BookError(found)
    try:
        return polib.pofile(text, wrapwidth=_WRAP)
    except (OSError, ValueError, IndexError, KeyError) as error:
        place = _LINE.search(str(error))
        reason = str(error).rpartition(": ")[2] if place is not None and ": " in str(error) else "not a gettext catalog"
        line = int(place["line"]) if place is not None else 0
        raise error_at(shown, line, 0 if not line else 1, f"{reason}; {UNTIL}", "catalog-syntax") from error


def header_findings(po: polib.POFile, text: str, shown: str) -> Iterator[Message]:
    """What of a catalog's beginning keeps gettext's tools and editors from reading the letters in it."""
    what = ""
    if text.startswith("\ufeff"):
        what = "begins with a byte-order mark, at which gettext's tools stop"
    elif _CHARSET.search(po.metadata.get("Content-Type", "")) is None:
        what = "has no header that says charset=UTF-8, so other tools may take its letters for others"
    if what:
        yield Message(shown, 1, 1, "warning", f"{what}; run: d2lbook translate update", "catalog-header")


def load_catalog(config: Config, lang: str, name: str, messages: Messages) -> Catalog:
    """A page's catalog, empty when there is none. One that cannot be read is reported and counts as empty."""
    shown = catalog_path(lang, name)
    try:
        text = read_catalog_text(config, lang, name)
        return catalog_of(parse_po(text, shown), shown, text) if text is not None else Catalog(shown)
    except BookError as error:
        messages.extend(error.messages)
        return Catalog(shown)


def catalog_of(po: polib.POFile, shown: str, text: str) -> Catalog:
    """The messages of a catalog, each with the line of its translation; obsolete ones aside."""
    lines = text.split("\n")
    return Catalog(
        shown,
        tuple(
            CatalogEntry(
                entry.msgctxt or "",
                entry.msgid,
                entry.msgstr if entry.msgstr.strip() else "",
                entry.fuzzy,
                _line(lines, entry.linenum or 1),
                entry.tcomment,
                bool(entry.msgid_plural),
            )
            for entry in po
            if not entry.obsolete
        ),
    )


def _line(lines: list[str], first: int) -> int:
    """The 1-based line of the translation of the message that starts at line `first`."""
    return next(
        (number for number in range(first, len(lines) + 1) if lines[number - 1].lstrip().startswith("msgstr")), first
    )


def new_po(config: Config, lang: str, name: str) -> polib.POFile:
    """An empty catalog. It bears no date: version control knows it, and the same sources make the same bytes."""
    po = polib.POFile(wrapwidth=_WRAP)
    source = "the words of the builder and of config.ini" if name == INTERFACE else name
    po.header = f"Translation of {source} into {lang}. `d2lbook translate update` keeps it in step with the source."
    po.metadata = {
        "Project-Id-Version": f"{config.name} {config.release}".strip(),
        "PO-Revision-Date": "1970-01-01 00:00+0000",  # the field must be there
        "Last-Translator": "the translators of the book",
        "Language-Team": lang,
        "Language": lang.replace("-", "_"),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": language_of(lang).plural_forms,
    }
    return po


def new_entry(unit: Unit) -> polib.POEntry:
    """The entry of a message without a translation."""
    comment = unit.note or (f"{unit.kind} of code" if unit.kind == "string" else unit.kind)
    if unit.optional:
        comment += "; without a translation it stays English"
    flags = [f"code-{unit.kind.removeprefix('code ')}"] if unit.kind in CODE_KINDS else []
    if unit.form == "word" and "{" in unit.msgid:
        flags.append("python-brace-format")
    return polib.POEntry(msgctxt=unit.context, msgid=unit.msgid, comment=comment, flags=flags)


def write_po(path: Path, po: polib.POFile, entries: Iterable[polib.POEntry], ending: str = "\n") -> bool:
    """Writes a catalog with these entries in their order; False when the file held the same."""
    po.clear()
    po.extend(entries)
    return write_atomic(path, (f"{po}".rstrip("\n") + "\n").replace("\n", ending))
