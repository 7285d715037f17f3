"""What the pages of the site are made from, and addresses between them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from d2lbook.book.cross_references import bibliography_page, citation_anchor
from d2lbook.config import Config
from d2lbook.execute.frozen import Run
from d2lbook.export.shared.api import Api, api_of
from d2lbook.export.shared.formulas import Formulas
from d2lbook.export.shared.paths import EXTERNAL, beside, file_of
from d2lbook.export.site.languages import Language
from d2lbook.export.site.symbols import symbol_of
from d2lbook.export.xhtml.context import HtmlContext
from d2lbook.export.xhtml.markup import attribute, escape
from d2lbook.model import Block, Book
from d2lbook.security.inside import book_file

IMAGES = "_images"  # the site's directory of figures that are not inlined
FILES = "_files"  # of other files that pages link to
SCRIPTS = "_scripts"  # and of what makes figures interactive
SHARED = ("_static/", f"{IMAGES}/", f"{FILES}/", f"{SCRIPTS}/")  # what all languages have together
_PLACE = re.compile("\x02([0-9]+)\x03")
_SIGN = re.compile("\x04[^\x05]*\x05")


@dataclass(slots=True)
class Site:
    """Everything a page needs beside its own text."""

    book: Book
    config: Config
    tabs: tuple[str, ...]
    runs: dict[tuple[str, str], Run]  # by page and framework, where there is a result
    formulas: Formulas
    pending_ok: bool = False
    languages: tuple[Language, ...] = ()  # that the book can be read in
    api: Api = field(init=False)
    bibliography: str = field(init=False)  # name of the page that has it; empty when none does
    pages: frozenset[str] = field(init=False)
    cited_on: dict[str, list[str]] = field(init=False)  # key -> pages that cite it, in order

    def __post_init__(self) -> None:
        self.api = api_of(self.book, self.config)
        self.bibliography = bibliography_page(self.book)
        self.pages = frozenset(page.document.name for page in self.book.pages)
        self.cited_on = {}
        for page in self.book.pages:
            for key in cited_keys(page.document.walk()):
                self.cited_on.setdefault(key, []).append(page.document.name)

    def shared(self, source: str, path: str) -> str:
        """The address of a file that all languages share, `path` from the site's root, on page `source`."""
        return relative(prefix_of(self.config) + source, path)


@dataclass(slots=True, kw_only=True)
class SiteContext(HtmlContext):
    """A page of the site. What is no text is set aside while the page is written, so that search sees text only."""

    site: Site
    picture_of: Callable[[str, str, str], str] = field(init=False)  # target, alternative text, width -> markup
    _cited: set[str] = field(default_factory=set)  # works that the page has named before
    _aside: list[str] = field(default_factory=list)

    def unsearched(self, html: str) -> str:
        self._aside.append(self.whole(html))
        return f"\x02{len(self._aside) - 1}\x03"

    def whole(self, html: str) -> str:
        """HTML with what was set aside."""
        return _PLACE.sub(lambda place: self._aside[int(place[1])], _SIGN.sub("", html))

    @staticmethod
    def searched(html: str) -> str:
        """HTML without what was set aside."""
        return _PLACE.sub("", html).translate({4: None, 5: None})

    def place(self, page: str, anchor: str, shown: str, kind: str = "", own: str = "") -> str:
        """A link. `own`: its id, to come back to."""
        classes = f"d2l-{kind} reference internal" if kind else "reference internal"
        there, named = attribute(address(self.name, page, anchor)), f' id="{own}"' if own else ""
        return f'<a class="{classes}" href="{there}"{named}>{shown}</a>'

    def reference(self, kind: str, key: str) -> str:
        if key in self.book.targets:
            return super(SiteContext, self).reference(kind, key)
        self.error(f"undefined label '{key}'", "label-undefined")
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
        if self.site.bibliography:
            return self.place(self.site.bibliography, anchor, shown, own=own)
        return f'<span id="{own}">{shown}</span>' if own else f"<span>{shown}</span>"

    def api(self, text: str, shown: str) -> str:
        """A name of a programming interface; with a link where the libraries' reference tells of it."""
        place = self.site.api.place_of(text)
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
        for role in getattr(block, "roles", ()):
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
