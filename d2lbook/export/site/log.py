"""Sphinx's warnings as messages of the build, each with its place on a page of the book."""

from __future__ import annotations

import logging

from docutils import nodes

from d2lbook.diagnostics import Messages


class MessageHandler(logging.Handler):
    """Collects every warning and error that Sphinx, docutils or the theme reports."""

    def __init__(self, messages: Messages, pages: frozenset[str], config_name: str) -> None:
        super().__init__(logging.WARNING)
        self.messages, self.pages, self.config_name = messages, pages, config_name
        self.reported: set[str] = set()  # pages that something was found on; "" for the site as a whole

    def emit(self, record: logging.LogRecord) -> None:
        page, line = self._place(record)
        self.reported.add(page)
        path = f"{page}.md" if page else self.config_name
        own = getattr(record, "type", None) == "d2l"
        text = " ".join(record.getMessage().split())
        code = str(getattr(record, "subtype", "")) if own else "sphinx"
        self.messages.error(path, line, 1 if own and line else 0, text if own else f"Sphinx: {text}", code)

    def _place(self, record: logging.LogRecord) -> tuple[str, int]:
        path, line = _location(getattr(record, "location", None))
        path = path.removesuffix(".md")
        page = max((name for name in self.pages if path == name or path.endswith("/" + name)), key=len, default="")
        return page, line


def _location(location: object) -> tuple[str, int]:
    """File and line of what a warning is about: a pair, a node, or "file:line"."""
    if isinstance(location, tuple):
        return str(location[0]), int(location[1] or 0)
    if isinstance(location, nodes.Node):
        return str(location.source or ""), int(location.line or 0)
    path, _, line = str(location or "").rpartition(":")
    return (path, int(line)) if path and line.isdecimal() else (str(location or ""), 0)
