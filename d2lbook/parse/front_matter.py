"""Front matter, between two lines `---` at the top of a page: of YAML, what titles and lists of names need."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from d2lbook.model import Block, FrontMatter, Heading, Prose, Span
from d2lbook.parse.source import Source

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w -]*?)[ \t]*:(?:[ \t]+(?P<value>\S.*?))?[ \t]*$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>\S.*?)[ \t]*$")
_NAMED = re.compile(r"name[ \t]*:[ \t]*(?P<value>\S.*)$")
_END = re.compile(r"(?:---|\.\.\.)[ \t]*$")
_ONE_OF_LIST = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,"'\[\]{}][^,]*?)\s*(?:,|$)""")
_FIELDS = {"title": "title", "author": "authors", "authors": "authors", "keywords": "keywords", "tags": "keywords"}
_KNOWN = "title, authors and keywords"


@dataclass(slots=True)
class _Reader:
    source: Source
    end: int  # the line with the second `---`
    title: str = ""
    title_span: Span | None = None
    lists: dict[str, list[str]] = field(default_factory=lambda: {"authors": [], "keywords": []})
    key: str = ""  # of the entry at work; empty in one that is left out

    def read(self) -> None:
        for number in range(1, self.end):
            line = self.source.lines[number]
            if line.strip() and not line.lstrip().startswith("#"):
                self._line(number, line)

    def _line(self, number: int, line: str) -> None:
        item = _ITEM.match(line)
        found = _KEY.match(line)
        if item is not None:
            self._item(number, item["value"])
        elif line[0].isspace():
            if self.key:
                self._report(number, "this line belongs to no name; write each as '- name' on a line of its own")
        elif found is None:
            self.key = ""
            self._report(number, "this line of the front matter cannot be read; write 'key: value'")
        else:
            self._entry(number, found)

    def _entry(self, number: int, found: re.Match[str]) -> None:
        self.key = _FIELDS.get(found["key"].lower(), "")
        value = found["value"] or ""
        if not self.key:
            what = f"'{found['key']}' has no effect in front matter, which is read for {_KNOWN}; remove it"
            self.source.warning(self._span(number), what, "front-matter-key")
        elif self.key == "title":
            self._read_title(number, value, found.start("value"))
        elif value.startswith("["):
            self._flow(number, value)
        elif value:
            self.lists[self.key].append(_plain(value))

    def _read_title(self, number: int, value: str, column: int) -> None:
        if not value or value[0] in "[{|>&*!":
            self._report(number, "the title cannot be read; write it on this line, in quotation marks if it has to be")
            return
        self.title = _plain(value)
        quoted = len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]
        start = self.source.starts[number] + column + quoted
        self.title_span = self.source.span(start, start + len(value) - 2 * quoted)

    def _flow(self, number: int, value: str) -> None:
        inside = value.removeprefix("[")
        if not inside.endswith("]"):
            self._report(number, "this list does not end on its line; add ']', or write each name as '- name'")
            return
        inside = inside.removesuffix("]").strip()
        position = 0
        while position < len(inside):
            found = _ONE_OF_LIST.match(inside, position)
            if found is None:
                self._report(number, "this list cannot be read; write each name as '- name' on a line of its own")
                return
            self.lists[self.key].append(_plain(found[1]))
            position = found.end()

    def _item(self, number: int, value: str) -> None:
        if not self.key:
            return
        if self.key == "title":
            self._report(number, "a title is no list; write it behind 'title:'")
            return
        named = _NAMED.match(value)
        self.lists[self.key].append(_plain(named["value"] if named is not None else value))

    def _report(self, number: int, what: str) -> None:
        self.source.error(self._span(number), what, "front-matter")

    def _span(self, number: int) -> Span:
        line = self.source.lines[number]
        start = self.source.starts[number] + len(line) - len(line.lstrip())
        return self.source.span(start, self.source.end(number))


def find_front_matter(source: Source) -> int | None:
    """The line behind the front matter of a page; None when it has none. One that does not end is reported."""
    if len(source) < 2 or source.lines[0].rstrip() != "---" or not _KEY.match(source.lines[1]):
        return None
    for number in range(1, len(source)):
        if _END.match(source.lines[number]):
            return number + 1
        if source.lines[number].startswith(("# ", "```", "$$")) and source.blank(number - 1):
            break
    what = "this front matter does not end; add a line '---' behind it"
    source.error(source.lines_span(0, 1), what, "front-matter")
    return None


def read_front_matter(source: Source, stop: int) -> tuple[FrontMatter, Block]:
    """What it says, and its block: the page's title, unless there is none."""
    reader = _Reader(source, stop - 1)
    reader.read()
    span = source.lines_span(0, stop)
    authors, keywords = (tuple(reader.lists[name]) for name in ("authors", "keywords"))
    front = FrontMatter(span=span, title_span=reader.title_span, authors=authors, keywords=keywords)
    if reader.title:
        return front, Heading(span=span, level=1, title=reader.title)
    return front, Prose(span=span, text="")


def with_one_title(source: Source, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks of a page with front matter: its title is not shown where the page has a heading that is one."""
    first = blocks[0]
    others = [block for block in blocks[1:] if isinstance(block, Heading) and block.level == 1]
    if not isinstance(first, Heading) or not others:
        return blocks
    if others[0].title.strip() != first.title.strip():
        what = f"the title '{first.title}' is not shown: the page's heading in line {others[0].span.line} is another"
        source.warning(first.span, f"{what}; remove one of the two", "front-matter-title")
    named = replace(others[0], labels=(*first.labels, *others[0].labels))
    nothing = Prose(span=first.span, text="")
    return (nothing, *(named if block is others[0] else block for block in blocks[1:]))


def _plain(value: str) -> str:
    """A value without its quotation marks."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value
