"""The command `epub`: one ePub of the book for each framework and language, and what readers are offered of them."""

from __future__ import annotations

from collections.abc import Collection

from d2lbook.config import Config
from d2lbook.export.epub.build import build, epub_path
from d2lbook.export.offer import Offer, file_name
from d2lbook.frameworks import label_of
from d2lbook.model import UiStrings
from d2lbook.session import Session


def run(session: Session) -> bool:
    for context in session.each_language():
        for path in build(context):
            session.say(f"the ePub: {path}")
    return not session.messages.failed


def offer(config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    found = Offer()
    menu = words("The book as ePub")
    for tab in tabs:
        name = file_name(config, tabs, tab, "epub")
        found.add(label_of(tab), epub_path(config, tab), name, tab=tab, group="ePub: {files}", menu=menu)
    return found
