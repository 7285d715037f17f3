"""The menu on each page of what else there is of it: slides, PDF, ePub, notebooks, the copy to read offline."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape

from d2lbook.editions import Edition
from d2lbook.export.deploy.pages import size_in_words
from d2lbook.export.offer import DOWNLOADS, Offer
from d2lbook.export.site.context import relative
from d2lbook.frameworks import label_of
from d2lbook.model import Book

PLACE = "<!-- other formats -->"  # of the menu, in the site's template


def with_formats(text: str, name: str, edition: Edition, tabs: Collection[str], contents: Offer) -> str:
    """The HTML of page `name` with a menu of the formats in the folder; without any there is no menu.

    A row of a framework is shown to readers who chose it; without JavaScript all are.
    """
    book = edition.book
    menu = _Menu(name, book, contents, several=len(tabs) > 1)
    rows = [row for tab in tabs for row in menu.of_framework(tab)] + list(menu.of_all())
    if not rows:
        return text.replace(PLACE, "")
    if contents.downloads:
        rows.append(menu.row(f"{edition.config.index}.html", book.words("All downloads"), anchor=f"#{DOWNLOADS}"))
    summary = escape(book.words("Other formats"))
    folded = f'<details class="d2l-formats"><summary>{summary}</summary>\n<ul>\n{"".join(rows)}</ul></details>'
    return text.replace(PLACE, folded, 1)


@dataclass(frozen=True, slots=True)
class _Menu:
    """The rows of a page's menu."""

    name: str  # of the page
    book: Book
    contents: Offer
    several: bool  # frameworks, so that rows name theirs

    def of_framework(self, tab: str) -> Iterator[str]:
        end = f" · {label_of(tab)}" if self.several else ""
        for found in self.contents.of_pages:
            if (found.page, found.tab) == (self.name, tab):
                yield self.row(found.path, found.label + end, tab, saved=found.saved)
        for download in self.contents.downloads:
            if download.menu and download.tab == tab:
                yield self.row(download.path, download.menu + end, tab, download.size)

    def of_all(self) -> Iterator[str]:
        """What is the same in all frameworks."""
        for download in self.contents.downloads:
            if download.menu and not download.tab:
                yield self.row(download.path, download.menu, size=download.size)

    def row(self, path: str, shown: str, tab: str = "", size: int = 0, saved: str = "", anchor: str = "") -> str:
        only = f' data-for="{escape(tab)}"' if tab else ""
        length = f" ({size_in_words(size, self.book.words)})" if size else ""
        address = escape(relative(self.name, path) + anchor)
        named = f' download="{escape(saved)}"' if saved else ""
        return f'<li{only}><a href="{address}"{named}>{escape(shown)}</a>{length}</li>\n'
