"""What the pages of the site are made from, and addresses between them."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from d2lbook.book.cross_references import citation_anchor
from d2lbook.cache import CATALOGS, INTERFACE, PageValues, builder_digest, hashes_in
from d2lbook.config import Config
from d2lbook.editions import words_in
from d2lbook.export.site.symbols import symbol_of
from d2lbook.files import is_file
from d2lbook.html.context import HtmlContext
from d2lbook.html.markup import attribute, escape
from d2lbook.model import Block, Book, roles_of
from d2lbook.rendering.book_context import BookContext, Runs
from d2lbook.rendering.paths import EXTERNAL, beside, file_of
from d2lbook.security.inside import book_file

IMAGES = "_images"  # the site's directory of figures that are not inlined
FILES = "_files"  # of other files that pages link to
SCRIPTS = "_scripts"  # and of what makes figures interactive
SHARED = ("_static/", f"{IMAGES}/", f"{FILES}/", f"{SCRIPTS}/")  # what all languages have together
_PLACE = re.compile("\x02([0-9]+)\x03")
_SIGN = re.compile("\x04[^\x05]*\x05")


@dataclass(frozen=True, slots=True)
class Language:
    """A language, as it calls itself, and how readers of another one are offered it."""

    lang: str
    name: str
    offer: str
    not_now: str


@dataclass(slots=True)
class Site:
    """The site in one language: everything a page needs beside its own text."""

    context: BookContext
    runs: Runs
    languages: tuple[Language, ...] = field(init=False)  # that the book can be read in
    pages: frozenset[str] = field(init=False)
    cited_on: dict[str, list[str]] = field(init=False)  # key -> pages that cite it, in order

    def __post_init__(self) -> None:
        self.languages = languages_of(self.config)
        self.pages = frozenset(page.document.name for page in self.book.pages)
        self.cited_on = {}
        for page in self.book.pages:
            for key in cited_keys(page.document.walk()):
                self.cited_on.setdefault(key, []).append(page.document.name)

    @property
    def book(self) -> Book:
        return self.context.book

    @property
    def config(self) -> Config:
        return self.context.config

    @property
    def tabs(self) -> tuple[str, ...]:
        return self.context.tabs

    def shared(self, source: str, path: str) -> str:
        """The address of a file that all languages share, `path` from the site's root, on page `source`."""
        return relative(prefix_of(self.config) + source, path)


@dataclass(slots=True, kw_only=True)
class SiteContext(HtmlContext):
    """A page of the site. What is no text is set aside while the page is written, so that search sees text only."""

    site: Site
    values: PageValues = field(default_factory=PageValues)
    picture_of: Callable[[str, str, str], str] = field(init=False)  # target, alternative text, width -> markup
    _cited: set[str] = field(default_factory=set)  # works that the page has named before
    _aside: list[str] = field(default_factory=list)

    def unsearched(self, html: str) -> str:
        self._aside.append(self.whole(html))
        return f"\x02{len(self._aside) - 1}\x03"

    def whole(self, html: str) -> str:
        """HTML with what was set aside."""
        return _PLACE.sub(lambda place: self._aside[int(place[1])], _SIGN.sub("", html))

    def aside(self, number: int) -> str:
        """What was set aside."""
        return self._aside[number]

    @staticmethod
    def searched(html: str) -> str:
        """HTML without what was set aside."""
        html = _PLACE.sub("", html)
        for sign in "\x04\x05\u2060":  # `str.translate` would take a hundred times as long
            html = html.replace(sign, "")
        return html

    def place(self, page: str, anchor: str, shown: str, kind: str = "", own: str = "") -> str:
        """A link. `own`: its id, to come back to."""
        classes = f"d2l-{kind} reference internal" if kind else "reference internal"
        there, named = attribute(address(self.name, page, anchor)), f' id="{own}"' if own else ""
        return f'<a class="{classes}" href="{there}"{named}>{shown}</a>'

    def reference(self, kind: str, key: str) -> str:
        if key in self.book.targets:
            return super(SiteContext, self).reference(kind, key)
        self.around.messages.unfinished(
            self.page.document.path, self.line, 1, f"undefined label '{key}'", "label-undefined"
        )
        return f"<code>{escape(key)}</code>"

    def citation(self, kind: str, keys: Sequence[str]) -> str:
        for key in keys:
            if key not in self.book.citations:
                self.error(f"undefined citation '{key}'", "citation-undefined")
        return f'<span class="d2l-cite">{super(SiteContext, self).citation(kind, keys)}</span>'

    def cited(self, key: str, shown: str) -> str:
        anchor = citation_anchor(key)
        own = "" if key in self._cited else f"citing-{anchor}"
        self._cited.add(key)
        if self.book.bibliography_page:
            return self.place(self.book.bibliography_page, anchor, shown, own=own)
        return f'<span id="{own}">{shown}</span>' if own else f"<span>{shown}</span>"

    def api(self, text: str, shown: str) -> str:
        """A name of a programming interface; with a link where the libraries' reference tells of it."""
        place = self.around.api.place_of(text)
        return self.place(*place, shown) if place is not None else shown

    def formula(self, tex: str, display: bool) -> str:
        html = self.typeset(tex, display).html
        block = f'<div class="d2l-display"><div class="d2l-formula">{html}</div></div>\n'
        sign = symbol_of(tex)
        found = f"\x04{escape(sign)}\x05" if sign and not display else ""
        return f"{found}{self.unsearched(block if display else html)}"

    def image(self, target: str, alt: str) -> str:
        return self.unsearched(self.picture_of(target, alt, ""))

    def outward(self, target: str, shown: str) -> str:
        return f'<a class="reference external" href="{attribute(target)}">{shown}</a>'

    def link(self, target: str, shown: str) -> str:
        if EXTERNAL.match(target):
            return self.outward(target, shown)
        return f'<a class="reference internal" href="{attribute(self._address(target))}">{shown}</a>'

    def _address(self, target: str) -> str:
        """The address that a link of the page's Markdown gets on the site."""
        path, _, anchor = target.partition("#")
        if not path:
            return target
        place = beside(self.name, file_of(path))
        page = place.removesuffix(".md").removesuffix(".html")
        if page in self.site.pages:
            return address(self.name, page, anchor)
        if book_file(self.config.root, self.name, file_of(path)) is not None:
            return self.site.shared(self.name, f"{FILES}/{quote(place)}")
        self.error(f"the link leads to '{path}', which is neither a page nor a file of the book", "link-broken")
        return target


def base_url_of(config: Config) -> str:
    """The address of the language's pages on the network, with a slash; empty when the book does not say its own."""
    return f"{config.base_url.rstrip('/')}/{prefix_of(config)}" if config.base_url else ""


def cited_keys(blocks: Iterable[Block]) -> list[str]:
    """The keys that roles in some blocks cite, each once, in order."""
    found: dict[str, None] = {}
    for block in blocks:
        for role in roles_of(block):
            if role.kind.startswith("cite"):
                found.update(dict.fromkeys(role.keys))
    return list(found)


def work_directory(config: Config) -> Path:
    """Where the pages of a language are made."""
    return config.output_dir / "site" / config.lang


def prefix_of(config: Config) -> str:
    """What paths of a language begin with, from the site's root: nothing for the book's own."""
    return "" if config.lang == config.source_lang else f"{config.lang}/"


def address(source: str, page: str, anchor: str = "") -> str:
    """The address of a place in the book as a link on page `source` names it."""
    end = f"#{anchor}" if anchor else ""
    if page == source and end:
        return end
    return relative(source, f"{page}.html") + end


def relative(source: str, path: str) -> str:
    """The address of a file of the site, `path` from its root, on page `source`."""
    return posixpath.relpath(path, posixpath.dirname(source) or ".")


def languages_of(config: Config) -> tuple[Language, ...]:
    """The book's languages, its own first."""
    return tuple(Language(lang, *json.loads(_said_in(lang, config))) for lang in config.all_languages)


def _said_in(lang: str, config: Config) -> str:
    """What a language says on pages in another one, as JSON: remembered, since a catalog is read for two sentences."""

    def read() -> str:
        words, name = words_in(config, lang), native_name(lang)
        return json.dumps([name, words("Read this page in {language}", language=name), words("Not now")])

    hashes, catalog = hashes_in(config.output_dir), config.root / CATALOGS / lang / INTERFACE
    of_catalog = hashes.of(catalog) if is_file(catalog) else ""
    return hashes.remembered(
        f"said in {lang}", [builder_digest(config.output_dir), hashes.of(config.path), of_catalog], read
    )


def native_name(lang: str) -> str:
    """How a language calls itself; its code where that is not known."""
    from babel import Locale, UnknownLocaleError  # takes its time

    try:
        locale = Locale.parse(lang, sep="-")
    except (UnknownLocaleError, ValueError):
        return lang
    name = locale.get_display_name(locale) or lang
    return name[:1].upper() + name[1:]
