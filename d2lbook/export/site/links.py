"""Checks the addresses that a finished site writes: files it has, anchors its pages have, on request other sites."""

from __future__ import annotations

import http.client
import posixpath
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from d2lbook.diagnostics import Message, Messages

TIMEOUT_SECONDS = 15.0
AT_A_TIME = 8  # servers asked at once
_ADDRESSES = {
    "href",
    "src",
    "xlink:href",
    "poster",
    "data",
    "action",
    "formaction",
    "cite",
    "data-module",
}
_DATA_ONLY_OF = {"data": {"object"}, "action": {"form"}, "cite": {"blockquote", "q", "ins", "del"}}
_STYLE_ADDRESS = re.compile(r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)|@import\s+["']([^"']*)["']""")
_STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
# Between two forms of one font: a browser takes the first that it can read, so the others may be lacking.
_NEXT_FORM = re.compile(r"\s*format\([^)]*\)\s*,\s*")
_GONE = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
_NO_HEAD = {HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Link:
    """An address as written, and where: 1-based line and column of its element."""

    address: str
    line: int
    column: int


@dataclass(slots=True)
class Links:
    """What a file of the site refers to, and the anchors by which it can be referred to."""

    found: list[Link] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


def check_links(
    files: Mapping[str, Path | bytes], shown: str, base_url: str, messages: Messages, external: bool = False
) -> int:
    """Reports each address in a site that leads nowhere; how many addresses it looked at.

    `files` has its files by their path in the site, `shown` is the folder that messages put before it. `external` asks
    other servers, too; without it nothing leaves the machine.
    """
    site = _Site(files, base_url)
    elsewhere: dict[str, Message] = {}
    count = 0
    for name, links in site.pages.items():
        count += len(links.found)
        for link in links.found:
            place = f"{shown}/{name}", link.line, link.column
            if site.is_elsewhere(link.address):
                address = link.address if not link.address.startswith("//") else f"https:{link.address}"
                elsewhere.setdefault(address.partition("#")[0], Message(*place, "error", "", "link-external"))
            elif finding := site.finding(name, link.address):
                messages.error(*place, *finding)
    if external:
        _check_elsewhere(elsewhere, messages)
    return count


def files_below(root: Path) -> dict[str, Path]:
    """The files of a directory by their path in it."""
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}


@dataclass(slots=True)
class _Site:
    files: Mapping[str, Path | bytes]
    base_url: str
    pages: dict[str, Links] = field(init=False)  # by path in the site: pages, drawings, style sheets

    def __post_init__(self) -> None:
        read = ((name, _read(name, self.files[name])) for name in sorted(self.files))
        self.pages = {name: links for name, links in read if links is not None}

    def is_elsewhere(self, address: str) -> bool:
        return address.startswith(("http://", "https://", "//")) and not self._is_own(address)

    def _is_own(self, address: str) -> bool:
        base = self.base_url.rstrip("/")
        return bool(base) and (address == base or address.startswith((f"{base}/", f"{base}?", f"{base}#")))

    def finding(self, name: str, address: str) -> tuple[str, str] | None:
        """What is wrong with an address in file `name`, and its code; None when it leads somewhere."""
        here = name
        if self._is_own(address):
            address, here = address[len(self.base_url.rstrip("/")) :].lstrip("/") or ".", "index.html"
        try:
            parts = urlsplit(address)
        except ValueError as error:
            return f"the address '{address}' cannot be read: {error}; mend it", "link-address"
        if parts.scheme:
            return None  # mail, data, scripts
        if parts.path.startswith("/"):
            return (
                f"'{address}' begins at the server's root, where the site may not stand; start from the page",
                "link-address",
            )
        path = unquote(parts.path)
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), path)) if path else here
        return self._target_finding(address, target, unquote(parts.fragment))

    def _target_finding(self, address: str, target: str, anchor: str) -> tuple[str, str] | None:
        if target == ".." or target.startswith("../"):
            return f"'{address}' leads out of the site; link to a file of the book", "link-file"
        if target not in self.files:
            index = posixpath.normpath(posixpath.join(target, "index.html"))
            if index not in self.files:
                return f"'{address}' leads to {target}, which the site does not have; mend the link", "link-file"
            target = index
        known = self.pages.get(target)
        if not anchor or anchor == "top" or anchor.startswith(":~:") or known is None or target.endswith(".css"):
            return None
        if anchor.partition(":~:")[0] in known.anchors:
            return None
        return f"'{address}': {target} has no place '{anchor}'; mend the link or label the place", "link-anchor"


def _read(name: str, content: Path | bytes) -> Links | None:
    """Addresses and anchors of a page, a drawing or a style sheet; None for other files."""
    if not name.endswith((".html", ".svg", ".css")):
        return None
    text = (content if isinstance(content, bytes) else content.read_bytes()).decode("utf-8")
    if name.endswith(".css"):
        return Links(list(style_links(text)))
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.links


class _Reader(HTMLParser):
    """Collects what elements refer to, and their ids."""

    def __init__(self) -> None:
        super().__init__()
        self.links = Links()
        self.in_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line, column = self.getpos()
        self.in_style = tag == "style"
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.links.anchors.add(value or "")
            elif name in _ADDRESSES and tag in _DATA_ONLY_OF.get(name, {tag}):
                self.links.found.append(Link((value or "").strip(), line, column + 1))
            elif name == "srcset" and value:
                self.links.found += [
                    Link(part.split()[0], line, column + 1) for part in value.split(", ") if part.strip()
                ]
            elif name == "style" and value:
                self.links.found += [Link(link.address, line, column + 1) for link in style_links(value, line)]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.in_style = False

    def handle_endtag(self, tag: str) -> None:
        self.in_style = False

    def handle_data(self, data: str) -> None:
        if self.in_style:
            self.links.found += style_links(data, *self.getpos())


def style_links(text: str, line: int = 1, column: int = 0) -> Iterator[Link]:
    """What a style sheet refers to that begins on `line` after `column` characters."""
    text = _STYLE_COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)
    end = 0
    for found in _STYLE_ADDRESS.finditer(text):
        address = next((group for group in found.groups() if group is not None), "").strip()
        other_form = end and _NEXT_FORM.fullmatch(text, end, found.start())
        end = found.end()
        if address and not other_form:
            start = text.rfind("\n", 0, found.start())
            indent = column if start < 0 else 0
            yield Link(address, line + text.count("\n", 0, found.start()), found.start() - start + indent)


# ---- other sites -----------------------------------------------------------------------------------------------------


def _check_elsewhere(places: dict[str, Message], messages: Messages) -> None:
    """Asks for each address once; what does not answer is reported where the site first names it."""
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        answers = pool.map(_answer, places)
        for (address, place), (gone, why) in zip(places.items(), answers, strict=True):
            where = place.path, place.line, place.column
            if gone:
                messages.error(*where, f"{address} {why}; mend the link or remove it", "link-external")
            elif why:
                messages.warning(*where, f"{address} {why}; look at it yourself", "link-external")


def _answer(address: str) -> tuple[bool, str]:
    """Whether an address is gone, and what is wrong with its answer; ("" when nothing is)."""
    status: int = HTTPStatus.OK
    for method in ("HEAD", "GET"):
        request = urllib.request.Request(address, method=method, headers={"User-Agent": "d2lbook linkcheck"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS):
                return False, ""
        except urllib.error.HTTPError as error:
            status = error.code
            error.close()
            if method == "HEAD" and status in _NO_HEAD:
                continue
        except (OSError, http.client.HTTPException, ValueError) as error:
            return False, f"does not answer: {getattr(error, 'reason', '') or error}"
        break
    return status in _GONE, f"answers with {status}"
