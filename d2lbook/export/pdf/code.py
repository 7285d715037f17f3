"""Code and printed text as lines of LaTeX, coloured by Pygments, broken where a line would leave the page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pygments import lex
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token, _TokenType
from pygments.util import ClassNotFound

from d2lbook.export.pdf.escape import escape_code
from d2lbook.rendering.width import cut, width

CODE_COLUMNS = 120  # characters that fit into a line of code, whose ground reaches into the margins
TEXT_COLUMNS = 112  # and into one of printed text
_CONTINUED = r"\continued{}"
# The first that a token belongs to counts.
_STYLES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "tokComment"),
    (Keyword.Constant, "tokNumber"),
    (Keyword, "tokKeyword"),
    (Operator.Word, "tokKeyword"),
    (String, "tokString"),
    (Number, "tokNumber"),
    (Name.Function, "tokName"),
    (Name.Class, "tokName"),
    (Name.Decorator, "tokName"),
    (Name.Builtin, "tokBuiltin"),
)


def code_lines(code: str, language: str) -> str:
    """The lines of a listing, each a command `\\codeline`."""
    lines = _lines([(kind, text) for kind, text in lex(code, _lexer(language))])
    return "\n".join(rf"\codeline{{{_line(tokens)}}}" for line in lines for tokens in _broken(line, CODE_COLUMNS))


def text_lines(text: str) -> str:
    """Lines of printed text."""
    lines = text.expandtabs(8).strip("\n").split("\n")
    parts = [tokens for line in lines for tokens in _broken([(Token, line)], TEXT_COLUMNS)]
    return "\n".join(rf"\codeline{{{_line(tokens)}}}" for tokens in parts)


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(language or "text", stripnl=False, ensurenl=False)
    except ClassNotFound:  # a language that Pygments does not know is shown without colours
        return get_lexer_by_name("text", stripnl=False, ensurenl=False)


_Tokens = list[tuple[_TokenType, str]]


def _lines(tokens: _Tokens) -> list[_Tokens]:
    lines: list[_Tokens] = [[]]
    for kind, text in tokens:
        for number, part in enumerate(text.expandtabs(8).split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((kind, part))
    return lines


def _broken(line: _Tokens, columns: int) -> Iterator[_Tokens]:
    """A line, or its parts of at most `columns` characters; all but the first begin with a sign for it."""
    part: _Tokens = []
    room = columns
    for kind, text in line:
        while width(text) > room:
            fits = cut(text, room) if room > 0 else 0
            place = text.rfind(" ", 0, fits + 1)
            place = place + 1 if place > fits // 2 else fits
            if place or part:
                part.append((kind, text[:place].removesuffix(" ")))  # which may be the first beyond the room
            yield part
            text, part, room = text[place:], [(Token.Continued, "")], columns - 2
        part.append((kind, text))
        room -= width(text)
    yield part


def _line(tokens: _Tokens) -> str:
    return "".join(_token(kind, text) for kind, text in tokens)


def _token(kind: _TokenType, text: str) -> str:
    if kind is Token.Continued:
        return _CONTINUED
    for style, name in _STYLES:
        if kind is style or style in kind.split():
            return rf"\{name}{{{escape_code(text)}}}"
    return escape_code(text)
