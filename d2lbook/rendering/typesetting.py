"""The formulas of pages, typeset before the pages are, so that mistakes in them are known with their exact place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from markdown_it.token import Token

from d2lbook.diagnostics import Messages
from d2lbook.model import Block, Document, Equation, Page, markdown_of
from d2lbook.parse import markdown
from d2lbook.rendering.formulas import Formula, Formulas

_MATH = {"math_inline": False, "math_inline_double": True, "math_block": True}


def begin(pages: Iterable[Page], formulas: Formulas) -> None:
    """Has the formulas of pages typeset while something else is done, where no page's have been yet."""
    with suppress(OSError):  # a head start: `load` will try again, and say what is wrong
        formulas.begin(formula for page in pages for _, formula in formulas_of(page.document))


def load_formulas(pages: Iterable[Page], formulas: Formulas) -> None:
    """Typesets the formulas of some pages, all at once."""
    formulas.load(formula for page in pages for _, formula in formulas_of(page.document))


def typeset(pages: Iterable[Page], formulas: Formulas, messages: Messages) -> None:
    """Typesets the formulas of some pages; a formula that is not TeX is an error at its place."""
    documents = [page.document for page in pages]
    found = [(document, block, formula) for document in documents for block, formula in formulas_of(document)]
    formulas.load(formula for _, _, formula in found)
    for document, block, (tex, display) in found:
        result = formulas.get(tex, display)
        if result.error:
            line, column = _place(document, block, tex, result.position)
            text = f"{result.error.rstrip('.')}; mend this formula"
            messages.error(document.path, line, column, text, "formula-syntax")


def _place(document: Document, block: Block, tex: str, position: int) -> tuple[int, int]:
    """Line and column of a position in a formula; the block's when the formula is not found as it stands."""
    start = document.text.find(tex, block.span.start, block.span.end)
    if start < 0:
        return block.span.line, block.span.column
    before = document.text[: start + position]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def formulas_of(document: Document) -> list[tuple[Block, Formula]]:
    """The formulas of a page; looked for once."""
    known: list[tuple[Block, Formula]] | None = document.memo.get("formulas")
    if known is None:
        known = document.memo["formulas"] = list(_formulas_in(document))
    return known


def _formulas_in(document: Document) -> Iterator[tuple[Block, Formula]]:
    for block in document.walk():
        for text in markdown_of(block):
            if "$" in text or "\\begin{" in text:
                yield from ((block, formula) for formula in _in_tokens(markdown().parse(text)))
        if isinstance(block, Equation):
            yield block, (block.tex.strip(), True)


def _in_tokens(tokens: list[Token]) -> Iterator[Formula]:
    for token in tokens:
        if token.type in _MATH:
            yield token.content.strip(), _MATH[token.type]
        elif token.children:
            yield from _in_tokens(token.children)
