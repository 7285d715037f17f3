"""A page in another language: its text with the translations that can be used, parsed as any page is."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable
from dataclasses import replace

from d2lbook.messages import Messages
from d2lbook.model import Block, Cell, Document, Heading, Listing, Solution, TabProse
from d2lbook.parse import parse_document
from d2lbook.pycode import docstring_node, parse_cell
from d2lbook.translate.catalog import Catalog, Entry
from d2lbook.translate.extract import units
from d2lbook.translate.splice import splice
from d2lbook.translate.units import Unit


def translate_document(
    document: Document, catalog: Catalog, source_lang: str, refused: Collection[tuple[str, str]] = (),
    strings: bool = False, known: tuple[Unit, ...] | None = None,
) -> Document | None:  # fmt: skip
    """The page with the translations of a catalog; None when that would not be the same page any more.

    A heading, paragraph, list, table or figure with a message that is missing, fuzzy or in `refused` stays in the
    source's language as a whole, and `Block.lang` says so. Comments and docstrings are translated one by one; strings,
    which change what the code prints, only with `strings`.
    """
    chosen: dict[Unit, str] = {}
    kept: set[int] = set()  # starts of the blocks in the source's language
    every = units(document) if known is None else known
    starts = [unit.start for unit in every]
    for block in _leaves(document.blocks):
        here = every[bisect_left(starts, block.span.start) : bisect_left(starts, block.span.end)]
        usable = {unit: entry.text for unit in here if (entry := _usable(catalog, unit, refused)) is not None}
        if isinstance(block, Cell | Listing):
            chosen |= _code(document, block, {u: text for u, text in usable.items() if strings or not u.optional})
        elif len(usable) == len(here):
            chosen |= usable
        else:
            kept.add(block.span.start)
    if not chosen:
        return _untranslated(document, source_lang, kept)
    translated = parse_document(splice(document.text, chosen), document.path, Messages())
    blocks = _aligned(document.blocks, translated.blocks, source_lang, kept)
    return replace(translated, blocks=blocks) if blocks is not None else None


def _usable(catalog: Catalog, unit: Unit, refused: Collection[tuple[str, str]]) -> Entry | None:
    entry = catalog.get(unit)
    return entry if entry is not None and entry.usable and entry.key not in refused else None


def _untranslated(document: Document, source_lang: str, kept: Collection[int]) -> Document:
    blocks = _aligned(document.blocks, document.blocks, source_lang, kept)
    return replace(document, blocks=blocks) if blocks is not None else document


def _leaves(blocks: Iterable[Block]) -> Iterable[Block]:
    for block in blocks:
        if isinstance(block, TabProse | Solution):
            yield from _leaves(block.blocks)
        else:
            yield block


def _aligned(
    source: tuple[Block, ...], translated: tuple[Block, ...], lang: str, kept: Collection[int]
) -> tuple[Block, ...] | None:
    """The translated blocks, marked where they are in the source's language; None when they are not the same ones."""
    if len(source) != len(translated):
        return None
    blocks: list[Block] = []
    for before, block in zip(source, translated, strict=True):
        if type(before) is not type(block):
            return None
        if isinstance(block, TabProse | Solution) and isinstance(before, TabProse | Solution):
            inner = _aligned(before.blocks, block.blocks, lang, kept)
            if inner is None:
                return None
            block = replace(block, blocks=inner)
        if isinstance(block, Heading) and isinstance(before, Heading) and not before.labels:
            block = replace(block, anchor_title=before.title)
        if isinstance(block, Cell) and isinstance(before, Cell) and block.source != before.source:
            block = replace(block, run_source=before.source)
        blocks.append(replace(block, lang=lang) if before.span.start in kept else block)
    return tuple(blocks)


def _code(document: Document, block: Cell | Listing, chosen: dict[Unit, str]) -> dict[Unit, str]:
    """The translations in a cell's code, if it stays the same program with them; else none."""
    if not chosen:
        return chosen
    start, end = block.span.start, block.span.end
    moved = {replace(unit, start=unit.start - start, end=unit.end - start): text for unit, text in chosen.items()}
    before = _body(document.text[start:end])
    after = _body(splice(document.text[start:end], moved))
    return chosen if same_program(before, after) else {}


def _body(fenced: str) -> str:
    """The lines between the fences."""
    return "\n".join(fenced.replace("\r\n", "\n").split("\n")[1:-1])


def same_program(before: str, after: str) -> bool:
    """Whether two cells differ in nothing but comments, docstrings and the words of strings."""
    try:
        return _shape(before) == _shape(after)
    except SyntaxError:
        return False


def _shape(code: str) -> str:
    tree = ast.parse(parse_cell(code).source)  # a tree of our own: the cached one is not to be changed
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and (doc := docstring_node(node)):
            doc.value = ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree)
