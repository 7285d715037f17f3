"""What stands around a page's text: contents, framework chooser, notebooks, links."""

from __future__ import annotations

import json
import posixpath
from dataclasses import replace
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

from d2lbook import languages
from d2lbook.book.cross_references import plain_text
from d2lbook.cache import CATALOGS
from d2lbook.export.notebook.hosted.platforms import OPENED_IN
from d2lbook.export.notebook.hosted.settings import open_links
from d2lbook.export.site.assets import OWN_HTML, STATIC, assets_version, inline_scripts, own_html
from d2lbook.export.site.context import Site, base_url_of, prefix_of, relative
from d2lbook.export.site.nav import Navigation, Section, page_contents
from d2lbook.frameworks import label_of, style
from d2lbook.html.markup import attribute, content_policy, escape
from d2lbook.rendering.untranslated import is_partly_untranslated, is_untranslated
from d2lbook.ui_strings import IN_SCRIPTS

NOTEBOOKS = "_notebooks"
OWN = "_static/own"  # style sheets and scripts of the book's own
FONTS = ("fonts/d2l-serif-latin-normal.woff2", "fonts/d2l-sans-latin-normal.woff2")  # which every page needs


class Frame:
    """Puts articles into the site's template."""

    def __init__(self, site: Site, navigation: Navigation) -> None:
        self.site, self.config, self.words = site, site.config, site.book.words
        self.navigation = navigation
        self.early = (STATIC / "early.js").read_text(encoding="utf-8").strip()
        cache = self.config.output_dir / ".cache" / "templates"
        cache.mkdir(parents=True, exist_ok=True)
        environment = Environment(
            loader=FileSystemLoader(STATIC / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            bytecode_cache=FileSystemBytecodeCache(str(cache)),
        )
        self.template = environment.get_template("page.html")
        self.everywhere = self._everywhere()

    def page(self, name: str, body: str, outline: Section) -> str:
        """The whole page."""
        return self.template.render(self._of_page(name, body, outline))

    def _everywhere(self) -> dict[str, Any]:
        """What is the same on all pages."""
        config = self.config
        kinds = sorted({one.kind for results in self.site.runs.values() for one in results.all_runs})
        kinds = kinds if len(kinds) > 1 else []
        own_style = style(self.site.tabs) + languages.style((config.lang, config.source_lang)) + _on_devices(kinds)
        own = {key: own_html(config, key) for key in OWN_HTML}
        return own | {
            "lang": config.lang,
            "source_lang": config.source_lang,
            "words": self.words,
            "book_title": config.title,
            "policy": content_policy(config.content_sources, self.early, *inline_scripts(*own.values())),
            "early": self.early,
            "version": assets_version(STATIC),
            "fonts": FONTS,
            "copyright": config.copyright,
            "tabs": [(tab, label_of(tab)) for tab in self.site.tabs],
            "tab_names": " ".join(self.site.tabs),
            "devices": " ".join(kinds),
            "own_style": own_style,
            "script_words": self._script_words(),
            "links": header_links(config.value("html", "header_links")),
        }

    def _of_page(self, name: str, body: str, outline: Section) -> dict[str, Any]:
        config, place = self.config, prefix_of(self.config) + name
        root = relative(name, ".")
        root = "./" if root == "." else f"{root}/"
        shared = relative(place, ".")
        shared = "" if shared == "." else f"{shared}/"
        foreign, untranslated = self._foreign(name)
        before, after = self.navigation.neighbours(name)
        base = base_url_of(config)
        page = self.site.book.page(name)
        front = page.document.front if page is not None else None
        own = {key: config.value("html", key).split() for key in ("include_css", "include_js")}
        return self.everywhere | {
            "title": self._title(name),
            "authors": ", ".join(front.authors) if front is not None else "",
            "keywords": ", ".join(front.keywords) if front is not None else "",
            "root": root,
            "shared": shared,
            "home": relative(name, f"{config.index}.html"),
            "address": f"{base}{name}.html" if base else "",
            "body": body,
            "has_formulas": 'class="katex' in body,
            "languages": self._languages(name, place),
            "foreign": foreign,
            "untranslated": untranslated,
            "contents": self.navigation.contents(name, root),
            "page_contents": page_contents(outline),
            "notebooks": self._notebooks(name, root),
            "opened": self._opened(name),
            "edit": self._edited(f"{name}.md"),
            "logo": f"{shared}_static/logo.svg" if config.value("html", "html_logo") else "",
            "favicon": f"{shared}_static/favicon.svg" if config.value("html", "favicon") else "",
            "styles": [f"{shared}{OWN}/{path}" for path in own["include_css"]],
            "scripts": [f"{shared}{OWN}/{path}" for path in own["include_js"]],
            "previous": self._neighbour(name, before),
            "following": self._neighbour(name, after),
        }

    def _title(self, name: str) -> str:
        page = self.site.book.page(name)
        title = plain_text(page.document.title, self.site.book) if page is not None else ""
        numbered = f"{page.number} {title}".strip() if page is not None else title
        return f"{numbered} — {self.config.title}" if title and title != self.config.title else self.config.title

    def _neighbour(self, name: str, other: str) -> dict[str, str] | None:
        page = self.site.book.page(other) if other else None
        if page is None:
            return None
        title = plain_text(page.document.title, self.site.book) or other
        return {"href": relative(name, f"{other}.html"), "title": f"{page.number} {title}".strip()}

    def _notebooks(self, name: str, root: str) -> list[tuple[str, str, str, str]]:
        """Framework, its name, address and file name of the page's notebooks."""
        base = posixpath.basename(name)
        return [
            (tab, label_of(tab), f"{root}{NOTEBOOKS}/{tab}/{name}.ipynb", f"{base}-{tab}.ipynb")
            for tab in self.site.tabs
        ]

    def _edited(self, path: str) -> str:
        """Where a file of the book is edited; empty when the book does not say."""
        edit_url = self.config.edit_url
        return f"{edit_url.rstrip('/')}/{path}" if edit_url else ""

    def _script_words(self) -> str:
        """What scripts say in the book's language, as JSON; empty where that is English."""
        said = {phrase: text for phrase in IN_SCRIPTS if (text := self.words.in_language(phrase))}
        return json.dumps(said, ensure_ascii=False).replace("<", "\\u003c") if said else ""

    def _languages(self, name: str, place: str) -> list[dict[str, Any]]:
        """The page in each language; nothing for a book that has one only."""
        base = self.config.base_url.rstrip("/")
        rows = []
        for language in self.site.languages:
            path = f"{prefix_of(replace(self.config, lang=language.lang))}{name}.html"
            rows.append(
                {
                    "lang": language.lang,
                    "name": language.name,
                    "offer": language.offer,
                    "not_now": language.not_now,
                    "href": relative(place, path),
                    "current": language.lang == self.config.lang,
                    "url": f"{base}/{path}" if base else "",
                }
            )
        return rows if len(rows) > 1 else []

    def _foreign(self, name: str) -> tuple[str, bool]:
        """A paragraph at the top of a page of which something is not in the book's language; whether all of it is."""
        page = self.site.book.page(name)
        blocks = page.document.blocks if page is not None else ()
        if not is_partly_untranslated(blocks):
            return "", False
        whole = is_untranslated(blocks)
        words, path = self.words, f"{CATALOGS}/{self.config.lang}/{name}.po"
        shown = (
            words("This page is not translated yet and is shown in English.")
            if whole
            else words("Parts of this page are not translated yet and are shown in English.")
        )
        address, file = self._edited(path), f"<code>{escape(path)}</code>"
        linked = f'<a href="{attribute(address)}">{file}</a>' if address else file
        how = escape(words("To help, edit {file}; {guide} says how.", file="\0", guide="\1"))
        how = how.replace("\0", linked).replace("\1", "<code>CONTRIBUTING.md</code>")
        return f'<p class="d2l-untranslated">{escape(shown)} {how}</p>', whole

    def _opened(self, name: str) -> list[tuple[str, str, str]]:
        """Framework, place and address for each hosted platform that has the page's notebooks."""
        return [
            (tab, OPENED_IN[platform], address)
            for tab in self.site.tabs
            for platform, address in open_links(self.config, tab, name)
        ]


def _on_devices(kinds: list[str]) -> str:
    """The rules by which a cell's result is seen once its kind of device is chosen."""
    rules = ((kind, f'html[data-device="{kind}"] [data-devices~="{kind}"] > .d2l-on') for kind in kinds)
    return "".join(
        f'{rule} {{ display: none; }}\n{rule}[data-on="{kind}"] {{ display: block; }}\n' for kind, rule in rules
    )


def header_links(written: str) -> list[tuple[str, str]]:
    """Name and address from the lines `name, address, icon` of `[html] header_links`; icons are not shown."""
    lines = [[part.strip() for part in line.split(",")] for line in written.splitlines() if line.strip()]
    return [(parts[0], parts[1]) for parts in lines if len(parts) > 1]
