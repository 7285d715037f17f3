"""Names of style sheets and scripts that change with their content: a host may keep them in caches for ever."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from d2lbook.export.offer import Files
from d2lbook.export.site.context import SCRIPTS
from d2lbook.export.site.links import style_links

_FOLDERS = ("_static/", f"{SCRIPTS}/")
_REFERENCE = re.compile(r'(\s(?:href|src|data-module)=")([^"#?]+)(\?v=[0-9a-f]+)?(?=")')
_DIGITS = 10


def content_of(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def hashed_names(files: Files) -> dict[str, str]:
    """Old path -> path with a hash, for each style sheet and script that only pages name.

    One that a script or another style sheet asks for by its name keeps it.
    """
    texts = {
        name: content_of(content).decode("utf-8", "replace")
        for name, content in files.items()
        if name.startswith(_FOLDERS) and name.endswith((".css", ".js"))
    }
    styles = {
        posixpath.normpath(posixpath.join(posixpath.dirname(name), link.address))
        for name, text in texts.items()
        if name.endswith(".css")
        for link in style_links(text)
    }
    scripts = [text for name, text in texts.items() if name.endswith(".js")]
    names = {}
    for name in texts:
        asked = re.compile(rf"""["'`/]{re.escape(posixpath.basename(name))}["'`?]""")
        if name not in styles and not any(asked.search(text) for text in scripts):
            stem, suffix = posixpath.splitext(name)
            digest = hashlib.sha256(content_of(files[name])).hexdigest()[:_DIGITS]
            names[name] = f"{stem}.{digest}{suffix}"
    return names


def with_names(name: str, text: str, names: Mapping[str, str]) -> str:
    """The text of page `name` with its references turned to the names with hashes."""

    def turned(reference: re.Match[str]) -> str:
        new = names.get(posixpath.normpath(posixpath.join(posixpath.dirname(name), reference[2])))
        if new is None:
            return reference[0]
        return reference[1] + reference[2].removesuffix(posixpath.basename(reference[2])) + posixpath.basename(new)

    return _REFERENCE.sub(turned, text)
