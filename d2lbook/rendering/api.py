"""The libraries' reference: what each framework's library offers under each name, in the order of the book."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import TypeVar

from d2lbook.book.cross_references import api_name, plain_text
from d2lbook.config import Config
from d2lbook.library import assembled
from d2lbook.library.reference import AliasEntry, ApiEntry, alias_entries, definitions, docstrings_in, in_words_of
from d2lbook.model import ApiListing, Book, Cell, Heading, Page, UiStrings, roles_of
from d2lbook.parse.inline import inline_tokens

OWN_NAME = "d2l"  # how pages call their framework's library
Variant = TypeVar("Variant")
Said = TypeVar("Said")
_SPECIAL = re.compile(r"[\\*_\[\]<>$#~|]")


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the libraries, and what each framework that has it says of it."""

    name: str
    variants: dict[str, ApiEntry]  # by framework
    methods: tuple[Name, ...]  # of a class


@dataclass(frozen=True)
class Api:
    """The reference of a book's libraries."""

    book: Book
    config: Config
    source: Api | None = None  # of the book that this one is translated from

    @cached_property
    def tabs(self) -> tuple[str, ...]:
        """The frameworks that have a library."""
        libraries = self.config.libraries
        return tuple(tab for tab in self.book.tabs if tab in libraries and libraries[tab].lib_file)

    @cached_property
    def entries(self) -> dict[str, tuple[ApiEntry, ...]]:
        if self.source is not None:
            docstrings = docstrings_in(self.book, self.source.book)
            return {
                tab: tuple(in_words_of(entry, docstrings, self.book) for entry in entries)
                for tab, entries in self.source.entries.items()
            }
        return {tab: definitions(assembled(self.book, self.config, tab), self.book) for tab in self.tabs}

    @cached_property
    def aliases(self) -> dict[str, dict[str, AliasEntry]]:
        """By name, then framework."""
        if self.source is not None:
            return self.source.aliases
        found: dict[str, dict[str, AliasEntry]] = {}
        for tab in self.tabs:
            for alias in alias_entries(assembled(self.book, self.config, tab)):
                found.setdefault(alias.name, {})[tab] = alias
        return dict(sorted(found.items(), key=lambda item: (item[0].lower(), item[0])))

    def aliases_of(self, tab: str) -> list[AliasEntry]:
        return [by_tab[tab] for by_tab in self.aliases.values() if tab in by_tab]

    @cached_property
    def pages(self) -> dict[str, tuple[Name, ...]]:
        """The names that each page defines, pages and names in the order of the book."""
        variants: dict[str, dict[str, ApiEntry]] = {}
        for tab in self.tabs:
            for entry in self.entries[tab]:
                variants.setdefault(entry.name, {})[tab] = entry
        first = {name: next(iter(by_tab.values())).page for name, by_tab in variants.items()}
        lines = {
            name: min(entry.line for entry in by_tab.values() if entry.page == first[name])
            for name, by_tab in variants.items()
        }
        found: dict[str, list[Name]] = {page.document.name: [] for page in self.book.pages}
        for name in sorted(variants, key=lambda name: (lines[name], name)):
            found.setdefault(first[name], []).append(_name(name, variants[name]))
        return {page: tuple(names) for page, names in found.items() if names}

    @cached_property
    def members(self) -> set[str]:
        """What pages define: `Timer`, `Timer.start`, …"""
        names = [name for names in self.pages.values() for name in names]
        return {name.name for name in names} | {f"{name.name}.{one.name}" for name in names for one in name.methods}

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        files = [PurePosixPath(self.config.libraries[tab].lib_file).with_suffix("") for tab in self.tabs]
        modules = [".".join(file.parts) for file in files]
        return tuple(f"{module}." for module in (*modules, OWN_NAME))

    def place_of(self, text: str) -> tuple[str, str] | None:
        """Page and anchor where the reference tells of what a role `:class:`text`` or `:func:`text`` names."""
        name = api_name(text)
        prefix = next((prefix for prefix in self._prefixes if name.startswith(prefix)), "")
        bare, pages = name.removeprefix(prefix), self.book.reference_pages
        if "definitions" in pages and bare in self.members:
            return pages["definitions"], anchor_of(bare)
        if "aliases" in pages and prefix and bare in self.aliases:  # without `d2l.`, `abs` is Python's
            return pages["aliases"], anchor_of(bare)
        return None

    def definition_of(self, text: str, tab: str) -> tuple[str, str] | None:
        """As `place_of`, of what the library of one framework defines."""
        place = self.place_of(text)
        return place if place is not None and place[1] in self._defined.get(tab, ()) else None

    @cached_property
    def _defined(self) -> dict[str, set[str]]:
        """By framework: the anchors of what its library defines."""
        names = {
            tab: {entry.name for entry in entries}
            | {f"{entry.name}.{method.name}" for entry in entries for method in entry.methods}
            for tab, entries in self.entries.items()
        }
        return {tab: set(map(anchor_of, found)) for tab, found in names.items()}

    @cached_property
    def sources(self) -> list[object]:
        """All that the reference is made from beside the configuration: saved code, and the headings around it."""
        found: list[object] = [self.book.reference_pages]
        for page in self.book.pages:
            for block in page.document.walk():
                if isinstance(block, Cell) and "save" in block.source:
                    found.append((page.document.name, block.tabs, block.source))
                elif isinstance(block, Heading) and block.labels:
                    targets = (self.book.targets.get(label.name) for label in block.labels)
                    found.append(
                        [
                            (target.label, target.text(self.book.words), target.anchor)
                            for target in targets
                            if target is not None
                        ]
                    )
        return found

    def inputs(self, page: Page) -> list[object]:
        """What a page has to be made anew for, if it shows the reference or leads to it; else nothing."""
        blocks = list(page.document.walk())
        shows = any(isinstance(block, ApiListing) for block in blocks)
        leads = any(role.kind in {"class", "func"} for block in blocks for role in roles_of(block))
        return self.sources if shows or leads else []


def api_of(book: Book, config: Config, source: Api | None = None) -> Api:
    """The reference of a book, with all but the words from `source` if it is a translation; made once for a book."""
    api: Api | None = book.memo.get(Api)
    if api is None or api.config != config or api.source is not source:
        api = book.memo[Api] = Api(book, config, source)
    return api


def anchor_of(name: str) -> str:
    return f"api-{name}"


def _name(name: str, variants: dict[str, ApiEntry]) -> Name:
    methods: dict[str, dict[str, ApiEntry]] = {}
    for tab, entry in variants.items():
        for method in entry.methods:
            methods.setdefault(method.name, {})[tab] = method
    return Name(name, variants, tuple(_name(method, by_tab) for method, by_tab in methods.items()))


def alike(variants: dict[str, Variant], view: Callable[[Variant], Said]) -> list[tuple[tuple[str, ...], Said]]:
    """Groups the frameworks whose values are equal, in the order in which they first appear."""
    found: list[tuple[list[str], Said]] = []
    for tab, variant in variants.items():
        said = view(variant)
        for tabs, other in found:
            if other == said:
                tabs.append(tab)
                break
        else:
            found.append(([tab], said))
    return [(tuple(tabs), said) for tabs, said in found]


def literal_prose(doc: str) -> str:
    """A docstring as Markdown: paragraphs, lists and code stay, `*args` or `x_0` in its sentences mean themselves."""
    parts, position = [], 0
    for piece in inline_tokens(doc):
        if piece.kind in {"code", "role"}:
            parts += [_SPECIAL.sub(r"\\\g<0>", doc[position : piece.start]), doc[piece.start : piece.end]]
            position = piece.end
    return "".join([*parts, _SPECIAL.sub(r"\\\g<0>", doc[position:])])


def signature_words(entry: ApiEntry, words: UiStrings | None = None) -> tuple[str, str]:
    """The word before a signature, and the signature."""
    words = words or UiStrings()
    shown = {
        "class": words("class"),
        "property": words("property"),
        "staticmethod": words("static method"),
        "classmethod": words("class method"),
    }
    return shown.get(entry.kind, ""), entry.signature


def page_title(book: Book, name: str) -> str:
    """How a page is called in a list: its number and title."""
    page = book.page(name)
    if page is None:
        return name
    return " ".join(part for part in (page.number, plain_text(page.document.title, book) or name) if part)
