"""Citations on a page, and the list of the works cited, each leading to the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from docutils import nodes

from d2lbook.book.citations import short_author
from d2lbook.book.cross_references import citation_anchor, plain_text
from d2lbook.export.shared.bibliography_style import entry_address, entry_text
from d2lbook.export.site.context import Site, address
from d2lbook.model import NUMBERED

if TYPE_CHECKING:
    from d2lbook.export.site.page import PageTree


class Citations:
    """Those of one page."""

    def __init__(self, page: PageTree, site: Site) -> None:
        self.page, self.site, self.book = page, site, site.book
        self.cited: set[str] = set()  # works that the page has named before

    def citation(self, kind: str, keys: Sequence[str]) -> nodes.Node:
        """(Li et al., 2014; Dean, 2012), as text Li et al. (2014); each leads to its entry."""
        whole = nodes.inline(classes=["d2l-cite"])
        for key in keys:
            if whole.children:
                whole += nodes.Text("; ")
            fields = self.book.citations.get(key)
            if fields is None:
                self.page.error(f"undefined citation '{key}'", "citation-undefined")
                continue
            author, year = short_author(fields, self.page.words), fields["short_year"]
            whole += self._cited(key, f"{author} ({year})" if kind == "citet" else f"{author}, {year}")
        if kind != "citet":
            whole.insert(0, nodes.Text("("))
            whole += nodes.Text(")")
        return whole

    def _cited(self, key: str, shown: str) -> nodes.Node:
        anchor = citation_anchor(key)
        ids = [] if key in self.cited else [f"citing-{anchor}"]
        self.cited.add(key)
        if not self.site.bibliography:
            return nodes.inline("", shown, ids=ids)
        there = address(self.page.name, self.site.bibliography, anchor)
        return nodes.reference("", shown, refuri=there, internal=True, ids=ids)

    def entries(self) -> nodes.bullet_list:
        """The works that the book cites."""
        entries = nodes.bullet_list(classes=["d2l-bibliography"])
        known = self.site.cited_on.keys() & self.book.citations.keys()
        for key in sorted(known, key=lambda key: entry_text(self.book.citations[key])):
            fields = self.book.citations[key]
            words = nodes.paragraph("", entry_text(fields, self.book.words) + " ")
            if where := entry_address(fields):
                words += [nodes.reference("", where, refuri=where), nodes.Text(" ")]
            words += self._back_links(key)
            entries += nodes.list_item("", words, ids=[citation_anchor(key)])
        return entries

    def _back_links(self, key: str) -> nodes.inline:
        links: list[nodes.Node] = []
        for page in self.site.cited_on[key]:
            place = self.book.page(page)
            title = plain_text(place.document.title, self.book, page) if place else page
            shown = self.book.words(NUMBERED["section"], number=place.number) if place and place.number else title
            there = address(self.page.name, page, f"citing-{citation_anchor(key)}")
            links += [nodes.Text(", ")] if links else []
            links.append(nodes.reference("", shown, refuri=there, internal=True))
        before, after = self.book.words("Cited in {places}.", places="\0").split("\0")
        return nodes.inline("", "", nodes.Text(before), *links, nodes.Text(after), classes=["d2l-back"])
