"""Files of the site beside its pages: style, scripts, fonts, figures that are not inlined, files linked to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pygments.formatters import HtmlFormatter

from d2lbook.book.assets import FILE, IMAGE, SCRIPT, assets_of
from d2lbook.config import Config
from d2lbook.export.shared.paths import beside
from d2lbook.export.site.context import FILES, IMAGES, SCRIPTS
from d2lbook.model import Book
from d2lbook.security.inside import book_file

STATIC = Path(__file__).resolve().parents[2] / "static"
_SCRIPTS = (
    *("place.js", "site.js", "contents.js", "preview.js", "languages.js", "search.js", "search-dialog.js"),
    *("search-index.js", "find.js", "rank.js", "marks.js", "offline.js", "interactive.js"),
)
_STYLES = ("fonts.css", "site.css", "cells.css", "reader.css")
STYLE = "_static/d2l/site.css"  # the one style sheet, made of these and of the colours of code
_NOT_ON_THE_SITE = {"reveal.js"}  # the slides bring it
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


def site_files(book: Book, config: Config) -> dict[str, Path]:
    """Path in the site -> file, for all that is copied as it is."""
    files = {f"_static/d2l/{name}": STATIC / name for name in _SCRIPTS}
    files |= dict(_vendored())
    for key, name in (("html_logo", "logo.svg"), ("favicon", "favicon.svg")):
        if written := config.value("html", key):
            files[f"_static/{name}"] = config.root / written.strip()
    for key in ("include_css", "include_js"):
        for own in config.value("html", key).split():
            files[f"_static/own/{own}"] = config.root / own
    for page in book.pages:
        for asset in assets_of(page.document.walk()):
            place, kind = beside(page.document.name, asset.target), _FOLDERS[asset.kind]
            inlined = kind == IMAGES and place.lower().endswith(".svg")
            path = book_file(config.root, page.document.name, asset.target)
            if path is not None and not inlined:
                files[f"{kind}/{place}"] = path
    return files


def _vendored() -> Iterator[tuple[str, Path]]:
    """Fonts, KaTeX's style sheet, and their licences, below paths without a version, as `fonts.css` names them."""
    for package in sorted((STATIC / "vendor").iterdir()):
        name = package.name.rpartition("-")[0]
        if name in _NOT_ON_THE_SITE:
            continue
        for path in sorted(package.rglob("*")):
            if path.suffix in {".woff2", ".css"} or path.name == "LICENSE":
                inner = path.relative_to(package).as_posix().removeprefix("dist/").removeprefix("files/")
                yield f"_static/d2l/vendor/{name}/{inner}", path


def figure_places(book: Book, config: Config) -> list[str]:
    """Paths of all figures that pages show, from the book's root."""
    found = {
        beside(page.document.name, asset.target)
        for page in book.pages
        for asset in assets_of(page.document.walk())
        if asset.kind == IMAGE and book_file(config.root, page.document.name, asset.target) is not None
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
