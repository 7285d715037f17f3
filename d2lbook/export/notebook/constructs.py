"""Markdown that notebooks do not show as pages do, written so that they do: footnotes, callouts, definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from markdown_it.token import Token

from d2lbook.model import UiStrings
from d2lbook.parse.footnotes import Note, body_of, references
from d2lbook.parse.markdown import block_markdown


def written(text: str, notes: Mapping[str, Note], words: UiStrings) -> str:
    """A block's Markdown with references to notes as links, callouts as quotations, and definitions as HTML."""
    text = _with_links(text, notes)
    if "[!" not in text and ": " not in text and "~ " not in text:
        return text
    lines = text.split("\n")
    tokens = block_markdown().parse(text.replace("\r", " "))  # which would end a line for the parser alone
    for position in range(len(tokens) - 1, -1, -1):  # from the end, so that lines before keep their numbers
        token = tokens[position]
        first, stop = token.map or (0, 0)
        if token.type == "alert_open":
            lines[first : first + 1] = _title(lines[first], words(str(token.meta["kind"]).capitalize()))
        elif token.type == "dl_open" and token.level == 0:
            lines[first:stop] = _definitions(lines, tokens[position + 1 :], stop)
    return "\n".join(lines)


def note(found: Note, resolved: Callable[[str], str]) -> str:
    """A footnote, below its number, to which references lead."""
    return f'<a id="fn-{found.number}"></a><sup>{found.number}</sup> {resolved(body_of(found.block))}'


def _with_links(text: str, notes: Mapping[str, Note]) -> str:
    parts: list[str] = []
    position = 0
    for reference in references(text):
        if reference.name in notes:
            number = notes[reference.name].number
            parts += text[position : reference.start], f"<sup>[{number}](#fn-{number})</sup>"
            position = reference.end
    return "".join([*parts, text[position:]])


def _title(line: str, title: str) -> list[str]:
    """The line of a callout's mark as its title, and a line that keeps it apart from the text."""
    before = line[: line.index("[!")]
    return [f"{before}**{title}**", before.rstrip()]


def _definitions(lines: list[str], tokens: list[Token], stop: int) -> list[str]:
    """A list of definitions, whose blank lines let Markdown in HTML be read as such."""
    made = ["<dl>"]
    for token in tokens:
        if token.type == "dl_close" and token.level == 0:
            break
        first = token.map[0] if token.map else 0
        if token.type == "dt_open" and token.level == 1:
            made += ["<dt>", "", lines[first].strip(), "", "</dt>"]
        elif token.type == "dd_open" and token.level == 1:
            first, end = _marked(lines, first), min(token.map[1] if token.map else stop, stop)
            made += ["<dd>", "", *_dedented(lines[first:end]), "", "</dd>"]
    return [*made, "</dl>", ""]


def _marked(lines: list[str], first: int) -> int:
    """The line with the colon that begins a definition, at or behind `first`."""
    while not lines[first].lstrip().startswith((":", "~")):
        first += 1
    return first


def _dedented(lines: list[str]) -> list[str]:
    head = lines[0].lstrip()[1:].lstrip()
    margin = len(lines[0]) - len(head)
    rest = [line[min(margin, len(line) - len(line.lstrip())) :] for line in lines[1:]]
    while rest and not rest[-1].strip():
        rest.pop()
    return [head, *rest]
