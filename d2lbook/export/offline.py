"""The site as an archive that reads from files, without a server or network, search included."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from d2lbook.config import Config
from d2lbook.export import html as site
from d2lbook.export.pkg import archive
from d2lbook.export.site.context import work_directory
from d2lbook.files import write_atomic
from d2lbook.library import KeptCode
from d2lbook.messages import Messages
from d2lbook.model import Book
from d2lbook.references import plain_text

_HEADING = re.compile(r'<h\d id="([^"]*)">(.*?)</h\d>', re.DOTALL)
# What browsers refuse to pages that are files: fonts ahead of time, and modules, so that figures show their stills.
_REFUSED = re.compile(rb'<link rel="preload"[^>]*>|<script type="module"[^>]*></script>')
_TAG = re.compile(r"<[^>]+>")


def offline_path(config: Config) -> Path:
    return config.output_dir / "offline" / config.lang / f"{config.name}-offline.zip"


def build(
    book: Book, config: Config, tabs: tuple[str, ...], messages: Messages, kept: KeptCode | None = None
) -> Path | None:  # fmt: skip
    """Builds the site and packs it into `_build/offline/LANG/NAME-offline.zip`; None when there are errors."""
    root = site.build(book, config, tabs, messages, kept=kept)
    if messages.failed:
        return None
    files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith("pagefind/"):  # which needs a server
            content = path.read_bytes()
            files[f"{config.name}/{name}"] = _REFUSED.sub(b"", content) if path.suffix == ".html" else content
    for tab in tabs:
        files[f"{config.name}/_offline/{tab}.js"] = words_script(book, config, tab).encode()
    target = offline_path(config)
    write_atomic(target, archive(files, config.root))
    return target


def words_script(book: Book, config: Config, tab: str) -> str:
    """The words of the pages in a framework, as a script: browsers load no other data from files."""
    pages = [_words(book, config, page.document.name, tab) for page in book.pages]
    data = json.dumps(pages, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return f"window.d2lOffline.pages[{json.dumps(tab)}] = {data};\n"


def _words(book: Book, config: Config, name: str, tab: str) -> dict[str, object]:
    stored = work_directory(config) / "words" / f"{name}.json"
    records: list[tuple[Sequence[str], str]] = json.loads(stored.read_text(encoding="utf-8"))
    body = next((text for tabs, text in records if tab in tabs), "")
    page = book.page(name)
    title = plain_text(page.document.title, book, name) if page is not None else name
    parts = [{"anchor": anchor, "title": head, "text": text} for anchor, head, text in _sections(body)]
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
