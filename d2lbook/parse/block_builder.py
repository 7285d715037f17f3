"""Blocks in the making: a label, size or caption joins the block it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from d2lbook.diagnostics import likely
from d2lbook.model import ApiListing, Bibliography, Block, Equation, Figure, Heading, Label, Prose, Span, Table
from d2lbook.parse.line_marks import Alone
from d2lbook.parse.long_marks import join_marks
from d2lbook.parse.prose import LoneEnd
from d2lbook.parse.source import Source
from d2lbook.parse.trailing_equation import split_off_equation

FIGURE_MARKS = ("width", "height", "alt", "interactive")  # each the name of a figure's field
REFERENCE_PARTS = ("definitions", "aliases")


@dataclass(slots=True)
class Sequence:
    """The blocks of one level: of the page, of a tab's prose, or of a solution."""

    source: Source
    blocks: list[Block] = field(default_factory=list)
    nameable: int | None = None  # position of the last heading, figure or table
    lone: list[tuple[int, LoneEnd]] = field(default_factory=list)  # with the position of their block

    def add(self, block: Block) -> None:
        if isinstance(block, Heading | Figure | Table):
            self.nameable = len(self.blocks)
        self.blocks.append(block)

    def note_lone_marks(self, ends: tuple[LoneEnd, ...]) -> None:
        """Remembers the ends of slide marks that have no partner in the block added last."""
        self.lone += [(len(self.blocks) - 1, end) for end in ends]

    def finished(self) -> tuple[Block, ...]:
        """All blocks, when no more are to come."""
        join_marks(self.source, self.blocks, self.lone)
        return tuple(self.blocks)

    def add_nothing(self, span: Span) -> None:
        """A block for a line that stands for nothing, so that every character belongs to a block."""
        self.blocks.append(Prose(span=span, text=""))

    def take(self, mark: Alone) -> None:
        """Hands a mark to the block before it, or reports that there is none for it."""
        if mark.kind == "bibliography":
            self.add(Bibliography(span=mark.span, file=mark.text))
            return
        if not mark.text:
            self.source.warning(mark.span, f":{mark.kind}: is empty; fill it in, or remove it", "role-empty")
            self._join_or_nothing(mark.span)
            return
        if mark.kind == "library":
            self._add_reference(mark)
            return
        joined = self._joined(mark)
        if joined is not None:
            self.blocks[-1] = joined
        elif mark.kind == "label":
            self._label_from_afar(mark)
        else:
            self._report_stray(mark)

    def _add_reference(self, mark: Alone) -> None:
        if mark.text in REFERENCE_PARTS:
            self.add(ApiListing(span=mark.span, part=mark.text))
            return
        hint = likely(mark.text, REFERENCE_PARTS, f"there are {', '.join(REFERENCE_PARTS)}")
        self.source.error(mark.span, f"a library has no part '{mark.text}' to list; {hint}", "library-part")
        self.add_nothing(mark.span)

    def _join_or_nothing(self, span: Span) -> None:
        if self.blocks:
            self.blocks[-1] = _extended(self.blocks[-1], span)
        else:
            self.add_nothing(span)

    def _joined(self, mark: Alone) -> Block | None:
        """The block before the mark, with it; None when it is not of a kind that takes such a mark."""
        before = self.blocks[-1] if self.blocks else None
        label = Label(mark.text, mark.span)
        if mark.kind == "eqlabel" and isinstance(before, Prose):
            self.blocks[-1:] = split_off_equation(self.source, before)
            before = self.blocks[-1]
        if mark.kind == "eqlabel" and isinstance(before, Equation):
            return _extended(_labelled(before, label), mark.span)
        if mark.kind == "label" and isinstance(before, Figure | Table | Heading):
            return _extended(_labelled(before, label), mark.span)
        if isinstance(before, Figure) and mark.kind in FIGURE_MARKS:
            return _extended(self._measured(before, mark), mark.span)
        return None

    def _measured(self, figure: Figure, mark: Alone) -> Figure:
        if getattr(figure, mark.kind):
            self.source.warning(mark.span, f"a second :{mark.kind}: of this figure; this one counts", "mark-twice")
        change: dict[str, Any] = {mark.kind: mark.text}
        return replace(figure, **change)

    def _label_from_afar(self, mark: Alone) -> None:
        """A label with prose between it and its heading, figure or table: upstream looks upwards, and so do we."""
        if self.nameable is None:
            self._report_stray(mark)
            return
        block = self.blocks[self.nameable]
        what = f"the label belongs to the {type(block).__name__.lower()} in line {block.span.line}"
        self.source.warning(mark.span, f"{what}; move it there", "label-stray")
        self.blocks[self.nameable] = _labelled(block, Label(mark.text, mark.span))
        self.add_nothing(mark.span)

    def _report_stray(self, mark: Alone) -> None:
        place = {
            "label": "heading, figure or table that it could name",
            "eqlabel": "equation that it could number",
        }.get(mark.kind, f"figure that the :{mark.kind}: could be for")
        code = "label-stray" if mark.kind in {"label", "eqlabel"} else "mark-stray"
        self.source.error(mark.span, f"there is no {place} before this; move it below one", code)
        self.add_nothing(mark.span)


def _labelled(block: Block, label: Label) -> Block:
    if isinstance(block, Heading):
        return replace(block, labels=(*block.labels, label))
    if isinstance(block, Figure | Table | Equation):
        if block.label is None:
            return replace(block, label=label)
        return replace(block, more_labels=(*block.more_labels, label))
    return block


def _extended(block: Block, span: Span) -> Block:
    return replace(block, span=replace(block.span, end=max(block.span.end, span.end)))
