"""What an object shows of itself, by media type, as `display` and the last value of a cell do."""

from __future__ import annotations

import base64
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

from .pretty import pretty

METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
    "_repr_javascript_": "application/javascript",
}
# Printers of a type for a media type, as matplotlib's formats are chosen; they win over an object's own methods.
Formatters = dict[type, dict[str, Callable[[Any], object]]]


def bundle(value: object, formatters: Formatters) -> dict[str, Any]:
    """Media types and what of the object is shown in each; "text/plain" is always there."""
    data: dict[str, Any] = {}
    for base in type(value).__mro__:
        for kind, show in formatters.get(base, {}).items():
            _add(data, kind, partial(show, value))
    if not inspect.isclass(value):
        own = _called(getattr(value, "_repr_mimebundle_", None), include=None, exclude=None)
        if isinstance(own, tuple):
            own = own[0]
        if isinstance(own, dict):
            data |= {kind: _text(content) for kind, content in own.items() if kind not in data}
        for name, kind in METHODS.items():
            method = getattr(value, name, None)
            if kind not in data and callable(method):
                _add(data, kind, method)
    if "text/plain" not in data:
        plain = _called(pretty, value)
        data["text/plain"] = plain if isinstance(plain, str) else object.__repr__(value)
    return data


def _add(data: dict[str, Any], kind: str, show: Callable[[], object]) -> None:
    content = _called(show)
    if isinstance(content, tuple):  # with metadata, which are not kept
        content = content[0]
    if content is not None:
        data[kind] = _text(content)


def _text(content: object) -> object:
    return base64.b64encode(content).decode("ascii") if isinstance(content, bytes) else content


def _called(method: Any, *arguments: object, **named: object) -> object:
    """What a method returns. One that fails says so in the cell, and the next kind is tried."""
    if not callable(method):
        return None
    try:
        return method(*arguments, **named)
    except NotImplementedError:
        return None
    except Exception:  # noqa: BLE001 -- whatever it is, the cell goes on, as in a kernel
        traceback.print_exc(file=sys.stderr)
        return None
