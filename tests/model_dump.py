"""A document's model as text: a line per block, places as line:column, fields that hold something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from d2lbook.model import Block, Document, Span


def dump(document: Document) -> str:
    return "".join(f"{line}\n" for block in document.blocks for line in _block_lines(document, block, ""))


def _block_lines(document: Document, block: Block, indent: str) -> Iterator[str]:
    values = {item.name: getattr(block, item.name) for item in fields(block)}
    children = values.pop("blocks", ())
    shown = [f"{name}={_shown(document, value)}" for name, value in values.items() if name != "span" and _says(value)]
    yield f"{indent}{type(block).__name__} {_place(document, block.span)}"
    yield from (f"{indent}    {line}" for line in shown)
    for child in children:
        yield from _block_lines(document, child, indent + "  ")


def _says(value: object) -> bool:
    return value not in ("", (), None, False)


def _place(document: Document, span: Span) -> str:
    inside = document.text[span.start : span.end]
    lines = inside.split("\n")
    last = span.line + len(lines) - 1
    column = len(lines[-1]) + (span.column if len(lines) == 1 else 1)
    return f"{span.line}:{span.column}-{last}:{column}"


def _shown(document: Document, value: object) -> str:
    if isinstance(value, Span):
        return _place(document, value)
    if isinstance(value, tuple):
        return f"[{', '.join(_shown(document, item) for item in value)}]"
    if is_dataclass(value):
        parts = [_shown(document, getattr(value, item.name)) for item in fields(value)]
        return f"{type(value).__name__}({', '.join(parts)})"
    return repr(value)
