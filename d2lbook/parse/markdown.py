"""The inline dialect as a markdown-it parser: for exporters that render a block's text."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import reference
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.rules_core import StateCore
from mdit_py_plugins.amsmath import amsmath_block
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from d2lbook.parse.equations import LONGEST, environment_tex
from d2lbook.parse.inline import MARKS
from d2lbook.parse.rules import emphasis, mark_rule, role_rule
from d2lbook.security.markup import clean_tags

DEEPEST = 100  # blocks, and spans of emphasis or links, inside each other
_NESTING = re.compile(r"[*_~\[]")


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """The parser of prose, whose HTML holds nothing that runs or loads."""
    parser = _new_parser()
    parser.core.ruler.push("d2l_safe_html", _safe_html)
    return parser


def _safe_html(state: StateCore) -> None:
    tokens = list(state.tokens)
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        if token.type in {"html_inline", "html_block"}:
            token.content = clean_tags(token.content)[0]


@lru_cache(maxsize=1)
def raw_markdown() -> MarkdownIt:
    """The parser of prose that leaves HTML as it stands, to look at. Beside markdown-it's own tokens it makes

    - `d2l_role`: `content` is the role's text, `meta["kind"]` its name;
    - `d2l_mark_open`, `d2l_mark_close` around a slide mark's inner tokens: `meta["new_slide"]`, `meta["only_slides"]`;
    - `math_inline` for `$x$`, `math_inline_double` for `$$x$$` inside a text, `math_block` for `$$x$$` alone;
      it stands for an environment of TeX such as `align` inside a list or quotation, too;
    - `alert_open`, `alert_close` around a callout: `meta["kind"]`;
    - `meta["checked"]` of a `list_item_open` that is a task;
    - `footnote_ref`: `meta["label"]`; `footnote_reference_open`, `footnote_reference_close` around a note;
    - `dl_open`, `dt_open`, `dd_open` of a list of definitions.
    """
    return _new_parser()


def _new_parser() -> MarkdownIt:
    parser = _with_blocks(MarkdownIt("commonmark", {"maxNesting": DEEPEST})).enable("strikethrough")
    parser.use(dollarmath_plugin, allow_space=False, double_inline=True, allow_labels=False)
    parser.block.ruler.at("reference", _definition)
    parser.inline.ruler.before("math_inline", "d2l_role", role_rule)
    parser.inline.ruler.before("strikethrough", "d2l_mark", mark_rule)
    parser.inline.ruler.at("emphasis", emphasis)
    parser.inline.add_terminator_char("(")
    return parser


@lru_cache(maxsize=1)
def block_markdown() -> MarkdownIt:
    """The parser of blocks alone, which leaves the text inside them as it stands."""
    return new_block_markdown()


def new_block_markdown() -> MarkdownIt:
    """Another such parser, whose rules may be changed."""
    parser = _with_blocks(MarkdownIt("commonmark", {"maxNesting": DEEPEST}))
    return parser.disable(["inline", "text_join"], True)


def _with_blocks(parser: MarkdownIt) -> MarkdownIt:
    """Adds the blocks that are not CommonMark's own, for whoever looks at a page the same ones."""
    parser.options["alerts"] = parser.options["tasklists"] = True
    parser.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True).use(deflist_plugin)
    parser.block.ruler.before("blockquote", "amsmath", _environment)
    return parser.enable("table")


def _environment(state: StateBlock, first: int, stop: int, silent: bool) -> bool:
    """An environment of TeX as the formula that it is between two `$$`."""
    if not amsmath_block(state, first, min(stop, first + LONGEST), silent):
        return False
    if not silent:
        token = state.tokens[-1]
        token.type, token.content, token.map = "math_block", environment_tex(token.content), [first, state.line]
    return True


def _definition(state: StateBlock, first: int, stop: int, silent: bool) -> bool:
    """markdown-it's rule for `[name]: address`; `[**x**]: y` is a slide mark and what follows it."""
    start = state.bMarks[first] + state.tShift[first]
    return state.src[start : start + 3] not in MARKS and reference(state, first, stop, silent)


def is_too_deep(text: str) -> bool:
    """Whether a block's emphasis and links stand in more of their kind than a renderer can follow."""
    if len(text) < 2 * DEEPEST or len(_NESTING.findall(text)) < DEEPEST:
        return False
    tokens = markdown().parse(text)
    return any(child.level > DEEPEST for token in tokens for child in token.children or ())
