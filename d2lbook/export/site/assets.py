"""Files of the site beside its pages: style, scripts, fonts, figures that are not inlined, files linked to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from pygments.formatters import HtmlFormatter

from d2lbook.book.assets import FILE, IMAGE, SCRIPT, assets_of
from d2lbook.config import Config
from d2lbook.config.keys import BY_PLACE, Kind
from d2lbook.diagnostics import BookError, Messages
from d2lbook.export.site.context import FILES, IMAGES, SCRIPTS
from d2lbook.files import is_file, read_text
from d2lbook.rendering.book_context import BookContext
from d2lbook.rendering.paths import beside, shown_file
from d2lbook.security.inside import book_file

STATIC = Path(__file__).resolve().parents[2] / "static"
_SCRIPTS = (
    *("place.js", "site.js", "contents.js", "preview.js", "languages.js", "search.js", "search-dialog.js"),
    *("search-index.js", "find.js", "rank.js", "marks.js", "offline.js", "interactive.js"),
)
_STYLES = ("fonts.css", "site.css", "cells.css", "reader.css")
STYLE = "_static/d2l/site.css"  # the one style sheet, made of these and of the colours of code
_NOT_ON_THE_SITE = {"reveal.js"}  # the slides bring it
OWN_HTML = ("head_html", "end_html")  # keys of `[html]`
_NO_PROGRAM = ("json", "template", "importmap")  # words in the types of scripts that no policy asks about
_FOLDERS = {IMAGE: IMAGES, SCRIPT: SCRIPTS, FILE: FILES}


def style_sheet() -> str:
    """All that the site's pages have of styles."""
    light, dark = (_code_colours(f"a11y-high-contrast-{mode}") for mode in ("light", "dark"))
    own = [(STATIC / name).read_text(encoding="utf-8") for name in _STYLES]
    on_dark = "".join(f'html[data-theme="dark"] {rule}\n' for rule in dark)
    return "\n".join([*own, *light, f"@media screen {{\n{on_dark}}}\n"])


def _code_colours(style: str) -> list[str]:
    """A rule for each kind of token."""
    rules = str(HtmlFormatter(style=style).get_style_defs(".highlight")).splitlines()  # type: ignore[no-untyped-call]
    return [rule.partition(" /*")[0] for rule in rules if rule.startswith(".highlight .")]


def site_files(context: BookContext) -> dict[str, Path]:
    """Path in the site -> file, for all that is copied as it is."""
    config = context.config
    files = {f"_static/d2l/{name}": STATIC / name for name in _SCRIPTS}
    files |= dict(_vendored())
    for key, name in (("html_logo", "logo.svg"), ("favicon", "favicon.svg")):
        if written := config.value("html", key):
            files[f"_static/{name}"] = config.root / written.strip()
    for key in ("include_css", "include_js"):
        for own in config.value("html", key).split():
            files[f"_static/own/{own}"] = config.root / own
    for page in context.book.pages:
        for asset in assets_of(page.document.walk()):
            place, kind = beside(page.document.name, asset.target), _FOLDERS[asset.kind]
            inlined = kind == IMAGES and place.lower().endswith(".svg")
            path = book_file(config.root, page.document.name, asset.target)
            if path is not None and not inlined:
                files[f"{kind}/{place}"] = path
    return files


def _vendored() -> Iterator[tuple[str, Path]]:
    """Fonts as `fonts.css` names them, KaTeX's fonts and style sheet below a path without a version; and licences."""
    for path in sorted((STATIC / "fonts").iterdir()):
        yield f"_static/d2l/fonts/{path.name}", path
    for package in sorted((STATIC / "vendor").iterdir()):
        name = package.name.rpartition("-")[0]
        if name in _NOT_ON_THE_SITE:
            continue
        for path in sorted(package.rglob("*")):
            if path.suffix in {".woff2", ".css"} or path.name == "LICENSE":
                inner = path.relative_to(package).as_posix().removeprefix("dist/")
                yield f"_static/d2l/vendor/{name}/{inner}", path


def figure_places(context: BookContext) -> list[str]:
    """Paths of all figures that pages show, from the book's root."""
    found = {
        beside(page.document.name, asset.target)
        for page in context.book.pages
        for asset in assets_of(page.document.walk())
        if asset.kind == IMAGE and shown_file(context.book, page.document.name, asset.target) is not None
    }
    return sorted(found)


@cache
def assets_version(assets: Path) -> str:
    """Short hash over the site's own files: an address changes with its content, so no browser shows an old one."""
    digest = hashlib.sha256()
    for path in sorted(assets.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(assets).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:10]


# ---- HTML of the book's own, and whether all files of its own are there --------------------------------------------


def own_html(config: Config, key: str) -> str:
    """Return what the file at a key of `[html]` holds; empty for none, and for one that `check_own_files` reports."""
    written = config.value("html", key).strip()
    try:
        return read_text(config.root / written).strip() if written and is_file(config.root / written) else ""
    except BookError:
        return ""


def inline_scripts(*texts: str) -> list[str]:
    """Return the programs that stand in HTML itself: the content security policy has to name each by its hash."""
    found: list[str] = []
    for text in texts:
        reader = _Scripts()
        reader.feed(text)
        reader.close()
        found += reader.found
    return found


def check_own_files(config: Config, messages: Messages) -> None:
    """Report the files named in `[html]` that are not there, and HTML of the book's own that is no text."""
    for key in (key for key in BY_PLACE.values() if key.section == "html" and key.kind in (Kind.FILE, Kind.FILES)):
        for written in config.value("html", key.name).split():
            if not is_file(config.root / written):
                line = config.line("html", key.name)
                what = f"{key.name}: there is no file '{written}'; write it, or remove its name"
                messages.error(config.name_in_messages, line, 1, what, "config-file")
            elif key.name in OWN_HTML:
                try:
                    read_text(config.root / written)
                except BookError as error:
                    messages.extend(error.messages)


class _Scripts(HTMLParser):
    """Collects what stands in `<script>` elements without an address."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        kind = (given.get("type") or "").lower()
        self._open = tag == "script" and "src" not in given and not any(word in kind for word in _NO_PROGRAM)

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._open:
            self.found.append(data)
