"""The menu on each page of what else there is of it: slides, PDF, ePub, notebooks, the copy to read offline."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape

from d2lbook.config import Config
from d2lbook.export.deploy.contents import DOWNLOADS, HOSTED, Contents
from d2lbook.export.deploy.pages import size_in_words
from d2lbook.export.notebook.hosted.install import own_words
from d2lbook.export.notebook.hosted.platforms import PLATFORMS
from d2lbook.export.notebook.hosted.settings import open_links
from d2lbook.export.site.context import relative
from d2lbook.frameworks import label_of
from d2lbook.model import Book

PLACE = "<!-- other formats -->"  # of the menu, in the site's template


def with_formats(text: str, name: str, book: Book, config: Config, tabs: Collection[str], contents: Contents) -> str:
    """The HTML of page `name` with a menu of the formats in the folder; without any there is no menu.

    A row of a framework is shown to readers who chose it; without JavaScript all are.
    """
    menu = _Menu(name, book, config, contents, several=len(tabs) > 1)
    rows = [row for tab in tabs for row in menu.of_framework(tab)] + list(menu.of_all())
    if not rows:
        return text.replace(PLACE, "")
    if contents.downloads:
        rows.append(menu.row(f"{config.index}.html", book.words("All downloads"), anchor=f"#{DOWNLOADS}"))
    summary = escape(book.words("Other formats"))
    folded = f'<details class="d2l-formats"><summary>{summary}</summary>\n<ul>\n{"".join(rows)}</ul></details>'
    return text.replace(PLACE, folded, 1)


@dataclass(frozen=True, slots=True)
class _Menu:
    """The rows of a page's menu."""

    name: str  # of the page
    book: Book
    config: Config
    contents: Contents
    several: bool  # frameworks, so that rows name theirs

    def of_framework(self, tab: str) -> Iterator[str]:
        words, end = self.book.words, f" · {label_of(tab)}" if self.several else ""
        yield from self._if_there(f"slides/{tab}/{self.name}.html", words("Slides of this page") + end, tab)
        yield from self._if_there(f"slides/{tab}/{self.name}.pdf", words("Slides as PDF") + end, tab)
        opened = {platform for platform, _ in open_links(self.config, tab, self.name)}
        for platform in HOSTED:
            # One that installs the package from a file beside it is of no use alone; Colab's says what to upload.
            alone = own_words(self.config.d2l_address) or not PLATFORMS[platform].with_files
            if alone and platform not in opened:
                path = f"{platform}/{self.config.lang}/{tab}/{self.name}.ipynb"
                shown = words("Notebook for {platform}", platform=PLATFORMS[platform].name)
                saved = f"{posixpath.basename(self.name)}-{tab}-{platform}.ipynb"
                yield from self._if_there(path, shown + end, tab, saved)
        for found in self.contents.downloads:
            if found.tab == tab and found.format == "pdf":
                yield self.row(found.path, words("The book as PDF") + end, tab, found.size)
            elif found.tab == tab and found.format == "epub":
                yield self.row(found.path, words("The book as ePub") + end, tab, found.size)

    def of_all(self) -> Iterator[str]:
        """What is the same in all frameworks; of several archives of a kind the first."""
        words = self.book.words
        for kind, shown in (("pkg", words("Notebooks of all pages")), ("offline", words("The site to read offline"))):
            for found in [found for found in self.contents.downloads if found.format == kind][:1]:
                yield self.row(found.path, shown, size=found.size)

    def _if_there(self, path: str, shown: str, tab: str, saved: str = "") -> Iterator[str]:
        if path in self.contents.files:
            yield self.row(path, shown, tab, saved=saved)

    def row(
        self, path: str, shown: str, tab: str = "", size: int = 0, saved: str = "", anchor: str = ""
    ) -> str:  # fmt: skip
        only = f' data-for="{escape(tab)}"' if tab else ""
        length = f" ({size_in_words(size, self.book.words)})" if size else ""
        address = escape(relative(self.name, path) + anchor)
        named = f' download="{escape(saved)}"' if saved else ""
        return f'<li{only}><a href="{address}"{named}>{escape(shown)}</a>{length}</li>\n'
