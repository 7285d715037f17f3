"""The menu on each page of what else there is of it: slides, PDF, ePub, notebooks, the copy to read offline."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape

from d2lbook.config import Config
from d2lbook.export.deploy.contents import DOWNLOADS, HOSTED, Contents, Download
from d2lbook.export.deploy.pages import size_in_words
from d2lbook.export.hosted.platforms import PLATFORMS
from d2lbook.export.hosted.settings import open_links
from d2lbook.export.made import tab_label
from d2lbook.export.site.context import relative

PLACE = "<!-- other formats -->"  # of the menu, in the site's template
_OF_THE_BOOK = {"pdf": "The book as PDF", "epub": "The book as ePub"}
_OF_ALL = {"pkg": "Notebooks of all pages", "offline": "The site to read offline"}


def with_formats(text: str, name: str, config: Config, tabs: Collection[str], contents: Contents) -> str:
    """The HTML of page `name` with a menu of the formats in the folder; without any there is no menu.

    A row of a framework is shown to readers who chose it; without JavaScript all are.
    """
    rows = [row for tab in tabs for row in _of_framework(name, tab, config, contents, len(tabs) > 1)]
    rows += [
        _row(relative(name, found.path), _OF_ALL[found.format], size=found.size) for found in _first_of_each(contents)
    ]
    if not rows:
        return text.replace(PLACE, "")
    if contents.downloads:
        rows.append(_row(relative(name, f"{config.index}.html") + f"#{DOWNLOADS}", "All downloads"))
    menu = f'<details class="d2l-formats"><summary>Other formats</summary>\n<ul>\n{"".join(rows)}</ul></details>'
    return text.replace(PLACE, menu, 1)


def _of_framework(name: str, tab: str, config: Config, contents: Contents, several: bool) -> Iterator[str]:
    end = f" · {tab_label(tab)}" if several else ""
    for path, words in (
        (f"slides/{tab}/{name}.html", "Slides of this page"), (f"slides/{tab}/{name}.pdf", "Slides as PDF"),
    ):  # fmt: skip
        if path in contents.files:
            yield _row(relative(name, path), words + end, tab)
    opened = {platform for platform, _ in open_links(config, tab, name)}
    for platform in HOSTED:
        path = f"{platform}/{config.lang}/{tab}/{name}.ipynb"
        if path in contents.files and platform not in opened:
            yield _row(relative(name, path), f"Notebook for {PLATFORMS[platform].name}{end}", tab, download=True)
    for found in contents.downloads:
        if found.tab == tab and found.format in _OF_THE_BOOK:
            yield _row(relative(name, found.path), _OF_THE_BOOK[found.format] + end, tab, size=found.size)


def _first_of_each(contents: Contents) -> Iterator[Download]:
    """One download for each format that is the same in all frameworks."""
    for kind in _OF_ALL:
        yield from [found for found in contents.downloads if found.format == kind][:1]


def _row(address: str, words: str, tab: str = "", size: int = 0, download: bool = False) -> str:
    shown = f' data-for="{escape(tab)}"' if tab else ""
    saved = " download" if download else ""
    length = f" ({size_in_words(size)})" if size else ""
    return f'<li{shown}><a href="{escape(address)}"{saved}>{escape(words)}</a>{length}</li>\n'
