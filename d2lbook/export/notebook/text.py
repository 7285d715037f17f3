"""A notebook as the text of its file: what nbformat's own writer gives, of which a site has several hundred, in a
fifth of its time. The tests hold the two against each other and have nbformat validate what is written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

_quoted = json.encoder.encode_basestring
_LINES = ("text/", "image/svg+xml", "application/javascript")  # what an output holds as a list of lines


def notebook_text(cells: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any]) -> str:
    """A notebook of nbformat 4.5, as JSON."""
    content = {"cells": list(map(_split, cells)), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return _written(content, "\n") + "\n"


def _split(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A cell whose texts are lists of lines."""
    split = {**cell, "source": cell["source"].splitlines(keepends=True)}
    return split | {"outputs": list(map(_split_output, cell["outputs"]))} if "outputs" in cell else split


def _split_output(output: Mapping[str, Any]) -> dict[str, Any]:
    if "text" in output:
        return {**output, "text": output["text"].splitlines(keepends=True)}
    data = {
        mime: value.splitlines(keepends=True) if isinstance(value, str) and mime.startswith(_LINES) else value
        for mime, value in output["data"].items()
    }
    return {**output, "data": data}


def _written(value: Any, end: str) -> str:
    """A value as JSON with its parts on lines of their own; `end`: of a line, with the margin of the next one."""
    inner = end + " "
    if isinstance(value, str):
        return str(_quoted(value))
    if isinstance(value, Mapping) and value:
        rows = (f"{_quoted(key)}: {_written(part, inner)}" for key, part in sorted(value.items()))
        return f"{{{inner}{f',{inner}'.join(rows)}{end}}}"
    if isinstance(value, list) and value:
        lines = all(isinstance(part, str) for part in value)  # of a text: most of what a notebook holds
        parts = map(_quoted, value) if lines else (_written(part, inner) for part in value)
        return f"[{inner}{f',{inner}'.join(parts)}{end}]"
    return json.dumps(value)
