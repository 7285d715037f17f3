"""The libraries' reference on a page: a list of definitions for each page that saves some, and a table of aliases."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.application import Sphinx

from d2lbook.export.shared.api import Name, alike, anchor_of, literal_prose, page_title, signature_words
from d2lbook.export.site.context import Site, address
from d2lbook.export.site.nodes import Part, close_div, for_tabs
from d2lbook.frameworks import label_of
from d2lbook.library.reference import AliasEntry, ApiEntry
from d2lbook.model import Target

if TYPE_CHECKING:
    from d2lbook.export.site.page import PageTree


class Definitions(nodes.General, nodes.Element):
    """The names that one page saves, below a rubric."""


class Entries(nodes.General, nodes.Element):
    """A list of names, or of a class's methods."""


class Described(nodes.General, nodes.Element):
    """A name with its signatures and what is said of it. `tabs`: the frameworks that have it; empty for all."""


class Signatures(nodes.General, nodes.Element):
    """How a name is called. `anchor`; `words`: what the link to it says."""


class Signature(nodes.General, nodes.Inline, nodes.TextElement):
    """How a name is called in some frameworks. `tabs`: them; empty for all. `word`: what it is."""


class Description(nodes.General, nodes.Element):
    """What is said of a name."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a framework's library says of a name, beside its signature."""

    page: str  # where it is defined; empty for a method that stands where its class does
    section: Target | None
    bases: tuple[str, ...]
    doc: str


class ReferenceLists:
    """Writes the reference of the libraries for one page."""

    def __init__(self, page: PageTree, site: Site) -> None:
        self.page, self.book, self.tabs = page, site.book, site.tabs
        self.api = site.api

    def definitions(self) -> list[nodes.Node]:
        return [self._page(name, names) for name, names in self.api.pages.items()]

    def _page(self, name: str, names: tuple[Name, ...]) -> nodes.Element:
        anchor = self.page.new_anchor(f"definitions of {name.rpartition('/')[2]}")
        rubric = nodes.rubric("", "", self._link(name, "", self._title(name)))
        rubric["heading-level"] = min(self.page.level + 1, 6)
        return Definitions("", rubric, self._entries(names, None, self.tabs), ids=[anchor])

    def _title(self, name: str) -> str:
        return page_title(self.book, name)

    def _entries(self, names: tuple[Name, ...], owner: Name | None, tabs: tuple[str, ...]) -> Entries:
        described = (self._described(name, owner, tabs) for name in names)
        return Entries("", *(node for node in described if node is not None))

    def _described(self, name: Name, owner: Name | None, tabs: tuple[str, ...]) -> Described | None:
        """A name among those that the frameworks `tabs` have; what is the same in all of them is said once."""
        variants = {tab: name.variants[tab] for tab in tabs if tab in name.variants}
        here = tuple(variants)
        if not here:
            return None
        full = f"{owner.name}.{name.name}" if owner is not None else name.name
        signatures = Signatures(anchor=anchor_of(full), words=self.book.words("Link to this name"))
        for own, (word, text) in alike(variants, lambda entry: signature_words(entry, self.book.words)):
            bare, opening, rest = text.partition("(")
            shown = (nodes.strong("", bare), nodes.Text(opening + rest))
            signatures += Signature("", "", *shown, tabs=() if own == self.tabs else own, word=word)
        description = Description()
        owners = owner.variants if owner is not None else {}
        said = {tab: _said(entry, owners.get(tab)) for tab, entry in variants.items()}
        for own, words in alike(said, lambda words: words):
            parts = self._parts(words)
            description += parts if own == here else [Part("", *parts, tabs=own)] if parts else []
        if any(method.variants.keys() & variants.keys() for method in name.methods):
            description += self._entries(name.methods, name, here)
        described = Described("", signatures, tabs=() if here == self.tabs else here)
        described += [description] if description.children else []
        return described

    def _parts(self, said: _Said) -> list[nodes.Node]:
        words: list[nodes.Node] = []
        if said.page:
            anchor, shown = (
                (said.section.anchor, said.section.text(self.book.words))
                if said.section
                else ("", self._title(said.page))
            )
            words.append(self._link(said.page, anchor, shown))
        bases: list[nodes.Node] = []
        for number, base in enumerate(said.bases):
            bases += [nodes.Text(", ")] if number else []
            bases.append(self.page.api("class", base))
        if bases:
            before, after = self.book.words("Extends {classes}", classes="\0").split("\0")
            words += [nodes.Text(" · ")] if words else []
            words += [nodes.Text(before), *bases, nodes.Text(after)]
        found: list[nodes.Node] = [nodes.paragraph("", "", *words, classes=["d2l-from"])] if words else []
        return found + (self.page.prose.blocks(literal_prose(said.doc)) if said.doc else [])

    def _link(self, page: str, anchor: str, shown: str) -> nodes.reference:
        return nodes.reference("", shown, refuri=address(self.page.name, page, anchor), internal=True)

    def aliases(self) -> list[nodes.Node]:
        """A row for each alias, with what it stands for in each framework."""
        words = self.book.words
        rows = [self._row(name, variants) for name, variants in self.api.aliases.items()]
        head = nodes.row(
            "", *(nodes.entry("", nodes.paragraph("", title)) for title in (words("Name"), words("Stands for")))
        )
        columns = (nodes.colspec(colwidth=50), nodes.colspec(colwidth=50))
        group = nodes.tgroup("", *columns, nodes.thead("", head), nodes.tbody("", *rows), cols=2)
        return [nodes.table("", group, classes=["colwidths-auto", "d2l-aliases"])] if rows else []

    def _row(self, name: str, variants: dict[str, AliasEntry]) -> nodes.row:
        ids = [] if name in self.api.members else [anchor_of(name)]  # another framework's alias may be a definition
        every = {tab: variants.get(tab) for tab in self.tabs}
        calls = alike(every, lambda alias: alias.call if alias is not None else name)
        meanings = alike(every, lambda alias: alias.meaning if alias is not None else "")
        return nodes.row("", self._cell(calls), self._cell(meanings), ids=ids)

    def _cell(self, said: list[tuple[tuple[str, ...], str]]) -> nodes.entry:
        """What the frameworks say in a cell of the table; a dash for those that have nothing."""
        entry = nodes.entry()
        for tabs, text in said:
            words = nodes.paragraph("", "", nodes.literal(text, text) if text else nodes.Text("–"))
            entry += words if tabs == self.tabs else Part("", words, tabs=tabs)
        return entry


def _said(entry: ApiEntry, owner: ApiEntry | None) -> _Said:
    beside = owner is not None and entry.section == owner.section and entry.page == owner.page
    return _Said("" if beside else entry.page, None if beside else entry.section, entry.bases, entry.doc)


# ---- as HTML --------------------------------------------------------------------------------------------------------


def _visit_definitions(self: Any, node: Definitions) -> None:
    self.body.append(f'<div class="d2l-definitions" id="{node["ids"][0]}">\n')


def _visit_entries(self: Any, node: Entries) -> None:
    self.body.append('<dl class="d2l-api">\n')


def _depart_entries(self: Any, node: Entries) -> None:
    self.body.append("</dl>\n")


def _visit_described(self: Any, node: Described) -> None:
    self.body.append(f"<div {for_tabs(node['tabs'])}>" if node["tabs"] else "<div>")


def _visit_signatures(self: Any, node: Signatures) -> None:
    self.body.append(f'<dt id="{html.escape(node["anchor"])}">')


def _depart_signatures(self: Any, node: Signatures) -> None:
    anchor = html.escape(node["anchor"])
    self.body.append(f'<a class="headerlink" href="#{anchor}" title="{html.escape(node["words"])}">#</a></dt>\n')


def _visit_signature(self: Any, node: Signature) -> None:
    names = html.escape(", ".join(label_of(tab) for tab in node["tabs"]))
    whose = f' {for_tabs(node["tabs"])}><span class="d2l-name">{names}</span' if node["tabs"] else ""
    word = f'<span class="d2l-word">{node["word"]}</span> ' if node["word"] else ""
    self.body.append(f'<span class="d2l-signature"{whose}>{word}<code>')


def _depart_signature(self: Any, node: Signature) -> None:
    self.body.append("</code></span>")


def _visit_description(self: Any, node: Description) -> None:
    self.body.append("<dd>")


def _depart_description(self: Any, node: Description) -> None:
    self.body.append("</dd>\n")


VISITORS: tuple[tuple[type[nodes.Element], Any, Any], ...] = (
    (Definitions, _visit_definitions, close_div),
    (Entries, _visit_entries, _depart_entries),
    (Described, _visit_described, close_div),
    (Signatures, _visit_signatures, _depart_signatures),
    (Signature, _visit_signature, _depart_signature),
    (Description, _visit_description, _depart_description),
)


def register(app: Sphinx) -> None:
    for node, visit, depart in VISITORS:
        app.add_node(node, html=(visit, depart))
