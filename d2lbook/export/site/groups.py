"""Neighbouring cells, or neighbouring prose, of different frameworks belong together: the reader sees one of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from d2lbook.model import ALL_TABS, Block, Cell, Prose, TabProse
from d2lbook.view import cell_tabs


@dataclass(slots=True)
class Group:
    """A run of blocks no two of which are for the same framework."""

    kind: str  # "code" or "prose"
    book_tabs: tuple[str, ...]
    blocks: list[Cell | TabProse] = field(default_factory=list)

    @property
    def tabs(self) -> tuple[str, ...]:
        present = {tab for block in self.blocks for tab in self.tabs_of(block)}
        return tuple(tab for tab in self.book_tabs if tab in present)

    def tabs_of(self, block: Cell | TabProse) -> tuple[str, ...]:
        return block_tabs(block, self.book_tabs)


def block_tabs(block: Cell | TabProse, tabs: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(block, Cell):
        return cell_tabs(block, tabs)
    return tabs if ALL_TABS in block.tabs else tuple(tab for tab in tabs if tab in block.tabs)


def grouped(blocks: tuple[Block, ...], tabs: tuple[str, ...]) -> Iterator[Block | Group]:
    """The blocks in order, cells and tabs' prose gathered into groups; cells for choosing tabs live are left out."""
    group: Group | None = None
    for block in blocks:
        if isinstance(block, Cell) and block.interact:
            continue
        if isinstance(block, Prose) and not block.text:
            continue
        kind = "code" if isinstance(block, Cell) else "prose"
        if group is not None and not (isinstance(block, Cell | TabProse) and _fits(block, kind, group)):
            yield group
            group = None
        if isinstance(block, Cell | TabProse):
            group = group or Group(kind, tabs)
            group.blocks.append(block)
        else:
            yield block
    if group is not None:
        yield group


def _fits(block: Cell | TabProse, kind: str, group: Group) -> bool:
    return group.kind == kind and not set(group.tabs) & set(block_tabs(block, group.book_tabs))
