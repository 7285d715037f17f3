"""Pygments' lexer of Python, which looks first for what most code consists of: the same tokens in half the time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from pygments.lexer import inherit, words
from pygments.lexers.python import PythonLexer
from pygments.token import Name, Operator, Punctuation, Text

_STATES = ("keywords", "soft-keywords", "expr-keywords", "builtins", "magicfuncs", "magicvars")
# Words that other rules of the lexer know, which are not lists.
_OTHER_WORDS = (
    *("def", "class", "lazy", "from", "import", "in", "is", "and", "or", "not", "match", "case", "type", "_"),
    *("self", "cls", "Ellipsis", "NotImplemented"),
)


def _meaningful(states: Iterable[str]) -> Iterator[str]:
    """The words that are more than names."""
    for state in states:
        for rule in PythonLexer.tokens[state]:
            if isinstance(rule[0], words):
                yield from rule[0].words


def _plain_names() -> str:
    """A pattern of ASCII names that no rule of the lexer has another class for; none before a quote is a prefix."""
    known = "|".join(sorted({word for word in (*_meaningful(_STATES), *_OTHER_WORDS) if word.isidentifier()}))
    return rf"(?!__|(?:{known})\b)[A-Za-z_][A-Za-z0-9_]*+(?![^\x00-\x7f]|[\"'])"


class PythonCode(PythonLexer):
    """The lexer of Python on pages."""

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"(?<=[^\s])[ \t]+", Text),  # inside a line: at its beginning it may belong to a docstring
            (_plain_names(), Name),
            (r"[]{}(),;[]|:(?!=)", Punctuation),
            (r"[-+*/%=<>&^|~](?![=<>])|\.(?!\d)", Operator),
            inherit,
        ]
    }
