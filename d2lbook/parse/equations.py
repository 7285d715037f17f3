"""Display math that stands alone: from a line that starts with `$$` to one that ends with `$$`."""

from __future__ import annotations

import re

from d2lbook.model import Equation, Mark
from d2lbook.parse.inline import MARKS
from d2lbook.parse.prose import report_control
from d2lbook.parse.source import Source, unix_lines

_START = re.compile(r"(?P<mark>[\[(](?:\*\*|~~))?\$\$")
_END = re.compile(r"(?<!\\)\$\$(?P<mark>(?:\*\*|~~)[\])])?[ \t]*$")
_ENVIRONMENT = re.compile(r"\\begin\{(?P<name>align|alignat|eqnarray|equation|flalign|gather|multline)(?P<star>\*?)\}")
LONGEST = 200  # lines of an environment: a page of beginnings without an end is read in time
# What each is inside a formula that has its number, or none, from the page.
_INNER = {
    "align": "aligned",
    "alignat": "alignedat",
    "flalign": "aligned",
    "gather": "gathered",
    "multline": "gathered",
}
_NUMBERING = re.compile(r"\\(?:nonumber|notag)(?![A-Za-z])[ \t]*")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def find_equation(source: Source, first: int, stop: int) -> int | None:
    """The line behind the equation that starts at line `first`; None when none does."""
    start = _START.match(source.lines[first])
    if start is None:
        return None
    for number in range(first, stop):
        line = source.lines[number]
        if source.blank(number):
            return None
        begin = start.end() if number == first else 0
        end = _END.search(line, begin)
        if end is not None:
            whole = "$$" not in line[begin : end.start()]
            return number + 1 if whole and end["mark"] == MARKS.get(start["mark"] or "") else None
        if "$$" in line[begin:]:
            return None
    return None


def read_equation(source: Source, first: int, stop: int) -> Equation:
    start, end = _START.match(source.lines[first]), _END.search(source.lines[stop - 1])
    if start is None or end is None:
        raise ValueError(f"line {first + 1} starts no equation")
    begin, finish = source.starts[first] + start.end(), source.starts[stop - 1] + end.start()
    raw = source.text[begin:finish]
    for match in _CONTROL.finditer(raw):
        if not (match[0] == "\r" and raw.startswith("\n", match.end())):
            report_control(source, begin + match.start(), match[0])
    tex = unix_lines(raw).strip()
    marks: tuple[Mark, ...] = ()
    if start["mark"]:
        span = source.span(begin - 5, finish + 5)
        marks = (Mark(start["mark"].startswith("["), start["mark"].endswith("~~"), f"$${unix_lines(raw)}$$", span),)
    return Equation(span=source.lines_span(first, stop), tex=tex, marks=marks)


def find_environment(source: Source, first: int, stop: int) -> int | None:
    """The line behind the environment of TeX, such as `align`, that starts at line `first`; None when none does.

    One that does not end before the next blank line is reported, and is a text.
    """
    opening = _ENVIRONMENT.match(source.lines[first])
    if opening is None:
        return None
    closing = f"\\end{{{opening['name']}{opening['star']}}}"
    for number in range(first, min(stop, first + LONGEST)):
        if source.blank(number):
            break
        if closing in source.lines[number]:
            return number + 1 if source.lines[number].rstrip().endswith(closing) else None
    what = f"{opening[0]} has no {closing} before the next blank line; add it, and leave no blank line inside"
    source.warning(source.span(source.starts[first], source.starts[first] + opening.end()), what, "math-unclosed")
    return None


def read_environment(source: Source, first: int, stop: int) -> Equation:
    """An environment as the equation that it is between `$$`: numbered where `:eqlabel:` says so, and nowhere else."""
    return Equation(span=source.lines_span(first, stop), tex=environment_tex(source.raw(first, stop)))


def environment_tex(written: str) -> str:
    """What stands between `$$` for an environment that stands alone."""
    tex = _BLANK_LINES.sub("\n", unix_lines(written).strip())  # with one inside, TeX would stop
    opening = _ENVIRONMENT.match(tex)
    if opening is None:
        return tex
    name = opening["name"]
    inside = tex[opening.end() :].removesuffix(f"\\end{{{name}{opening['star']}}}")
    if "\\tag{" in inside and name in {"align", "alignat", "equation", "gather"}:  # rows with names of their own
        return f"\\begin{{{name}*}}{inside}\\end{{{name}*}}"
    inside = _NUMBERING.sub("", inside)
    if name == "equation":
        return inside.strip()
    if name == "eqnarray":
        return f"\\begin{{array}}{{rcl}}{inside}\\end{{array}}"
    return f"\\begin{{{_INNER[name]}}}{inside}\\end{{{_INNER[name]}}}"
