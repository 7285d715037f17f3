"""A page in another language: its text with the translations that can be used, parsed as any page is."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Cell, Container, Document, Heading, Listing
from d2lbook.parse import parse_document
from d2lbook.pycode import parse_cell
from d2lbook.translate.catalog import Catalog, CatalogEntry
from d2lbook.translate.checks.translation import is_plain_literal
from d2lbook.translate.extract import units
from d2lbook.translate.splice import splice
from d2lbook.translate.units import Unit


def translate_document(
    document: Document,
    catalog: Catalog,
    source_lang: str,
    refused: Collection[tuple[str, str]] = (),
    strings: bool = False,
    known: tuple[Unit, ...] | None = None,
    unfit: list[Unit] | None = None,
) -> Document | None:
    """The page with the translations of a catalog; None when that would not be the same page any more.

    A heading, paragraph, list, table or figure with a message that is missing, fuzzy or in `refused` stays in the
    source's language as a whole, and `Block.lang` says so. Comments and docstrings are translated one by one; strings,
    which change what the code prints, only with `strings`. To `unfit` go the texts of code that would be another
    program with them, for which it stays as it is.
    """
    chosen: dict[Unit, str] = {}
    kept: set[int] = set()  # starts of the blocks in the source's language
    every = units(document) if known is None else known
    starts = [unit.start for unit in every]
    for block in _leaves(document.blocks):
        here = every[bisect_left(starts, block.span.start) : bisect_left(starts, block.span.end)]
        usable = {unit: entry.text for unit in here if (entry := _usable(catalog, unit, refused)) is not None}
        if isinstance(block, Cell | Listing):
            texts = {unit: text for unit, text in usable.items() if strings or not unit.optional}
            if _is_same_code(document, block, texts):
                chosen |= texts
            elif unfit is not None:
                unfit += texts
        elif len(usable) == len(here):
            chosen |= usable
        else:
            kept.add(block.span.start)
    run = _parsed(document, {unit: text for unit, text in chosen.items() if unit.optional})
    blocks = _Aligner(source_lang, kept).blocks(
        document.blocks, run.blocks, (shown := _parsed(document, chosen)).blocks
    )
    return replace(shown, blocks=blocks) if blocks is not None else None


def has_strings(catalog: Catalog, known: tuple[Unit, ...], refused: Collection[tuple[str, str]]) -> bool:
    """Whether a catalog translates strings of the page's code."""
    return any(unit.optional and _usable(catalog, unit, refused) is not None for unit in known)


def _parsed(document: Document, chosen: dict[Unit, str]) -> Document:
    return parse_document(splice(document.text, chosen), document.path, Messages()) if chosen else document


def _usable(catalog: Catalog, unit: Unit, refused: Collection[tuple[str, str]]) -> CatalogEntry | None:
    entry = catalog.get(unit)
    return entry if entry is not None and entry.usable and entry.key not in refused else None


def _leaves(blocks: Iterable[Block]) -> Iterable[Block]:
    for block in blocks:
        if isinstance(block, Container):
            yield from _leaves(block.blocks)
        else:
            yield block


@dataclass(frozen=True, slots=True)
class _Aligner:
    """Marks translated blocks with what is known of their sources."""

    lang: str  # the source's
    kept: Collection[int]  # starts of the blocks that are in it

    def blocks(
        self, source: tuple[Block, ...], run: tuple[Block, ...], shown: tuple[Block, ...]
    ) -> tuple[Block, ...] | None:
        """The blocks to show, None when they are others than the source's; `run` has translated strings alone."""
        if not len(source) == len(run) == len(shown):
            return None
        found = [self._block(*blocks) for blocks in zip(source, run, shown, strict=True)]
        return tuple(block for block in found if block is not None) if None not in found else None

    def _block(self, source: Block, run: Block, shown: Block) -> Block | None:
        if not type(source) is type(run) is type(shown):
            return None
        if isinstance(source, Container) and isinstance(run, Container) and isinstance(shown, Container):
            inner = self.blocks(source.blocks, run.blocks, shown.blocks)
            return replace(shown, blocks=inner) if inner is not None else None
        if isinstance(source, Heading) and isinstance(shown, Heading) and not source.labels:
            shown = replace(shown, anchor_title=source.title)
        if isinstance(run, Cell) and isinstance(shown, Cell) and run.source != shown.source:
            shown = replace(shown, run_source=run.source)
        return replace(shown, lang=self.lang) if source.span.start in self.kept else shown


def _is_same_code(document: Document, block: Cell | Listing, chosen: dict[Unit, str]) -> bool:
    """Whether a cell is the same program with these translations."""
    if all(unit.form == "comment" or _is_plain(unit, text) for unit, text in chosen.items()):
        return True
    start, end = block.span.start, block.span.end
    moved = {replace(unit, start=unit.start - start, end=unit.end - start): text for unit, text in chosen.items()}
    return same_program(_body(document.text[start:end]), _body(splice(document.text[start:end], moved)))


def _is_plain(unit: Unit, text: str) -> bool:
    """Whether a text can only be the value of its literal, as the source's is; each line of a comment is one anyway."""
    return is_plain_literal(unit, unit.msgid) and is_plain_literal(unit, text)


def _body(fenced: str) -> str:
    """The lines between the fences."""
    return "\n".join(fenced.replace("\r\n", "\n").split("\n")[1:-1])


def same_program(before: str, after: str) -> bool:
    """Whether two cells differ in nothing but comments, docstrings and the words of strings."""
    try:
        return _shape(before) == _shape(after)
    except SyntaxError:
        return False


@lru_cache(maxsize=5000)  # the source's is asked for in each language
def _shape(code: str) -> list[tuple[object, ...]]:
    """All that a program is but the words of its strings: its parts level by level, each with what it holds."""
    return [(type(node), *_held(node)) for node in parse_cell(code).nodes]


def _held(node: ast.AST) -> Iterator[object]:
    """The fields of a part. Parts in it have a line of their own, and are only told from what is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield [ast.AST if isinstance(item, ast.AST) else item for item in value]
        else:
            yield ast.AST if isinstance(value, ast.AST) else repr(value)  # 1, True and 1.0 are equal
