"""The libraries' reference as HTML: the definitions that each page saves, the aliases, or one name alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from d2lbook.frameworks import label_of
from d2lbook.html.context import HtmlContext
from d2lbook.html.markup import attribute, escape
from d2lbook.library.reference import AliasEntry, ApiEntry
from d2lbook.model import Target
from d2lbook.rendering.api import Name, alike, anchor_of, literal_prose, page_title, signature_words

Render = Callable[[str], str]  # Markdown -> HTML


@dataclass(frozen=True, slots=True)
class _Said:
    """What a framework's library says of a name, beside its signature."""

    page: str  # where it is defined; empty for a method that stands where its class does
    section: Target | None
    bases: tuple[str, ...]
    doc: str


def for_tabs(tabs: Iterable[str]) -> str:
    """The attribute by which the style sheet hides what is for other frameworks."""
    return f'data-for="{attribute(" ".join(tabs))}"'


def names_of(tabs: Iterable[str]) -> str:
    return escape(", ".join(map(label_of, tabs)))


class ReferenceWriter:
    """Writes the reference of the libraries of `tabs` for one page."""

    def __init__(self, context: HtmlContext, tabs: tuple[str, ...], render: Render) -> None:
        self.context, self.book, self.tabs, self.render = context, context.book, tabs, render
        self.api = context.around.api

    def entries(self, names: Iterable[Name], owner: Name | None, tabs: tuple[str, ...], anchors: bool = True) -> str:
        rows = "".join(self._described(name, owner, tabs, anchors) for name in names)
        return f'<dl class="d2l-api">\n{rows}</dl>\n' if rows else ""

    def title(self, page: str) -> str:
        """The heading above a page's names."""
        return self.context.place(page, "", escape(page_title(self.book, page)))

    def aliases(self) -> str:
        """A row for each alias, with what it stands for in each framework."""
        shown = [(name, found) for name, found in self.api.aliases.items() if found.keys() & set(self.tabs)]
        words, rows = self.book.words, "".join(self._row(name, variants) for name, variants in shown)
        head = f"<tr><th>{escape(words('Name'))}</th><th>{escape(words('Stands for'))}</th></tr>"
        table = f'<table class="table d2l-aliases">\n<thead>\n{head}\n</thead>\n<tbody>\n{rows}</tbody>\n</table>\n'
        return table if rows else ""

    def _part(self, tabs: tuple[str, ...], inner: str) -> str:
        """What only some of the frameworks say."""
        name = self.context.unsearched(f'<p class="d2l-name">{names_of(tabs)}</p>\n')
        return f'<div class="d2l-part" {for_tabs(tabs)}>{name}{inner}</div>\n' if inner else ""

    def _described(self, name: Name, owner: Name | None, tabs: tuple[str, ...], anchors: bool) -> str:
        """A name among those that the frameworks `tabs` have; what is the same in all of them is said once."""
        variants = {tab: name.variants[tab] for tab in tabs if tab in name.variants}
        here = tuple(variants)
        if not here:
            return ""
        full = f"{owner.name}.{name.name}" if owner is not None else name.name
        owners = owner.variants if owner is not None else {}
        said = {tab: _said(entry, owners.get(tab)) for tab, entry in variants.items()}
        parts = ((own, self._words(words)) for own, words in alike(said, lambda words: words))
        body = "".join(text if own == here else self._part(own, text) for own, text in parts)
        if any(method.variants.keys() & variants.keys() for method in name.methods):
            body += self.entries(name.methods, name, here, anchors)
        described = f"<dd>{body}</dd>\n" if body else ""
        whose = "" if here == self.tabs else f" {for_tabs(here)}"
        return f"<div{whose}>{self._term(full, variants, anchors)}{described}</div>\n"

    def _term(self, full: str, variants: Mapping[str, ApiEntry], anchors: bool) -> str:
        """How a name is called, with its anchor."""
        calls = "".join(
            self._signature(own, word, text)
            for own, (word, text) in alike(dict(variants), lambda entry: signature_words(entry, self.book.words))
        )
        if not anchors:
            return f"<dt>{calls}</dt>\n"
        anchor = attribute(anchor_of(full))
        says = attribute(self.book.words("Link to this name"))
        link = self.context.unsearched(f'<a class="headerlink" href="#{anchor}" title="{says}">#</a>')
        return f'<dt id="{anchor}">{calls}{link}</dt>\n'

    def _signature(self, own: tuple[str, ...], word: str, text: str) -> str:
        bare, opening, rest = text.partition("(")
        some = own != self.tabs
        names = self.context.unsearched(f'<span class="d2l-name">{names_of(own)}</span>') if some else ""
        kind = self.context.unsearched(f'<span class="d2l-word">{escape(word)}</span> ') if word else ""
        call = f"<code><strong>{escape(bare)}</strong>{escape(opening + rest)}</code>"
        return f'<span class="d2l-signature"{f" {for_tabs(own)}" if some else ""}>{names}{kind}{call}</span>'

    def _words(self, said: _Said) -> str:
        words: list[str] = []
        if said.page:
            section = said.section
            shown = escape(section.text(self.book.words) if section else page_title(self.book, said.page))
            words.append(self.context.place(said.page, section.anchor if section else "", shown))
        if said.bases:
            bases = ", ".join(self.context.api(base, f"<code>{escape(base)}</code>") for base in said.bases)
            words.append(escape(self.book.words("Extends {classes}", classes="\0")).replace("\0", bases))
        origin = f'<p class="d2l-from">{" · ".join(words)}</p>\n' if words else ""
        return origin + (self.render(literal_prose(said.doc)) if said.doc else "")

    def _row(self, name: str, variants: dict[str, AliasEntry]) -> str:
        # Another framework's alias may be a definition.
        own = "" if name in self.api.members else f' id="{attribute(anchor_of(name))}"'
        every = {tab: variants.get(tab) for tab in self.tabs}
        calls = alike(every, lambda alias: alias.call if alias is not None else name)
        meanings = alike(every, lambda alias: alias.meaning if alias is not None else "")
        return f"<tr{own}><td>{self._cell(calls)}</td><td>{self._cell(meanings)}</td></tr>\n"

    def _cell(self, said: list[tuple[tuple[str, ...], str]]) -> str:
        """What the frameworks say in a cell of the table; a dash for those that have nothing."""
        texts = ((tabs, f"<p><code>{escape(text)}</code></p>\n" if text else "<p>–</p>\n") for tabs, text in said)
        return "".join(text if tabs == self.tabs else self._part(tabs, text) for tabs, text in texts)


def _said(entry: ApiEntry, owner: ApiEntry | None) -> _Said:
    beside = owner is not None and entry.section == owner.section and entry.page == owner.page
    return _Said("" if beside else entry.page, None if beside else entry.section, entry.bases, entry.doc)
