"""A page's text as a `Document`: lines to blocks. Each construct has a file of its own; this one is their index."""

from __future__ import annotations

from dataclasses import dataclass, field

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Document, Figure, Footnote, Heading, Listing, Prose, Solution, Span, Table, TabProse
from d2lbook.parse.block_builder import Sequence
from d2lbook.parse.cells import split_tabs
from d2lbook.parse.definitions import with_addresses
from d2lbook.parse.equations import find_environment, find_equation, read_environment, read_equation
from d2lbook.parse.fences import find_fence, opens_fence, read_fence
from d2lbook.parse.figures import split_image
from d2lbook.parse.footnotes import check_footnotes
from d2lbook.parse.front_matter import find_front_matter, read_front_matter, with_one_title
from d2lbook.parse.line_marks import ContainerMark, caption_text, container_mark, find_caption, read_alone
from d2lbook.parse.markdown import DEEPEST, is_too_deep
from d2lbook.parse.markdown_blocks import MarkdownBlock, split_markdown
from d2lbook.parse.prose import Inline, read_inline
from d2lbook.parse.source import Source, unix_lines

_DEEPEST = 20  # tabs and solutions inside each other
_SPECIAL = frozenset("`~:$[(\\")  # what a line that is not plain Markdown starts with


def parse_document(text: str, path: str, messages: Messages) -> Document:
    """The document in `text`, the exact content of the file `path` (relative to the book's root).

    What is wrong goes to `messages`; whatever the text, the result holds all of it.
    """
    source = Source(path, text, messages)
    stop = find_front_matter(source)
    if stop is None:
        front, blocks = None, _Reader(source).read()
    else:
        front, head = read_front_matter(source, stop)
        blocks = with_one_title(source, _Reader(source, stop).read(head))
    check_footnotes(source, blocks)
    return Document(path, text, with_addresses(source, blocks), front)


@dataclass(slots=True)
class _Reader:
    source: Source
    position: int = 0  # the next line to read
    open: list[str] = field(default_factory=list)  # kinds of the containers around the position

    def read(self, *before: Block) -> tuple[Block, ...]:
        """The blocks from the position on, behind those `before` it."""
        sequence = Sequence(self.source)
        for block in before:
            sequence.add(block)
        self._read_level(sequence)
        return sequence.finished()

    def _read_level(self, sequence: Sequence) -> None:
        """Reads blocks until the end mark of an open container, or the end of the page."""
        source = self.source
        while self.position < len(source):
            number = self.position
            if source.blank(number):
                self.position += 1
                continue
            if source.lines[number][0] not in _SPECIAL:
                self._read_markdown(sequence)
                continue
            mark = container_mark(source.lines[number])
            if mark is not None and mark.begins:
                self._read_container(sequence, mark)
            elif mark is not None and mark.kind in self.open:
                return
            elif mark is not None:
                self._report_stray_end(sequence, mark)
            elif not self._read_special(sequence):
                self._read_markdown(sequence)

    def _read_special(self, sequence: Sequence) -> bool:
        """Reads the construct that starts at this line; False when it is plain Markdown."""
        source, number = self.source, self.position
        if opens_fence(source.lines[number]):
            fence = find_fence(source, number, len(source))
            self.position = fence.stop
            sequence.add(read_fence(source, fence))
            return True
        if marks := read_alone(source, number):
            self.position += 1
            for mark in marks:
                sequence.take(mark)
            return True
        if (stop := find_equation(source, number, len(source))) is not None:
            self.position = stop
            sequence.add(read_equation(source, number, stop))
            return True
        if (stop := find_environment(source, number, len(source))) is not None:
            self.position = stop
            sequence.add(read_environment(source, number, stop))
            return True
        if source.lines[number].startswith(":") and (found := find_caption(source, number, len(source))):
            self.position = found[1]
            self._read_markdown(sequence, caption=(number, found[0]))
            return True
        return False

    def _read_container(self, sequence: Sequence, mark: ContainerMark) -> None:
        source, number = self.source, self.position
        if len(self.open) >= _DEEPEST:
            span = source.lines_span(number, number + 1)
            source.error(span, f"more than {_DEEPEST} tabs or solutions inside each other", "nesting")
            sequence.add_nothing(span)
            self.position += 1
            return
        tabs = self._tabs(mark) if mark.kind == "tab" else ()
        start = source.starts[number] + mark.rest_start + mark.rest.startswith("`")
        tab_span = source.span(start, start + len(mark.rest.strip("`")))
        self.position += 1
        self.open.append(mark.kind)
        inner = Sequence(source)
        self._read_level(inner)
        blocks = inner.finished()
        self._close(number, mark.kind)
        span = source.lines_span(number, self.position)
        if mark.kind == "tab":
            sequence.add(TabProse(span=span, tabs=tabs, tab_span=tab_span, blocks=blocks))
        else:
            sequence.add(Solution(span=span, blocks=blocks))

    def _tabs(self, mark: ContainerMark) -> tuple[str, ...]:
        rest = mark.rest
        quoted = len(rest) > 2 and rest[0] == rest[-1] == "`"
        if tabs := split_tabs(rest.strip("`")) if quoted else ():
            return tabs
        span = self.source.lines_span(self.position, self.position + 1)
        why = "; name them as in :begin_tab:`a, b`; until then the text is shown for all"
        self.source.warning(span, f":begin_tab: names no frameworks{why}", "tab-empty")
        return ("all",)

    def _close(self, number: int, kind: str) -> None:
        """Takes the end mark of the container that line `number` began, or reports that there is none."""
        source = self.source
        self.open.pop()
        mark = container_mark(source.lines[self.position]) if self.position < len(source) else None
        if mark is not None and mark.kind == kind:
            self.position += 1
            return
        where = f" before the :end_{mark.kind}: in line {self.position + 1}" if mark is not None else ""
        span = source.lines_span(number, number + 1)
        source.error(span, f":begin_{kind}: is not closed{where}; add :end_{kind}: behind its text", f"{kind}-unclosed")

    def _report_stray_end(self, sequence: Sequence, mark: ContainerMark) -> None:
        span = self.source.lines_span(self.position, self.position + 1)
        what = f":end_{mark.kind}: closes nothing; remove it, or add its :begin_{mark.kind}:"
        self.source.error(span, what, f"{mark.kind}-stray")
        sequence.add_nothing(span)
        self.position += 1

    def _read_markdown(self, sequence: Sequence, caption: tuple[int, int] | None = None) -> None:
        """Reads the lines from here to the next line that starts a construct of ours."""
        first = self.position
        inside = False  # whether between two `$$`, where an environment is part of their formula
        while self.position == first or (
            self.position < len(self.source) and not self._interrupts(self.position, inside)
        ):
            inside ^= self.source.lines[self.position].count("$$") % 2 == 1
            self.position += 1
        for block in split_markdown(self.source.joined(first, self.position)):
            if caption is not None and block.kind != "table":  # a line with a bar that begins no table
                self._add_markdown(sequence, caption[0], MarkdownBlock("paragraph", 0, caption[1] - caption[0]), None)
                caption = None
            self._add_markdown(sequence, first, block, caption)
            caption = None

    def _interrupts(self, number: int, inside: bool) -> bool:
        """Whether a construct of ours starts at a line that follows Markdown."""
        line = self.source.lines[number]
        if not line or line[0] not in _SPECIAL:
            return False
        if line[0] == "\\":
            return not inside and find_environment(self.source, number, len(self.source)) is not None
        if line[0] == ":":
            return (
                container_mark(line) is not None
                or bool(read_alone(self.source, number))
                or find_caption(self.source, number, len(self.source)) is not None
            )
        return opens_fence(line) or find_equation(self.source, number, len(self.source)) is not None

    def _add_markdown(
        self, sequence: Sequence, base: int, block: MarkdownBlock, caption: tuple[int, int] | None
    ) -> None:
        source = self.source
        first, stop = base + block.first, base + block.stop
        while stop > first + 1 and source.blank(stop - 1):
            stop -= 1
        span = source.lines_span(first, stop)
        inline = read_inline(source, span.start, span.end)
        text = unix_lines(source.raw(first, stop))
        image = split_image(text) if block.kind == "paragraph" else None
        if block.kind == "fence":
            sequence.add(Listing(span=span, info=block.info, text=block.content.removesuffix("\n")))
        elif block.kind == "heading":
            sequence.add(Heading(span=span, level=block.level, title=block.content, roles=inline.roles))
        elif block.kind == "table":
            sequence.add(self._table(text, span, inline, caption))
        elif block.kind == "footnote":
            sequence.add(Footnote(span=span, name=block.content, text=text, roles=inline.roles))
        elif image is not None:
            sequence.add(Figure(span=span, caption=image[0], target=image[1], roles=inline.roles))
        else:
            sequence.add(Prose(span=span, text=text, roles=inline.roles, marks=inline.marks))
        sequence.note_lone_marks(inline.lone)
        if block.too_deep or is_too_deep(text) or (caption is not None and is_too_deep(source.joined(*caption))):
            what = f"more than {DEEPEST} lists, quotations or kinds of emphasis inside each other; take some apart"
            source.error(span, what, "nesting")

    def _table(self, text: str, span: Span, inline: Inline, caption: tuple[int, int] | None) -> Table:
        if caption is None:
            return Table(span=span, text=text, roles=inline.roles, marks=inline.marks)
        words, start, end = caption_text(self.source, *caption)
        of_caption = read_inline(self.source, start, end)
        whole = self.source.span(self.source.starts[caption[0]], span.end)
        return Table(
            span=whole,
            text=text,
            caption=words,
            roles=of_caption.roles + inline.roles,
            marks=of_caption.marks + inline.marks,
        )
