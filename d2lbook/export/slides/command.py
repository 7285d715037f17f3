"""The command `slides`: decks of marked pages, with `--pdf` printed, too, and what readers are offered of them."""

from __future__ import annotations

from collections.abc import Collection

from d2lbook.config import Config
from d2lbook.export.offer import Download, Offer, PageFile, below
from d2lbook.export.slides.build import build, print_pdfs, slides_directory
from d2lbook.model import UiStrings
from d2lbook.session import Session


def run(session: Session) -> bool:
    for context in session.each_language():
        paths = build(context, session.chosen)
        if paths:
            session.say(f"{len(paths)} decks of slides: {slides_directory(context.config) / 'index.html'}")
        if session.arguments.pdf and paths:
            for path in print_pdfs(context, paths):
                session.say(f"the slides as PDF: {path}")
    return not session.messages.failed


def offer(config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    files = below(slides_directory(config), "slides")
    if "slides/index.html" not in files:
        return Offer()
    found = Offer(dict(files))
    found.downloads.append(Download(words("Slides"), "slides/index.html", 0))
    labels = {".html": words("Slides of this page"), ".pdf": words("Slides as PDF")}
    for tab in tabs:
        for suffix, label in labels.items():
            for name in found.files:
                if name.startswith(f"slides/{tab}/") and name.endswith(suffix):
                    page = name.removeprefix(f"slides/{tab}/").removesuffix(suffix)
                    found.of_pages.append(PageFile(page, tab, name, label))
    return found
