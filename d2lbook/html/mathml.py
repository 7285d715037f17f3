"""MathML as browsers and readers show it: bold and other alphabets as the letters that Unicode has for them.

MathML Core, which browsers follow, knows `mathvariant="normal"` only and shows others as ordinary letters.
"""

from __future__ import annotations

import re
import unicodedata

_VARIANT = re.compile(r'<(?P<tag>m[ion]|mtext) mathvariant="(?P<variant>[a-z-]+)">(?P<text>[^<&]*)</(?P=tag)>')
# Names of the Mathematical Alphanumeric Symbols, and of the letters that Unicode had before, such as ℝ.
_ALPHABETS = {
    "bold": ("MATHEMATICAL BOLD",),
    "italic": ("MATHEMATICAL ITALIC",),
    "bold-italic": ("MATHEMATICAL BOLD ITALIC",),
    "double-struck": ("MATHEMATICAL DOUBLE-STRUCK", "DOUBLE-STRUCK"),
    "script": ("MATHEMATICAL SCRIPT", "SCRIPT"),
    "bold-script": ("MATHEMATICAL BOLD SCRIPT",),
    "fraktur": ("MATHEMATICAL FRAKTUR", "BLACK-LETTER"),
    "bold-fraktur": ("MATHEMATICAL BOLD FRAKTUR",),
    "sans-serif": ("MATHEMATICAL SANS-SERIF",),
    "bold-sans-serif": ("MATHEMATICAL SANS-SERIF BOLD",),
    "sans-serif-italic": ("MATHEMATICAL SANS-SERIF ITALIC",),
    "sans-serif-bold-italic": ("MATHEMATICAL SANS-SERIF BOLD ITALIC",),
    "monospace": ("MATHEMATICAL MONOSPACE",),
}


def with_letters(mathml: str) -> str:
    """A formula whose letters show their alphabet by themselves; what Unicode lacks stays an ordinary letter."""
    return _VARIANT.sub(_lettered, mathml)


def _lettered(found: re.Match[str]) -> str:
    alphabets = _ALPHABETS.get(found["variant"])
    if alphabets is None:
        return found[0]
    text = "".join(_letter(character, alphabets) for character in found["text"])
    return f"<{found['tag']}>{text}</{found['tag']}>"


def _letter(character: str, alphabets: tuple[str, ...]) -> str:
    name = unicodedata.name(character, "").replace("LATIN ", "").replace("GREEK ", "").replace(" LETTER", "")
    for alphabet in alphabets:
        try:
            return unicodedata.lookup(f"{alphabet} {name}")
        except KeyError:
            continue
    return character
