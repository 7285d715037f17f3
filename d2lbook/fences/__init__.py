"""Fences that an installed package draws: `[fences]` in `config.ini` names a function for each language.

The function is called as `draw(code, language, options)`: the fence's text, its language, and what else its first line
says as a dictionary, without `alt` and `width`. It returns SVG text, or a pair of SVG text and alternative text.
"""

from d2lbook.fences.draw import Fences, drawn
from d2lbook.fences.handlers import handled, versions

__all__ = ["Fences", "drawn", "handled", "versions"]
