"""Pages whose outputs would have the same name: one of them would replace the other without a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from d2lbook.config import Config
from d2lbook.diagnostics import Messages
from d2lbook.model import Page

# What stands beside the pages in a site, in the folder that is published, and in an ePub.
_OF_THE_SITE = {"404"}
_OF_THE_EPUB = {"contents", "title-page"}
_FOLDERS = {"_static", "_images", "_files", "_scripts", "_notebooks", "pagefind", "downloads", "slides"}


def check_names(pages: Iterable[Page], config: Config, messages: Messages) -> None:
    """Reports them; names that differ in their case only are the same on many systems."""
    seen: dict[str, str] = {}
    for page in pages:
        path, name = page.document.path, page.document.name
        for what in _taken(name, config):
            messages.error(path, 0, 0, f"the name of this page {what}; rename it", "page-name")
        for key in dict.fromkeys((name.casefold(), name.replace("/", "-").casefold())):
            other = seen.setdefault(key, path)
            if other != path:
                what = f"an ePub, or a system that does not tell cases apart, takes it for {other}"
                messages.error(path, 0, 0, f"the name of this page is not its own: {what}; rename one", "page-name")
                break


def _taken(name: str, config: Config) -> Iterator[str]:
    first, _, rest = name.casefold().partition("/")
    if rest and first in {lang.casefold() for lang in config.languages}:
        yield f"begins with '{first}', where the site has the book in that language"
    flat = name.casefold().replace("/", "-")
    if (rest and first in _FOLDERS) or flat in _OF_THE_EPUB or name.casefold() in _OF_THE_SITE:
        yield "is one that the builder needs for a file of its own"
