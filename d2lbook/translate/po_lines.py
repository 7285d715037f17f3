"""The lines of a catalog: what gettext's tools refuse and polib takes, losing a letter, a text or a whole message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from d2lbook.diagnostics import Message

UNTIL = "mend it; until then the catalog is not used, and the source is shown"
_MARKED = r"\s*(?P<mark>#~\||#\||#~)?[ \t]*(?P<word>msg(?:ctxt|id_plural|id|str(?P<form>\[\d+\])?)[ \t]*)?"
# A text in double quotes, without characters inside at which polib would end the line.
_TEXT = r'"(?:[^"\\\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|\\%s)*"[ \t]*\r?'
_BEGINNING = re.compile(_MARKED)
_GOOD_LINE = re.compile(_MARKED + _TEXT % r'[ntrvbf"\\]')
_WITH_ANY_ESCAPE = re.compile(_MARKED + _TEXT % ".")
_BAD_ESCAPE = re.compile(r"\\(?:\\|[ntrvbf\"])|(?P<bad>\\.)")
_OCTAL = re.compile(r"\\\\|(?P<bytes>(?:\\[0-3][0-7]{2})+)")
_COMMENT = re.compile(r"\s*(?:#(?![~|]).*|#~?[ \t]*)?\r?")
_START = {"msgctxt", "msgid"}
# What may stand behind a part of a message: of these, a message ends with its last alone.
_NEXT = {
    "": _START,
    "msgctxt": {"msgid"},
    "msgid": {"msgid_plural", "msgstr"},
    "msgid_plural": {"msgstr[]"},
    "msgstr": _START,
    "msgstr[]": {"msgstr[]", *_START},
}
_INSIDE = {"msgctxt", "msgid", "msgid_plural"}


def with_letters(text: str) -> str:
    """A catalog's text with letters for the octal numbers of their bytes, as some tools write them."""
    return _OCTAL.sub(_letters, text) if _OCTAL.search(text) else text


def _letters(match: re.Match[str]) -> str:
    if match["bytes"] is None:
        return match[0]
    try:
        return bytes(int(number, 8) for number in match["bytes"].split("\\")[1:]).decode("utf-8")
    except ValueError:
        return match[0]


def bad_lines(text: str, shown: str) -> Iterator[Message]:
    """A finding for each line that is none of a catalog's, or that lacks one."""
    reader = _Reader()
    for number, line in enumerate(text.split("\n"), 1):
        for at, what in reader.read(number, line):
            yield Message(shown, at, 1, "error", f"{what}; {UNTIL}", "catalog-syntax")
    if reader.last in _INSIDE:
        yield Message(shown, reader.first, 1, "error", f"a message without its msgstr; {UNTIL}", "catalog-syntax")


_Found = Iterator[tuple[int, str]]  # lines, and what is wrong there


@dataclass(slots=True)
class _Reader:
    """Where in a message the line before stood."""

    last: str = ""  # the part of a message that it belonged to; empty before the first
    first: int = 0  # the message's first line
    mark: str = ""  # "#~" when the message is obsolete
    earlier: str = ""  # the part of an earlier text, after "#|", that it belonged to

    def read(self, number: int, line: str) -> _Found:
        if self.last and not self.mark and not self.earlier and line[:1] == '"' and _GOOD_LINE.fullmatch(line):
            return  # as most lines are
        if _COMMENT.fullmatch(line):
            if self.last in _INSIDE and line.strip():
                yield number, f"a comment inside the message of line {self.first}; put it above"
            return
        match = _GOOD_LINE.fullmatch(line)
        if match is None:
            yield number, _what(line)
            if (begun := _BEGINNING.match(line)) is not None:  # what follows is read as if this were right
                self._enter(number, _word(begun), begun["mark"] or "")
            return
        word = _word(match)
        if match["mark"] in {"#|", "#~|"}:
            yield from self._earlier(number, word)
        else:
            if self.earlier == "msgctxt":
                yield number, "the earlier text above, after #|, has no msgid; write it, or take the rest out"
            self.earlier = ""
            yield from self._part(number, word, match["mark"] or "")

    def _earlier(self, number: int, word: str) -> _Found:
        if self.last in _INSIDE:
            yield number, f"an earlier text inside the message of line {self.first}; put it above"
        elif not word and not self.earlier:
            yield number, "a text that belongs to no message: what stands after #| begins with msgctxt or msgid"
        self.earlier = word or self.earlier

    def _part(self, number: int, word: str, mark: str) -> _Found:
        if self.last in _INSIDE and mark != self.mark:
            yield number, f"half of the message of line {self.first} is marked #~ as gone; mark all of it, or none"
        elif not word and (not self.last or mark != self.mark):
            yield number, "a text that belongs to no message"
        elif word and word not in _NEXT[self.last]:
            yield self._misplaced(number, word)
        self._enter(number, word, mark)

    def _enter(self, number: int, word: str, mark: str) -> None:
        if word in _START and self.last != "msgctxt":
            self.first, self.mark = number, mark
        self.last = word or self.last

    def _misplaced(self, number: int, word: str) -> tuple[int, str]:
        if self.last in _INSIDE and word in _START:
            return self.first, f"a message without its {'msgid' if self.last == 'msgctxt' else 'msgstr'}"
        wanted = " or ".join(sorted(_NEXT[self.last])).replace("[]", "[0]")
        return number, f"{word.replace('[]', '[…]')} stands where gettext expects {wanted}"


def _word(match: re.Match[str]) -> str:
    return "msgstr[]" if match["form"] else (match["word"] or "").strip()


def _what(line: str) -> str:
    if _WITH_ANY_ESCAPE.fullmatch(line):
        bad = next(match["bad"] for match in _BAD_ESCAPE.finditer(line) if match["bad"])
        return f"'{bad}' means nothing in a catalog; write \\\\ for a backslash"
    if line.lstrip("#~| ").startswith(("msg", '"')):
        return "a text that is not between double quotes"
    return "neither a comment nor a message"
