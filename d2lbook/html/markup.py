"""Text as HTML, and the code that a page shows."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Name, Punctuation, Text, Token, Whitespace, _TokenType
from pygments.util import ClassNotFound

from d2lbook.html.python_lexer import PythonCode

_AS_TEXT = {Token, Text, Whitespace, Punctuation, Name, Name.Namespace, Name.Variable, Name.Other}


def escape(text: str) -> str:
    return html.escape(text, quote=False)


def attribute(text: str) -> str:
    return html.escape(text, quote=True)


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer:
    if language == "python":
        return PythonCode(stripnl=False)
    try:
        return get_lexer_by_name(language or "text", stripnl=False)
    except ClassNotFound:  # a language that Pygments does not know is shown without colours
        return get_lexer_by_name("text", stripnl=False)


@lru_cache(maxsize=256)
def _class_of(kind: _TokenType) -> str:
    """The class of a kind of token; empty for what has the colour of text, which needs no element around it."""
    while kind not in STANDARD_TYPES:
        kind = kind.parent or Token
    return "" if kind in _AS_TEXT else STANDARD_TYPES[kind]


@lru_cache(maxsize=8192)
def highlighted(code: str, language: str) -> str:
    """Code with a class for each kind of token that has a colour."""
    parts = []
    for name, group in groupby(_lexer(language).get_tokens(code), lambda token: _class_of(token[0])):
        text = escape("".join(value for _, value in group))
        parts.append(f'<span class="{name}">{text}</span>' if name and not text.isspace() else text)
    return "".join(parts).rstrip()


def code_block(code: str, language: str) -> str:
    """Code as ePubs and slides show it."""
    return f'<pre class="code"><code>{highlighted(code, language)}</code></pre>\n'


def anchored(anchors: tuple[str, ...] | list[str]) -> tuple[str, str]:
    """The id that an element gets, and elements inside it for its further anchors."""
    own = f' id="{attribute(anchors[0])}"' if anchors else ""
    return own, "".join(f'<span id="{attribute(anchor)}"></span>' for anchor in anchors[1:])


def content_policy(servers: Iterable[str], *scripts: str) -> str:
    """What a page may load: files of the site and of `servers`, these scripts inside it; Pagefind is WebAssembly."""
    self = " ".join(("'self'", *servers))
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    own = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src {self}; script-src {self} {own} 'wasm-unsafe-eval'; style-src {self} 'unsafe-inline';"
        f" img-src {self} data:; font-src {self} data:; object-src 'none'; base-uri 'none'; form-action 'none'"
    )
