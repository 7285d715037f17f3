"""Which of the formats that were built go into the published folder, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.export.offer import Download, Files, Offer, below
from d2lbook.export.site.current import site_directory
from d2lbook.export.site.links import files_below
from d2lbook.model import UiStrings

# What each format offers of an edition; by the format's name, in the order in which readers see them.
Offers = Mapping[str, Callable[[Config, Collection[str], UiStrings], Offer]]


def collect(
    offers: Offers, config: Config, tabs: Collection[str], left_out: Collection[str], words: UiStrings
) -> Offer:
    """Everything that was built of an edition beside its site, without the formats in `left_out`.

    Paths are relative to the edition's pages.
    """
    contents = Offer()
    for name, offer in offers.items():
        if name not in left_out:
            contents.extend(offer(config, tabs, words))
    return contents


def site_files(config: Config) -> Files:
    """The site, of the languages that the book has."""
    return dict(files_below(site_directory(config)))


def sites_beside(config: Config, taken: Collection[str]) -> Offer:
    """The other sites that `[deploy] beside` names, as far as they are built.

    Raises BookError for a line that is not `folder, directory, title`, or whose folder has files of the book already.
    """
    found = Offer()
    for line in config.value("deploy", "beside").strip().splitlines():
        folder, _, rest = line.partition(",")
        directory, _, title = rest.partition(",")
        folder, title = folder.strip(), title.strip()
        if not re.fullmatch(r"[\w-]+", folder) or not directory.strip() or not title:
            raise _wrong(config, f"'{line.strip()}' is not `folder, directory, title`")
        if any(name.startswith(f"{folder}/") for name in (*taken, *found.files)):
            raise _wrong(config, f"the book has files in the folder '{folder}' already; name another one")
        files = below(config.root / directory.strip(), folder)
        if f"{folder}/index.html" in files:
            found.files |= files
            found.downloads.append(Download(title, f"{folder}/index.html", 0))
    return found


def _wrong(config: Config, text: str) -> Exception:
    line = config.line("deploy", "beside")
    return error_at(config.name_in_messages, line, 1, f"beside: {text}", "config-value")
