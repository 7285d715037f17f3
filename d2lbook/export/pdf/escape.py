"""Text as LaTeX: what TeX would read as commands, and characters that the text fonts lack."""

from __future__ import annotations

import re

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\u00a0": "~",
    "\u202f": r"\,",
}
# Arrows, operators, technical signs, box drawing, shapes, signs, superscripts: in the book's fonts of symbols only.
_SYMBOLS = ((0x2016, 0x2016), (0x2070, 0x209F), (0x2190, 0x2BFF), (0x1F300, 0x1FAFF))
_CJK = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]+")


def escape(text: str) -> str:
    """Running text."""
    return _other_scripts("".join(_character(character) for character in text))


def escape_code(text: str) -> str:
    """A line of code: every space is a glyph, so that it is copied, and nothing joins to a ligature."""
    line = "".join(r"\csp{}" if character == " " else _character(character, code=True) for character in text)
    return _other_scripts(line)


def escape_breakable(text: str) -> str:
    """Code within a paragraph: it may break after the signs that join its words."""
    return _other_scripts(
        "".join(
            " " if character == " " else _character(character, code=True) + (r"\cb{}" if character in "._/,-=(" else "")
            for character in text
        )
    )


def escape_address(address: str) -> str:
    """An address to read: it may break anywhere, as it has no words."""
    return "".join(_character(character, code=True) + r"\cb{}" for character in address)


def escape_url(address: str) -> str:
    """An address as the argument of a link."""
    return "".join("\\" + character if character in r"\{}$&#%_^~" else character for character in address)


def has_cjk(text: str) -> bool:
    return _CJK.search(text) is not None


def _other_scripts(latex: str) -> str:
    return _CJK.sub(lambda run: rf"\cjk{{{run[0]}}}", latex)


def _character(character: str, code: bool = False) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    number = ord(character)
    if number < 32 or number == 127:
        return "" if character != "\n" else "\n"
    if any(first <= number <= last for first, last in _SYMBOLS):
        return rf"\sym{{{character}}}"
    if code and character in "-'`\"<>":
        return rf"{{{character}}}"
    return character
