"""The inline dialect as a markdown-it parser: for exporters that render a block's text."""

from __future__ import annotations

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from d2lbook.parse.rules import emphasis, mark_rule, role_rule


def markdown() -> MarkdownIt:
    """A parser of prose. Beside markdown-it's own tokens it makes

    - `d2l_role`: `content` is the role's text, `meta["kind"]` its name;
    - `d2l_mark_open`, `d2l_mark_close` around a slide mark's inner tokens: `meta["new_slide"]`, `meta["only_slides"]`;
    - `math_inline` for `$x$`, `math_inline_double` for `$$x$$` inside a text, `math_block` for `$$x$$` alone.
    """
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.use(dollarmath_plugin, allow_space=False, double_inline=True, allow_labels=False)
    parser.inline.ruler.before("math_inline", "d2l_role", role_rule)
    parser.inline.ruler.before("strikethrough", "d2l_mark", mark_rule)
    parser.inline.ruler.at("emphasis", emphasis)
    parser.inline.add_terminator_char("(")
    return parser
