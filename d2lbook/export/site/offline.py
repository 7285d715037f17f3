"""The site as an archive that reads from files, without a server or network, search included."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from d2lbook.book.cross_references import plain_text
from d2lbook.config import Config
from d2lbook.export.notebook.archive import archive
from d2lbook.export.offer import Offer
from d2lbook.export.site.command import build_site
from d2lbook.export.site.context import SHARED, prefix_of, work_directory
from d2lbook.export.site.current import site_directory
from d2lbook.export.site.links import files_below
from d2lbook.export.site.search import ALSO
from d2lbook.files import write_atomic
from d2lbook.model import Page, UiStrings
from d2lbook.rendering.book_context import BookContext
from d2lbook.session import Session

_HEADING = re.compile(r'<h\d id="([^"]*)">(.*?)</h\d>', re.DOTALL)
# What browsers refuse to pages that are files: fonts ahead of time, and modules, so that figures show their stills.
_REFUSED = re.compile(rb'<link rel="preload"[^>]*>|<script type="module"[^>]*></script>')
_SWITCHER = re.compile(rb'<details class="d2l-languages">.*?</details>', re.DOTALL)  # the others are not there
_TAG = re.compile(r"<[^>]+>")
# At the top of a copy whose pages lie in their language's folder.
_FORWARD = (
    '<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8" />\n<title>…</title>\n'
    '<meta http-equiv="refresh" content="0; url={address}" />\n</head>\n'
    '<body><a href="{address}">{address}</a></body>\n</html>\n'
)


def run(session: Session) -> bool:
    """The command `offline`."""
    build_site(session)
    if session.config.goes_on or not session.messages.failed:
        for context in session.contexts:
            path = pack(context)
            session.say(f"the site to read without a server: {path}")
    return not session.messages.failed


def offer(config: Config, tabs: Collection[str], words: UiStrings) -> Offer:
    """The archive that readers can download."""
    found = Offer()
    label, menu = words("This site, to read without a network"), words("The site to read offline")
    found.add(label, offline_path(config), menu=menu)
    return found


def offline_path(config: Config) -> Path:
    return config.output_dir / "offline" / config.lang / f"{config.name}-offline.zip"


def pack(context: BookContext) -> Path:
    """Writes the archive of a language, `_build/offline/LANG/NAME-offline.zip`, from the site as it lies built."""
    config = context.config
    root, own = site_directory(config), prefix_of(config)
    files = {name: _content(path) for name, path in files_below(root).items() if _belongs(name, config)}
    for tab in context.tabs:
        files[f"{own}_offline/{tab}.js"] = words_script(context, tab).encode()
    if own:
        files["index.html"] = _FORWARD.format(lang=config.lang, address=f"{own}{config.index}.html").encode()
    files = {f"{config.name}/{name}": content for name, content in files.items()}
    target = offline_path(config)
    write_atomic(target, archive(files, config.root))
    return target


def _belongs(name: str, config: Config) -> bool:
    """Whether a file of the site is of the language, or of all; without the index, which needs a server."""
    first, _, rest = name.partition("/")
    lang, inner = (first, rest) if first in config.languages else (config.source_lang, name)
    if lang == config.source_lang != config.lang:
        return inner.startswith(SHARED)
    return lang == config.lang and not inner.startswith("pagefind/")


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    return _SWITCHER.sub(b"", _REFUSED.sub(b"", content)) if path.suffix == ".html" else content


def words_script(context: BookContext, tab: str) -> str:
    """The words of the pages in a framework, as a script: browsers load no other data from files."""
    pages = [_words(context, page, tab) for page in context.book.pages]
    data = json.dumps(pages, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"window.d2lOffline.pages[{json.dumps(tab)}] = {data};\n"


def _words(context: BookContext, page: Page, tab: str) -> dict[str, object]:
    name = page.document.name
    stored = work_directory(context.config) / "words" / f"{name}.json"
    records: list[tuple[Sequence[str], str]] = json.loads(stored.read_text(encoding="utf-8"))
    body = next((text for tabs, text in records if tab in tabs), "")
    title = plain_text(page.document.title, context.book)
    parts = [
        {"anchor": anchor, "title": head, "text": text} for anchor, head, text in _sections(body) if anchor != ALSO
    ]
    return {"url": f"{name}.html", "title": title, "parts": parts}


def _sections(body: str) -> Iterator[tuple[str, str, str]]:
    """(anchor, title, text) of each section of a page's words."""
    pieces = _HEADING.split(body)
    if pieces[0].strip():
        yield "", "", _plain(pieces[0])
    for anchor, title, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        yield anchor, _plain(title), _plain(text)


def _plain(markup: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())
