"""What pages get when they are published: cards for social networks, the list of downloads; pages beside them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export.deploy.contents import DOWNLOADS, Download
from d2lbook.export.site.context import relative
from d2lbook.messages import fail
from d2lbook.model import Book, Page, Prose
from d2lbook.references import plain_text

_NOT_FOUND = Path(__file__).resolve().parents[2] / "static" / "deploy" / "404.html"
_DESCRIBED = 200  # characters of a description
_HEADINGS = {"pdf": "PDF", "epub": "ePub", "dist": "Python package"}  # of formats with several files


def card_source(config: Config) -> Path | None:
    """The picture for social networks: `[deploy] social_card`, else the logo; None when the book has neither.

    Raises BookError when the file that `social_card` names is not there.
    """
    written = config.value("deploy", "social_card").strip()
    if written and not (config.root / written).is_file():
        raise fail(
            config.name_in_messages, config.line("deploy", "social_card"), 1,
            f"social_card: there is no file '{written}'; name a picture of the book", "config-value",
        )  # fmt: skip
    path = config.root / (written or config.value("html", "html_logo").strip() or ".")
    return path if path.is_file() else None


def with_card(text: str, page: Page, book: Book, config: Config, card: str) -> str:
    """A page's HTML with what social networks show of it. `card`: the picture's path in the folder, or empty."""
    name = page.document.name
    base = config.base_url.rstrip("/")
    facts = {
        "og:type": "website" if name == config.index else "article",
        "og:site_name": config.title,
        "og:title": plain_text(page.document.title, book, name) or config.title,
        "og:description": _description(page, book),
        "og:locale": config.lang.replace("-", "_"),
        "og:url": f"{base}/{name}.html" if base else "",
        "og:image": (f"{base}/{card}" if base else relative(name, card)) if card else "",
    }
    lines = [f'<meta property="{key}" content="{escape(value)}" />' for key, value in facts.items() if value]
    if description := facts["og:description"]:
        lines.append(f'<meta name="description" content="{escape(description)}" />')
    if card:
        lines.append('<meta name="twitter:card" content="summary_large_image" />')
    return text.replace("</head>", "  " + "\n    ".join(lines) + "\n  </head>", 1)


def _description(page: Page, book: Book) -> str:
    """The page's first paragraph, shortened at a word."""
    for block in page.document.blocks:
        if isinstance(block, Prose) and not block.text.lstrip().startswith("<"):
            words = plain_text(block.text, book, page.document.name)
            if len(words) <= _DESCRIBED:
                return words
            return words[:_DESCRIBED].rpartition(" ")[0].rstrip(" ,;:") + " …"
    return ""


def with_downloads(text: str, downloads: Sequence[Download]) -> str:
    """The start page's HTML with a list of the formats that there are."""
    if not downloads:
        return text
    rows = []
    for kind, group in groupby(downloads, key=lambda download: download.format):
        if kind in _HEADINGS:
            rows.append(f"<li>{_HEADINGS[kind]}: {', '.join(map(_link, group))}</li>")
        else:
            rows += [f"<li>{_link(download)}</li>" for download in group]
    section = (
        f'<section id="{DOWNLOADS}" class="d2l-downloads d-print-none">\n<h2>Downloads</h2>\n'
        f"<ul>\n{chr(10).join(rows)}\n</ul>\n</section>\n"
    )
    before, end, after = text.rpartition("</article>")
    return before + section + end + after


def _link(download: Download) -> str:
    size = f" ({size_in_words(download.size)})" if download.size else ""
    return f'<a href="{escape(download.path)}">{escape(download.label)}</a>{size}'


def size_in_words(count: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}" if count < 10 * factor else f"{count / factor:.0f} {unit}"
    return f"{count} bytes"


def not_found(config: Config) -> str:
    """The page that hosts show for an address that is none. It stands on its own: nobody knows how deep it is shown."""
    base = config.base_url.rstrip("/")
    values = {
        "lang": escape(config.lang), "title": escape(config.title),
        "home": escape(f"{base}/{config.index}.html" if base else f"{config.index}.html"),
        "seek": "" if base else " data-seek",
    }  # fmt: skip
    text = _NOT_FOUND.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def sitemap(book: Book, config: Config) -> str:
    """The list of pages for search engines; only for a book that has an address."""
    base = config.base_url.rstrip("/")
    rows = "".join(f"<url><loc>{escape(f'{base}/{page.document.name}.html')}</loc></url>\n" for page in book.pages)
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n{rows}</urlset>\n'


def robots(config: Config) -> str:
    where = f"Sitemap: {config.base_url.rstrip('/')}/sitemap.xml\n" if config.base_url else ""
    return f"User-agent: *\nAllow: /\n{where}"
