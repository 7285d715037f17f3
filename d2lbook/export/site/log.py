"""Sphinx's warnings as messages of the build, each with its place on a page of the book."""

from __future__ import annotations

import logging

from d2lbook.messages import Messages


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
        self.messages.error(path, line, 0, text if own else f"Sphinx: {text}", code)

    def _place(self, record: logging.LogRecord) -> tuple[str, int]:
        location = getattr(record, "location", None) or ""
        if not isinstance(location, str):
            location = f"{getattr(location, 'source', '')}:{getattr(location, 'line', '') or 0}"
        path, _, line = location.rpartition(":")
        if not path or not line.isdecimal():
            path, line = location, "0"
        path = path.removesuffix(".md")
        page = max((name for name in self.pages if path == name or path.endswith("/" + name)), key=len, default="")
        return page, int(line)
