"""Neighbouring cells, or neighbouring prose, of different frameworks are one group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from d2lbook.model import ALL_TABS, Block, Cell, TabProse
from d2lbook.view import cell_tabs


@dataclass(frozen=True, slots=True)
class Cluster:
    """Blocks of one kind whose frameworks differ, in source order."""

    members: tuple[tuple[Block, tuple[str, ...]], ...]  # each with the frameworks it is for

    @property
    def tabs(self) -> frozenset[str]:
        return frozenset(tab for _, tabs in self.members for tab in tabs)


def block_tabs(block: Block, tabs: tuple[str, ...]) -> tuple[str, ...] | None:
    """The frameworks, among `tabs`, that a cell or tabs' prose is for; None for what is for everybody."""
    if isinstance(block, Cell):
        return cell_tabs(block, tabs)
    if isinstance(block, TabProse):
        return tuple(tab for tab in tabs if tab in block.tabs or ALL_TABS in block.tabs)
    return None


def clustered(blocks: tuple[Block, ...], tabs: tuple[str, ...]) -> Iterator[Block | Cluster]:
    """The blocks in order; cells and tabs' prose in clusters. A cluster ends where a framework would come twice."""
    members: list[tuple[Block, tuple[str, ...]]] = []
    for block in blocks:
        if isinstance(block, Cell) and block.interact:
            continue
        own = block_tabs(block, tabs)
        if members and (own is None or _breaks(members, block, own)):
            yield Cluster(tuple(members))
            members = []
        if own is None:
            yield block
        elif own:
            members.append((block, own))
    if members:
        yield Cluster(tuple(members))


def _breaks(members: list[tuple[Block, tuple[str, ...]]], block: Block, own: tuple[str, ...]) -> bool:
    if type(members[0][0]) is not type(block):
        return True
    return any(tab in tabs for _, tabs in members for tab in own)
