"""reStructuredText of an `eval_rst` fence as LaTeX, by docutils."""

from __future__ import annotations

from docutils.core import publish_parts
from docutils.utils import SystemMessage


class BadRst(Exception):
    """What docutils says of it."""


def rst_to_latex(text: str) -> str:
    """LaTeX for the middle of a page, with the commands that it needs. Raises BadRst."""
    settings = {
        "halt_level": 3,
        "report_level": 5,
        "warning_stream": False,
        "input_encoding": "unicode",
        "use_latex_citations": True,
        "sectnum_xform": False,
        "syntax_highlight": "none",
        "raw_enabled": False,
        "legacy_column_widths": False,
        "file_insertion_enabled": False,
        "_disable_config": True,
    }
    try:
        parts = publish_parts(text, writer="xelatex", settings_overrides=settings)
    except SystemMessage as error:
        reason = str(error).split(") ", 1)[-1].strip().split("\n")[0]
        raise BadRst(reason) from error
    except ValueError as error:  # of a picture that is no file
        raise BadRst(str(error).rstrip(".")) from error
    return f"{parts['fallbacks']}\n{parts['body']}\n"
