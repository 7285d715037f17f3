"""Says where and why a cell is not Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

from d2lbook.diagnostics import Messages
from d2lbook.model import Line
from d2lbook.pycode import TooDeep

# `""text"""`: a docstring that lost a quotation mark, whose syntax error shows up somewhere else.
_TWO_QUOTES = re.compile(r"\s*[rRuU]?(\"\"(?!\")|''(?!'))(?=[^\s,;:.)\]}%+#=*])")


def report_syntax(error: SyntaxError, lines: Sequence[Line], messages: Messages) -> None:
    """Reports a syntax error in a cell of these lines."""
    number = min(error.lineno or 1, len(lines))
    what = error.msg if isinstance(error, TooDeep) else f"not Python: {error.msg}"
    text, column = what, max((error.offset or 1) - 1, 0)
    for index, line in enumerate(lines[:number], 1):
        if found := _TWO_QUOTES.match(line.text):
            text = "a docstring begins with three quotation marks, here are two; add one"
            number, column = index, found.start(1)
            break
    place = lines[number - 1].place(column)
    messages.error(*place, text, "cell-syntax")
