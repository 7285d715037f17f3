"""What pages get when they are published: cards for social networks, the list of downloads; pages beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.core import get_global

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.editions import Edition
from d2lbook.export.offer import ALONE, DOWNLOADS, Download
from d2lbook.export.site.context import base_url_of, native_name, prefix_of, relative
from d2lbook.files import is_file
from d2lbook.html.markup import content_policy
from d2lbook.languages import habits
from d2lbook.model import Book, Page, Prose, UiStrings

_NOT_FOUND = Path(__file__).resolve().parents[2] / "static" / "deploy" / "404.html"
_DESCRIBED = 200  # characters of a description


def card_source(config: Config) -> Path | None:
    """The picture for social networks: `[deploy] social_card`, else the logo; None when the book has neither.

    Raises BookError when the file that `social_card` names is not there.
    """
    written = config.value("deploy", "social_card").strip()
    if written and not is_file(config.root / written):
        line, what = config.line("deploy", "social_card"), f"social_card: there is no file '{written}'"
        raise error_at(config.name_in_messages, line, 1, f"{what}; name a picture of the book", "config-value")
    path = config.root / (written or config.value("html", "html_logo").strip() or ".")
    return path if is_file(path) else None


def _locale(lang: str) -> str:
    """A language as Open Graph names it: with its territory, or that of most of its readers, as "ko_KR"."""
    known = lang.replace("-", "_")
    try:
        locale = Locale.parse(get_global("likely_subtags").get(known, known))
    except (UnknownLocaleError, ValueError):
        return known
    return f"{locale.language}_{locale.territory}" if locale.territory else known


def with_card(text: str, page: Page, edition: Edition, card: str) -> str:
    """A page's HTML with what social networks show of it. `card`: the picture's path in the folder, or empty."""
    book, config, name = edition.book, edition.config, page.document.name
    base, own = config.base_url.rstrip("/"), base_url_of(config)
    facts = {
        "og:type": "website" if name == config.index else "article",
        "og:site_name": config.title,
        "og:title": plain_text(page.document.title, book) or config.title,
        "og:description": _description(page, book),
        "og:locale": _locale(config.lang),
        "og:url": f"{own}{name}.html" if base else "",
        "og:image": (f"{base}/{card}" if base else relative(f"{prefix_of(config)}{name}", card)) if card else "",
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
            words = plain_text(block.text, book)
            if len(words) <= _DESCRIBED:
                return words
            return words[:_DESCRIBED].rpartition(" ")[0].rstrip(" ,;:") + " …"
    return ""


def with_downloads(text: str, downloads: Sequence[Download], words: UiStrings) -> str:
    """The start page's HTML with a list of the formats that there are, at its end or before its bibliography."""
    if not downloads:
        return text
    rows: list[str] = []
    for text_of_row, group in groupby(downloads, key=lambda download: download.group):
        links = [_link(download, words) for download in group]
        rows += links if text_of_row == ALONE else [text_of_row.format(files=", ".join(links))]
    section = (
        f'<section id="{DOWNLOADS}" class="d2l-downloads d-print-none">\n<h2>{escape(words("Downloads"))}</h2>\n'
        f"<ul>\n{chr(10).join(f'<li>{row}</li>' for row in rows)}\n</ul>\n</section>\n"
    )
    works = text.find("d2l-bibliography")
    place = text.rfind("<section", 0, works) if works >= 0 else text.rfind("</article>")
    return text[:place] + section + text[place:]


def _link(download: Download, words: UiStrings) -> str:
    size = f" ({size_in_words(download.size, words)})" if download.size else ""
    return f'<a href="{escape(download.path)}">{escape(download.label)}</a>{size}'


def size_in_words(count: int, words: UiStrings) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}" if count < 10 * factor else f"{count / factor:.0f} {unit}"
    return words("{count} bytes", count=count)


def not_found(editions: Sequence[Edition]) -> str:
    """The page that hosts show for an address that is none. It stands on its own: nobody knows how deep it is shown.

    It has its words in every language, and shows those of the address's.
    """
    source = editions[0]
    words, title = source.book.words, source.config.title
    unknown = words("There is no edition in “{code}”. The book can be read in:", code="{code}")
    values = {
        "lang": escape(source.lang),
        "habits": habits([edition.lang for edition in editions]),
        "title": escape(words("No such page: {title}", title=title)),
        "sections": "".join(map(_not_found_in, editions)),
        "unknown": json.dumps(unknown, ensure_ascii=False),
    }
    text = _NOT_FOUND.read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", value)
    script = text[text.index("<script>") + len("<script>") : text.index("</script>")]
    return text.replace("{policy}", content_policy(source.config.content_sources, script))


def _not_found_in(edition: Edition) -> str:
    config, words, folder = edition.config, edition.book.words, prefix_of(edition.config)
    base = base_url_of(config)
    home = f"{base or folder}{config.index}.html"
    name, seek = escape(native_name(config.lang)), "" if base else " data-seek"
    data = f' data-folder="{folder}" data-language="{name}"'
    link = f'<a href="{escape(home)}"{seek}{data}>{escape(config.title)}</a>'
    moved = escape(words("It may have moved. {book} lists all pages and has a search.", book="\0"))
    title = escape(words("No such page: {title}", title=config.title))
    heading = escape(words("There is no page at this address"))
    hidden = "" if edition.is_source else " hidden"
    return (
        f'<section lang="{escape(config.lang)}" data-title="{title}"{hidden}>\n'
        f"<h1>{heading}</h1>\n<p>{moved.replace(chr(0), link)}</p>\n</section>\n"
    )


def sitemap(editions: Sequence[Edition]) -> str:
    """The list of pages for search engines, each with what it is in other languages; for a book with an address."""
    rows: list[str] = []
    for edition in editions:
        for page in edition.book.pages:
            name = page.document.name
            places = [(other.lang, escape(f"{base_url_of(other.config)}{name}.html")) for other in editions]
            others = "".join(f'<xhtml:link rel="alternate" hreflang="{lang}" href="{url}"/>' for lang, url in places)
            own = escape(f"{base_url_of(edition.config)}{name}.html")
            rows.append(f"<url><loc>{own}</loc>{others if len(editions) > 1 else ''}</url>\n")
    schema = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {schema}>\n{"".join(rows)}</urlset>\n'


def robots(config: Config) -> str:
    where = f"Sitemap: {config.base_url.rstrip('/')}/sitemap.xml\n" if config.base_url else ""
    return f"User-agent: *\nAllow: /\n{where}"
