"""Modules in place of IPython and matplotlib_inline, for a machine that has neither.

They hold what the book's library, its pages and matplotlib ask for. Libraries that look for IPython, as flax does
through treescope, import more of it and use none here: for that there are modules with nothing in them that works.
"""

from __future__ import annotations

import builtins
import importlib.abc
import importlib.machinery
import sys
import types
import uuid
from pathlib import Path
from typing import Any

from .inline import BACKEND, make_backend
from .mime import bundle
from .shell import Shell

VERSION = (9, 0, 0)  # matplotlib asks; from 8.24 on it wants nothing of IPython


class Nothing:
    """In place of what is not there: a base class, or a decorator that leaves what it decorates."""

    def __new__(cls, *arguments: Any, **named: object) -> Any:
        return arguments[0] if arguments and callable(arguments[0]) else object.__new__(cls)

    def __init__(self, *arguments: object, **named: object) -> None:
        """As a decorator with arguments."""

    def __call__(self, decorated: Any, *arguments: object, **named: object) -> Any:
        return decorated


class _Empty(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of IPython that have no stand-in."""

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("IPython."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


class DisplayHandle:
    """What `display(…, display_id=True)` returns: shows something else in the same place."""

    def __init__(self, shell: Shell, display_id: str) -> None:
        self._shell, self.display_id = shell, display_id

    def display(self, value: object, **named: object) -> None:
        _display(self._shell, value, display_id=self.display_id)

    def update(self, value: object, **named: object) -> None:
        self._shell.recorder.update(_data(self._shell, value, bool(named.get("raw"))), self.display_id)


class DisplayObject:
    """Text or bytes of one media type, such as `HTML('<b>bold</b>')`."""

    kind = "text/plain"

    def __init__(self, data: Any = None, url: Any = None, filename: Any = None, **named: object) -> None:
        if filename is not None or (self.kind.startswith("image/") and isinstance(data, str) and "<" not in data):
            data = Path(filename or data).read_bytes()
        self.data = data.decode("utf-8") if isinstance(data, bytes) and self.kind in _TEXT else data

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return {self.kind: self.data}

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"


_KINDS = {
    "HTML": "text/html",
    "Markdown": "text/markdown",
    "SVG": "image/svg+xml",
    "Latex": "text/latex",
    "Math": "text/latex",
    "Image": "image/png",
    "JSON": "application/json",
    "Pretty": "text/plain",
    "Javascript": "application/javascript",
}
_TEXT = {kind for kind in _KINDS.values() if kind != "image/png"}


def install(shell: Shell) -> None:
    """Makes the stand-ins what `import IPython` and `import matplotlib_inline` find, and the shell the running one."""
    backend = make_backend(shell)
    display = _display_module(shell)
    common: dict[str, Any] = {"get_ipython": lambda: shell, "display": display.display}
    interactive = type(
        "InteractiveShell", (), {"instance": staticmethod(lambda: shell), "initialized": staticmethod(lambda: True)}
    )
    contents: dict[str, dict[str, Any]] = {
        "IPython": {**common, "version_info": VERSION, "__version__": ".".join(map(str, VERSION))},
        "IPython.core": {},
        "IPython.core.getipython": common,
        "IPython.core.interactiveshell": {"InteractiveShell": interactive},
        "IPython.core.display": vars(display),
        "matplotlib_inline": {"backend_inline": backend},
    }
    for name, content in contents.items():
        module = _Empty(name) if name.startswith("IPython.") else types.ModuleType(name)
        vars(module).update({key: value for key, value in content.items() if key not in {"__name__", "__spec__"}})
        _add(module)
    _add(display)
    _add(backend)
    sys.modules[BACKEND] = backend
    sys.meta_path.insert(0, _Finder())
    sys.modules["__main__"] = shell.user_module
    vars(builtins).update(common)


def _add(module: types.ModuleType) -> None:
    name = module.__name__
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


def _display_module(shell: Shell) -> types.ModuleType:
    module = types.ModuleType("IPython.display")

    def display(*values: object, **named: Any) -> DisplayHandle | None:
        return _display(shell, *values, **named)

    def update_display(value: object, *, display_id: str, **named: object) -> None:
        DisplayHandle(shell, display_id).update(value, **named)

    def clear_output(wait: bool = False) -> None:
        shell.recorder.clear(wait)

    kinds = {name: type(name, (DisplayObject,), {"kind": kind}) for name, kind in _KINDS.items()}
    own = {"display": display, "update_display": update_display, "clear_output": clear_output}
    vars(module).update({**kinds, **own, "DisplayHandle": DisplayHandle, "DisplayObject": DisplayObject})
    return module


def _display(
    shell: Shell,
    *values: object,
    display_id: bool | str | None = None,
    raw: bool = False,
    clear: bool = False,
    **named: object,
) -> DisplayHandle | None:
    name = uuid.uuid4().hex if display_id is True else display_id or ""
    if clear:
        shell.recorder.clear(wait=True)
    for value in values:
        if not raw and callable(show := getattr(type(value), "_ipython_display_", None)):
            show(value)
        else:
            shell.recorder.display(_data(shell, value, raw), name)
    return DisplayHandle(shell, name) if name else None


def _data(shell: Shell, value: Any, raw: bool) -> dict[str, Any]:
    return dict(value) if raw else bundle(value, shell.formatters)
