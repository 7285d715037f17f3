"""Which of the formats that were built go into the published folder, and where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from d2lbook.config import Config
from d2lbook.export import html
from d2lbook.export.offer import Files, Offer
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
    return dict(files_below(html.site_directory(config)))
