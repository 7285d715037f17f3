"""Whether a translation can take the place of its source: nothing lost of what is not words, nothing left over."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from typing import Literal

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Heading, Prose
from d2lbook.parse import markdown, parse_document
from d2lbook.parse.footnotes import references
from d2lbook.parse.inline import inline_tokens, pair_marks, without_tokens
from d2lbook.parse.markdown import block_markdown
from d2lbook.translate.checks.left_over import left_over, words_of
from d2lbook.translate.figures import check_drawing_text
from d2lbook.translate.markup import brought_along
from d2lbook.translate.units import Unit, tidied

_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|<(https?://[^>\s]+)>|(?<![(<`])(https?://[^\s)>\]`]+)")
_TEXT_IN_MATH = re.compile(r"(\\(?:text|textrm|textbf|textit|mbox)\{)[^{}]*\}")
_GROUPING_IN_MATH = re.compile(r"(?<=\d)(?:\{[,.]\}|\{?\\,\}?|~)(?=\d{3}(?!\d))")  # 12{,}288 is 12\,288 elsewhere
_PLACEHOLDER = re.compile(
    r"\{\{|\}\}|\{[^{}]*\}|%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%]|\\(?:x\w\w|u\w{4}|U\w{8}|N\{[^}]*\}|.)"
)
_ESCAPE = re.compile(r"\\.", re.DOTALL)
_NOT_PLAIN = re.compile(r"""[\\'"{}\0\r]""")
# Joiners are part of the spelling between Arabic and Indic letters.
INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u3000]|(?<![\u0600-\u0dff])[\u200c\u200d]|[\x00-\x09\x0b-\x1f\x7f-\x9f]"
)
_DIRECTIVE_START = re.compile(
    r"[@%!]|(?:noqa|type|fmt|isort|pylint|pragma|mypy|ruff|yapf)\b|[Hh]ide (?:code|outputs?)$"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with a translation. With an error it is not used; with a warning it is."""

    level: Literal["error", "warning"]
    text: str
    code: str


def check_translation(unit: Unit, text: str) -> Iterator[Finding]:
    """What keeps a translation from being used, and what should be mended in it, whatever the language."""
    text = tidied(unit, text)
    yield from _characters(unit.msgid, text)
    for mark in left_over(unit, text):
        yield Finding("error", f"'{mark}' is left over; take it out", "translation-leftover")
    if unit.form != "drawing" and not unit.is_code:
        for token in brought_along(unit.msgid, text):
            what = f"the source has no '{token[:60]}'; take it out, or write &lt; for <"
            yield Finding("error", what, "translation-html")
    if unit.form == "word":
        yield from _word(unit.msgid, text)
    elif unit.form == "drawing":
        yield from (Finding("error", what, "translation-structure") for what in check_drawing_text(unit.msgid, text))
    elif unit.kind == "string":
        yield from _string(unit, text)
    elif unit.form == "literal":
        yield from _docstring(unit, text)
    elif unit.form == "comment":
        yield from _comment(unit, text)
    else:
        yield from _prose(unit, text)


def _characters(msgid: str, text: str) -> Iterator[Finding]:
    found_here = set(INVISIBLE.findall(text)) - {"\n"}
    for found in sorted(found_here - set(INVISIBLE.findall(msgid))) if found_here else ():
        name = unicodedata.name(found, "a control character").lower()
        what = f"an invisible character, U+{ord(found):04X} ({name}); take it out"
        yield Finding("error", what, "translation-character")
    if not unicodedata.is_normalized("NFC", text):
        what = "letters and their accents are separate characters; save the text in Unicode's form NFC"
        yield Finding("warning", what, "translation-nfc")


# ---- prose ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Contents:
    """What of a text is not words."""

    roles: Counter[str]
    code: Counter[str]
    math: Counter[str]
    marks: Counter[str]
    links: Counter[str]
    notes: Counter[str]
    alone: Counter[str]  # backquotes and dollars that begin nothing


_NAMES = {
    "roles": ("role", "translation-role"),
    "code": ("inline code", "translation-code"),
    "math": ("formula", "translation-math"),
    "marks": ("slide mark", "translation-mark"),
    "links": ("link", "translation-link"),
    "notes": ("reference to the footnote", "translation-footnote"),
    "alone": ("single character", "translation-code"),
}


@lru_cache(maxsize=4096)
def _contents(text: str) -> _Contents:
    found: dict[str, Counter[str]] = {kind: Counter() for kind in ("role", "code", "math", "mark")}
    for piece in inline_tokens(text):
        value = text[piece.start : piece.end]
        kind = "math" if piece.kind in {"display", "unclosed"} else piece.kind
        if kind == "math":
            value = _GROUPING_IN_MATH.sub("", " ".join(_TEXT_IN_MATH.sub(r"\1}", value).split()))
        found[kind][" ".join(value.split())] += 1
    links = Counter(first or second or third for first, second, third in _LINK.findall(text))
    alone = Counter(re.findall(r"(?<!\\)[`$]", words_of(text)))
    notes = Counter(reference.name for reference in references(text))
    return _Contents(found["role"], found["code"], found["math"], found["mark"], links, notes, alone)


def _prose(unit: Unit, text: str) -> Iterator[Finding]:
    source, translated = _contents(unit.msgid), _contents(text)
    for field, (name, code) in _NAMES.items() if source != translated else ():
        wanted, present = getattr(source, field), getattr(translated, field)
        if field not in {"roles", "marks"}:  # said once or twice is the translator's choice
            wanted, present = Counter(set(wanted)), Counter(set(present))
        yield from _difference(wanted, present, name, code)
    if source.marks == translated.marks and _marked(unit.msgid) != _marked(text):
        yield Finding(
            "error", "a slide mark is without its other end here; put each around its words", "translation-mark"
        )
    if unit.form == "mark" and "`" in text:
        yield Finding("error", "a backquote ends an alternative text; write it without", "translation-structure")
        return
    if unit.form == "mark":
        return
    if _shape(unit, unit.msgid) != _shape(unit, text):
        what = (
            "Markdown reads this as something else than its source, such as a list or a heading; put a backslash before"
        )
        yield Finding("error", f"{what} the character that does it", "translation-structure")
    elif _stars(text) > _stars(unit.msgid):
        what = "an asterisk stands as such in the text: emphasis that is not closed, or with a space inside its marks"
        yield Finding("error", f"{what}; close it, or put a backslash before", "translation-emphasis")


def _marked(text: str) -> int:
    """How many stretches of a text slide marks stand around."""
    return len(pair_marks(text, [piece for piece in inline_tokens(text) if piece.kind == "mark"])[0])


def _difference(source: Counter[str], translated: Counter[str], name: str, code: str) -> Iterator[Finding]:
    missing, more = source - translated, translated - source
    if missing:
        yield Finding("error", f"the {name} {_list(missing)} of the source is missing here; put it in", code)
    if more:
        yield Finding("error", f"the {name} {_list(more)} is not in the source; take it out", code)


def _list(found: Counter[str]) -> str:
    return ", ".join(sorted(found.elements()))


@lru_cache(maxsize=8192)
def _shape(unit: Unit, text: str) -> tuple[object, ...]:
    """What Markdown makes of a text."""
    if unit.form == "cell":
        return ()
    if unit.kind not in {"title", "caption"} and text[:1].isalpha() and not _MORE_THAN_A_LINE.search(text):
        return _PARAGRAPH
    source = f"# {text}" if unit.kind == "title" else text
    if unit.kind == "caption":  # of a figure or of a table
        source = f"![{text}](a.svg)\n\n:{text}\n\n| a |\n|---|\n| b |\n"
    return tuple(map(_shape_of_block, parse_document(source, "", Messages()).blocks))


# What a line that starts with a letter is, as the parser of pages knows, too.
_PARAGRAPH = (("Prose", 0, ("paragraph_open", "paragraph_close")),)
_MORE_THAN_A_LINE = re.compile(r"[|\n]")


def _shape_of_block(block: Block) -> tuple[object, ...]:
    tokens: tuple[str, ...] = ()
    if isinstance(block, Prose):
        tokens = tuple(token.type for token in block_markdown().parse(block.text) if token.type != "inline")
    return type(block).__name__, getattr(block, "level", 0) if isinstance(block, Heading) else 0, tokens


@lru_cache(maxsize=8192)
def _stars(text: str) -> int:
    """How many asterisks a reader would see."""
    if "*" not in text:
        return 0
    tokens = markdown().parseInline(text)[0].children or []
    return sum(token.content.count("*") for token in tokens if token.type == "text")


# ---- code -----------------------------------------------------------------------------------------------------------


def _placeholders(msgid: str, text: str) -> Iterator[Finding]:
    source, translated = Counter(_PLACEHOLDER.findall(msgid)), Counter(_PLACEHOLDER.findall(text))
    yield from _difference(source, translated, "placeholder", "translation-placeholder")


def _word(msgid: str, text: str) -> Iterator[Finding]:
    different = list(_placeholders(msgid, text))
    yield from different
    try:
        list(Formatter().parse(text))
    except ValueError:
        if not different:
            yield Finding("error", "a brace stands alone here; take it out", "translation-placeholder")


def _string(unit: Unit, text: str) -> Iterator[Finding]:
    different = list(_placeholders(unit.msgid, text))
    yield from different
    if re.search(rf"(?<!\\){re.escape(unit.prefix[0])}", text):
        yield Finding("error", f"a {unit.prefix[0]} ends the string; use a typographic quote", "translation-string")
    elif not different and not _stays_literal(unit, text.replace("\n", " ")):
        what = "Python reads this as something else than a string, for a brace or a backslash that stands alone"
        yield Finding("error", f"{what}; take it out", "translation-string")


def _stays_literal(unit: Unit, text: str) -> bool:
    """Whether a literal with this text in it is one, with the same values put in."""
    if not unit.opening or (is_plain_literal(unit, unit.msgid) and is_plain_literal(unit, text)):
        return True
    try:
        return _values(unit.opening, text) == _values(unit.opening, unit.msgid)
    except SyntaxError:
        return False


def is_plain_literal(unit: Unit, text: str) -> bool:
    """Whether a text in a literal's quotes is its value as it stands, as nearly all are: known without Python."""
    return _NOT_PLAIN.search(text) is None and ("\n" not in text or unit.opening.endswith(("'''", '"""')))


def _values(opening: str, text: str) -> list[str] | None:
    """What a literal puts in; None for what is no literal. Raises SyntaxError."""
    quotes = opening.lstrip("rRuUfFbB")
    with warnings.catch_warnings():  # of escapes that Python does not know
        warnings.simplefilter("ignore")
        body = ast.parse(opening + text + quotes, mode="eval").body
    if isinstance(body, ast.JoinedStr):
        return sorted(ast.dump(part) for part in body.values if isinstance(part, ast.FormattedValue))
    return [] if isinstance(body, ast.Constant) else None


def _docstring(unit: Unit, text: str) -> Iterator[Finding]:
    msgid = unit.msgid
    yield from _inline_code(msgid, text)
    yield from _difference(
        Counter(_ESCAPE.findall(msgid)), Counter(_ESCAPE.findall(text)), "escape", "translation-string"
    )
    if '"""' in text or "'''" in text or text.endswith(('"', "\\")):
        what = "a docstring ends with its quotes: write none at the end, no three in a row, and no backslash"
        yield Finding("error", what, "translation-string")
    elif not _stays_literal(unit, text):
        quote = unit.opening[-1]
        what = f"a {quote} ends the docstring, which stands between two of them; use a typographic quote"
        yield Finding("error", what, "translation-string")


def _comment(unit: Unit, text: str) -> Iterator[Finding]:
    if re.search(r"#[ \t]*@", text) or (unit.kind == "code comment" and _DIRECTIVE_START.match(text.lstrip("# "))):
        what = "a comment like this is an instruction to a program; begin with another word, and write no '#@' in it"
        yield Finding("error", what, "translation-comment")
    yield from _inline_code(unit.msgid, text)


def _inline_code(msgid: str, text: str) -> Iterator[Finding]:
    """What of code is lost in a comment or docstring; a backquote without its other end counts as code, too."""
    source, translated = Counter(re.findall(r"`[^`]*`?", msgid)), Counter(re.findall(r"`[^`]*`?", text))
    yield from _difference(source, translated, "inline code", "translation-code")


# ---- words ----------------------------------------------------------------------------------------------------------


def words_only(text: str, code: bool = False) -> str:
    """A text without roles, code, formulas and addresses, each replaced by a character that is no letter."""
    if code:
        return re.sub(r"`[^`]*`|\{[^}]*\}|\\.", "\ufffc", text)
    return _LINK.sub("\ufffc", without_tokens(text, "\ufffc"))
