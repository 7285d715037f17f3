"""Decks as HTML, and the list of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from d2lbook.export.slides.layout import Sheet
from d2lbook.html.markup import attribute, escape
from d2lbook.languages import style as slide_style
from d2lbook.model import UiStrings


@dataclass(frozen=True, slots=True)
class Deck:
    """One page's slides in one framework."""

    page: str
    title: str  # text
    subtitle: str  # text: book, framework
    lines: tuple[str, ...]  # below them on the first slide
    language: str
    assets: str  # address of the shared folder, with its slash
    sheets: tuple[Sheet, ...]
    words: UiStrings = field(default_factory=UiStrings)
    policy: str = ""  # what a browser may load for it
    corners: str = ""  # HTML: what `[slides] top_left` and `top_right` put on every slide

    def html(self) -> str:
        slides = "".join(map(self._sheet, self.sheets))
        assets = attribute(self.assets)
        classes = "reveal cornered" if self.corners else "reveal"
        return (
            f'<!DOCTYPE html>\n<html lang="{attribute(self.language)}">\n<head>\n<meta charset="utf-8"/>\n'
            f'<meta http-equiv="Content-Security-Policy" content="{attribute(self.policy)}"/>\n'
            f"<title>{escape(self.title)} · {escape(self.subtitle)}</title>\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
            f'<link rel="stylesheet" href="{assets}reset.css"/>\n<link rel="stylesheet" href="{assets}reveal.css"/>\n'
            f'<link rel="stylesheet" href="{assets}fonts.css"/>\n<link rel="stylesheet" href="{assets}deck.css"/>\n'
            f'<noscript><link rel="stylesheet" href="{assets}still.css"/></noscript>\n'
            f"<style>{slide_style(self._languages())}</style>\n</head>\n<body>\n"
            f'<main>\n<div class="{classes}" aria-label="{attribute(self.title)}"{self._controls()}>\n'
            f'<div class="slides">\n{slides}</div>\n'
            f"{self.corners}</div>\n</main>\n"
            f'<script src="{assets}reveal.js"></script>\n<script src="{assets}notes.js"></script>\n'
            f'<script src="{assets}deck.js"></script>\n</body>\n</html>\n'
        )

    def _languages(self) -> list[str]:
        """The deck's language, and those of slides that are not translated."""
        return list(dict.fromkeys((self.language, *(sheet.slide.lang for sheet in self.sheets if sheet.slide.lang))))

    def _sheet(self, sheet: Sheet) -> str:
        body = "".join(piece.html for piece in sheet.pieces)
        notes = "".join(sheet.notes)
        aside = f'<aside class="notes">\n{notes}</aside>\n' if notes else ""
        lang = f' lang="{attribute(sheet.slide.lang)}"' if sheet.slide.lang else ""
        content = f'<div class="body">\n{body}</div>\n{aside}</section>\n'
        if sheet.slide.is_title and sheet.part == 1:
            return f'<section{lang} class="title">\n{self._title()}{content}'
        kind = f' class="{sheet.kind}"' if sheet.kind else ""
        return f"<section{lang}{kind}>\n{_head(sheet)}{content}"

    def _controls(self) -> str:
        """What reveal.js's buttons are called; `deck.js` gives it to them."""
        previous, following = attribute(self.words("Previous")), attribute(self.words("Next"))
        return f' data-previous="{previous}" data-next="{following}"'

    def _title(self) -> str:
        lines = "".join(f'<p class="about">{escape(line)}</p>\n' for line in self.lines if line)
        return f'<h1>{self.sheets[0].slide.headline}</h1>\n<p class="subtitle">{escape(self.subtitle)}</p>\n{lines}'


def _head(sheet: Sheet) -> str:
    slide = sheet.slide
    if sheet.part > 1:
        return f'<h2 class="again"><span>{slide.headline}</span> <small>{sheet.part}/{sheet.parts}</small></h2>\n'
    section = f'<p class="section">{slide.section}</p>\n' if slide.section else ""
    return f"{section}<h2>{slide.headline}</h2>\n"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list of decks."""

    number: str
    title: str  # text
    decks: tuple[tuple[str, str, bool], ...]  # framework, address, whether a PDF lies beside it


def index_html(title: str, language: str, words: UiStrings, entries: Sequence[Entry], policy: str) -> str:
    """The list of the decks that there are."""
    rows = "".join(map(_row, entries))
    keys = words("Arrow keys or space: next and previous. S: speaker notes. O: overview. F: full screen. ?: all keys.")
    return (
        f'<!DOCTYPE html>\n<html lang="{attribute(language)}">\n<head>\n<meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{attribute(policy)}"/>\n'
        f"<title>{escape(words('Slides: {title}', title=title))}</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        '<link rel="stylesheet" href="assets/fonts.css"/>\n<link rel="stylesheet" href="assets/index.css"/>\n'
        "</head>\n<body>\n<main>\n"
        f"<h1>{escape(words('{title}: slides', title=title))}</h1>\n<p>{escape(keys)}</p>\n"
        f"<ul>\n{rows}</ul>\n</main>\n</body>\n</html>\n"
    )


def _row(entry: Entry) -> str:
    number = f"{escape(entry.number)} " if entry.number else ""
    links = " ".join(_links(entry.title, *deck) for deck in entry.decks)
    return f"<li><h2>{number}{escape(entry.title)}</h2>\n<p>{links}</p></li>\n"


def _links(title: str, label: str, address: str, has_pdf: bool) -> str:
    named = attribute(f"{title}, {label}")
    link = f'<a href="{attribute(address)}" aria-label="{named}">{escape(label)}</a>'
    pdf = f' <a href="{attribute(address.removesuffix(".html"))}.pdf" aria-label="{named}, PDF">PDF</a>'
    return f"<span>{link}{pdf if has_pdf else ''}</span>"
