"""From a page's text to its model. `document` lists the constructs; each has a file of its own."""

from d2lbook.parse.document import parse_document
from d2lbook.parse.markdown import markdown, raw_markdown

__all__ = ["markdown", "parse_document", "raw_markdown"]
