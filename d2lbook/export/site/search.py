"""What search knows of a page: its words by section and framework, without outputs and the frame.

Of formulas only single letters are words: k, α.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pagefind_bin import get_executable

from d2lbook.diagnostics import error_at, to_install
from d2lbook.export.site.word_forms import other_forms
from d2lbook.files import everything_below
from d2lbook.languages import language_of

ALSO = "d2l-also"
_PARTS = "**/*.pf_*"  # of an index: words, texts of pages, and the table of both
Records = list[tuple[tuple[str, ...], str]]  # frameworks that read the same, and what as small HTML
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)(?P<attributes>[^>]*)>")
_ID = re.compile(r'\sid="([^"]*)"')
_FOR = re.compile(r'\sdata-for="([^"]*)"')
_COLOURED = re.compile(r'<span class="[a-z0-9]+">([^<]*)</span>')  # of code; nothing else has so bare a span
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_BLOCKS = {"p", "pre", "li", "td", "th", "figure", *_HEADINGS}
_ANY_TAG = re.compile(r"<[^>]+>")


def records(article: str, tabs: tuple[str, ...], language: str) -> Records:
    """The words of a page for the index, from its HTML without what search does not see."""
    texts: dict[str, list[str]] = {tab: [] for tab in tabs}
    for whose, text in _pieces(article, tabs):
        for tab in whose:
            texts[tab].append(text)
    found: dict[str, list[str]] = {}
    for tab, parts in texts.items():
        found.setdefault("".join(parts), []).append(tab)
    return [(tuple(same), text + _also(text, language)) for text, same in found.items()]


def _pieces(article: str, tabs: tuple[str, ...]) -> Iterator[tuple[Iterable[str], str]]:
    """Texts and the tags that matter, in order, each with the frameworks that have it."""
    open_: list[tuple[tuple[str, ...], str]] = []  # of the elements around: frameworks, and what closes them here
    whose, position, depth, section = tabs, 0, 0, ""
    article = _COLOURED.sub(r"\1", article)
    for tag in _TAG.finditer(article):
        if tag.start() > position:
            yield whose, article[position : tag.start()]
        position = tag.end()
        name, attributes = tag["name"], tag["attributes"]
        if attributes.endswith("/"):
            continue
        if tag["end"]:
            outer, closing = open_.pop() if open_ else (tabs, "")
            depth -= name == "section"
            if closing:
                yield whose, closing
            whose = outer
            continue
        before, asked = whose, _FOR.search(attributes)
        if asked is not None:
            whose = tuple(tab for tab in whose if tab in asked[1].split())
        opening, closing = "", ""
        if name == "section":
            depth, section = depth + 1, _id(attributes)
        elif name in _HEADINGS and not attributes.startswith(' class="rubric"'):
            opening, closing = f'<{name} id="{section}">', f"</{name}>\n"
        elif name == "dt":
            rank = min(depth + 1, 6)
            anchor = _id(attributes)
            opening = f'<h{rank} id="{anchor}">{anchor.removeprefix("api-")}</h{rank}>\n<p>'
            closing = "</p>\n"
        elif name in _BLOCKS:
            opening, closing = "<p>", "</p>\n"
        open_.append((before, closing))
        if opening:
            yield whose, opening


def _id(attributes: str) -> str:
    found = _ID.search(attributes)
    return found[1] if found is not None else ""


def store(directory: Path, name: str, found: Records) -> None:
    """Keeps what is to be indexed of a page that was made."""
    path = directory / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")


def write_sources(stored: Path, pages: list[str], target: Path, language: str) -> None:
    """The pages to index: `target/FRAMEWORK/PAGE.html` is page PAGE as that framework reads it."""
    left = set(target.rglob("*.html"))
    for name in pages:
        for tabs, body in json.loads((stored / f"{name}.json").read_text(encoding="utf-8")):
            main = f"<main data-pagefind-body>{body}</main>"
            text = f'<!doctype html><html lang="{language}"><body>{main}</body></html>'
            for tab in tabs:
                path = target / tab / f"{name}.html"
                if path not in left or path.read_text(encoding="utf-8") != text:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                left.discard(path)
    for path in left:
        path.unlink()


def _also(body: str, language: str) -> str:
    """Words that are found but not shown: `search.js` leaves out what stands below this anchor."""
    if language_of(language).index_knows_forms:
        return ""
    forms = other_forms(html.unescape(_ANY_TAG.sub(" ", body)), language)
    return f'<h6 id="{ALSO}">{ALSO}</h6><p>{html.escape(" ".join(forms))}</p>' if forms else ""


@contextmanager
def indexing(sources: Path, tabs: tuple[str, ...], target: Path, at_once: int = 2) -> Iterator[None]:
    """Runs Pagefind over the sources beside other work; `target` then holds an index per framework, nothing else.

    An index each, because Pagefind writes filters in another order every time. Raises BookError when it fails.
    """
    fresh = target.with_name(f"{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    with ThreadPoolExecutor(at_once) as pool:
        running = pool.map(lambda tab: _index_one(sources / tab, fresh / tab, target / tab), tabs)
        yield
        list(running)
    _adopt(fresh, target)


def _index_one(sources: Path, target: Path, known: Path) -> None:
    """An index. It takes over the parts of a known one: Pagefind names them by what they hold, and writes none twice.

    After an edit that saves a quarter of its time. Where the parts are another version's, it begins again without them.
    """
    if (version := _entry(known).get("version")) is not None:
        _take_over(known, target)
    _run_pagefind(sources, target)
    if version is not None and version != _entry(target)["version"]:
        shutil.rmtree(target)
        _run_pagefind(sources, target)
    _remove_old_parts(target)


def _take_over(known: Path, target: Path) -> None:
    """Copies the parts of an index that are whole."""
    for part in (*known.glob("fragment/*"), *known.glob("index/*")):
        content = part.read_bytes()
        if not _is_whole(content):  # as after a loss of power
            continue
        place = target / part.relative_to(known)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _is_whole(packed: bytes) -> bool:
    try:
        return bool(gzip.decompress(packed))
    except (OSError, EOFError, zlib.error):
        return False


def _entry(index: Path) -> dict[str, Any]:
    """What Pagefind says of an index; nothing of one that is not there."""
    try:
        entry: dict[str, Any] = json.loads((index / "pagefind-entry.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return entry


def _remove_old_parts(index: Path) -> None:
    """Removes the parts that are not in the table of an index."""
    tables = {f"pagefind.{language['hash']}.pf_meta" for language in _entry(index)["languages"].values()}
    named = b"".join(gzip.decompress((index / table).read_bytes()) for table in tables)
    for part in list(index.glob(_PARTS)):
        if part.name not in tables and _in_cbor(part.stem) not in named:
            part.unlink()


def _in_cbor(text: str) -> bytes:
    """A text of less than 24 bytes, as Pagefind's table holds it."""
    return bytes([0x60 + len(text)]) + text.encode()


def _run_pagefind(sources: Path, target: Path) -> None:
    command = [str(get_executable()), "--site", str(sources), "--output-path", str(target), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        what = f"Pagefind cannot index the site: {reason[0]}; run: {to_install('pagefind[bin]')}"
        raise error_at("search", 0, 0, what, "search-index")


def _adopt(fresh: Path, target: Path) -> None:
    """Makes `target` what `fresh` is. What did not change keeps its time, by which publishing knows it."""
    made = {name for name, entry in everything_below(fresh) if entry.is_file()}
    for name in made:
        old, new = target / name, fresh / name
        if not old.exists() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            new.replace(old)
    for name, entry in list(everything_below(target)):
        if entry.is_file() and name not in made:
            Path(entry).unlink()
    shutil.rmtree(fresh)
