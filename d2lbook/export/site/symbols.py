"""Formulas of one letter as that letter of Unicode, for texts that have no formulas: k, α, θ."""

from __future__ import annotations

import re
import unicodedata

_STYLE = re.compile(r"\\(?:mathbf|mathrm|mathit|boldsymbol|bm|text)\s*\{?\s*([^{}]+?)\s*\}?")
_VARIANTS = dict(
    zip(["varepsilon", "varphi", "vartheta", "varrho", "infty", "ell", "nabla", "partial"], "εφθρ∞ℓ∇∂", strict=True)
)


def symbol_of(tex: str) -> str:
    """The letter that a formula is; empty for every other formula."""
    text = tex.strip().strip("$").strip()
    if styled := _STYLE.fullmatch(text):
        text = styled[1]
    if re.fullmatch(r"[A-Za-z]|\d{1,4}", text):
        return text
    if not re.fullmatch(r"\\[A-Za-z]+", text):
        return ""
    return _VARIANTS.get(text[1:]) or _greek(text[1:])


def _greek(name: str) -> str:
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return ""
