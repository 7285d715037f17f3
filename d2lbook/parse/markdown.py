"""The inline dialect as a markdown-it parser: for exporters that render a block's text."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import reference
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_core import StateCore
from mdit_py_plugins.dollarmath import dollarmath_plugin

from d2lbook.parse.inline import MARKS
from d2lbook.parse.rules import emphasis, mark_rule, role_rule
from d2lbook.security.markup import clean_tags

DEEPEST = 100  # blocks, and spans of emphasis or links, inside each other
_NESTING = re.compile(r"[*_~\[]")


def markdown() -> MarkdownIt:
    """A parser of prose, whose HTML holds nothing that runs or loads."""
    parser = raw_markdown()
    parser.core.ruler.push("d2l_safe_html", _safe_html)
    return parser


def _safe_html(state: StateCore) -> None:
    tokens = list(state.tokens)
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        if token.type in {"html_inline", "html_block"}:
            token.content = clean_tags(token.content)[0]


def raw_markdown() -> MarkdownIt:
    """A parser of prose that leaves HTML as it stands, to look at. Beside markdown-it's own tokens it makes

    - `d2l_role`: `content` is the role's text, `meta["kind"]` its name;
    - `d2l_mark_open`, `d2l_mark_close` around a slide mark's inner tokens: `meta["new_slide"]`, `meta["only_slides"]`;
    - `math_inline` for `$x$`, `math_inline_double` for `$$x$$` inside a text, `math_block` for `$$x$$` alone.
    """
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_space=False, double_inline=True, allow_labels=False)
    parser.block.ruler.at("reference", _definition)
    parser.inline.ruler.before("math_inline", "d2l_role", role_rule)
    parser.inline.ruler.before("strikethrough", "d2l_mark", mark_rule)
    parser.inline.ruler.at("emphasis", emphasis)
    parser.inline.add_terminator_char("(")
    return parser


def _definition(state: StateBlock, first: int, stop: int, silent: bool) -> bool:
    """markdown-it's rule for `[name]: address`; `[**x**]: y` is a slide mark and what follows it."""
    start = state.bMarks[first] + state.tShift[first]
    return state.src[start : start + 3] not in MARKS and reference(state, first, stop, silent)


def is_too_deep(text: str) -> bool:
    """Whether a block's emphasis and links stand in more of their kind than a renderer can follow."""
    if len(text) < 2 * DEEPEST or len(_NESTING.findall(text)) < DEEPEST:
        return False
    tokens = _parser().parse(text)
    return any(child.level > DEEPEST for token in tokens for child in token.children or ())


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return markdown()
