"""Values as text, in the layout that notebooks show: containers that are too wide break into lines."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

WIDTH = 79
MOST = 1000  # elements of one container that are shown
_PLAIN_MODULES = (None, "builtins")


class _Break:
    """A place where the group around it may break: then the text goes on in the next line, at `indent`."""

    def __init__(self, space: str, indent: int, always: bool = False) -> None:
        self.space, self.indent, self.always = space, indent, always


class _Group:
    def __init__(self) -> None:
        self.parts: list[str | _Break | _Group] = []

    def width(self) -> int | None:
        """The width on one line; None for what takes several in any case."""
        total = 0
        for part in self.parts:
            width = len(part) if isinstance(part, str) else part.width() if isinstance(part, _Group) else _wide(part)
            if width is None:
                return None
            total += width
        return total


def _wide(place: _Break) -> int | None:
    return None if place.always else len(place.space)


class Printer:
    """Collects text, groups and the places where they may break; what `_repr_pretty_` methods are given.

    A group that does not fit into its line breaks at all of its places, outer groups first.
    """

    def __init__(self) -> None:
        self.indentation = 0
        self._open = [_Group()]
        self._inside: list[int] = []  # ids of the containers being printed: one may hold itself

    def text(self, text: str) -> None:
        self._open[-1].parts.append(text)

    def breakable(self, sep: str = " ") -> None:
        self._open[-1].parts.append(_Break(sep, self.indentation))

    def break_(self) -> None:
        self._open[-1].parts.append(_Break("", self.indentation, always=True))

    def begin_group(self, indent: int = 0, open: str = "") -> None:
        self.text(open)
        group = _Group()
        self._open[-1].parts.append(group)
        self._open.append(group)
        self.indentation += indent

    def end_group(self, dedent: int = 0, close: str = "") -> None:
        self.indentation -= dedent
        self._open.pop()
        self.text(close)

    @contextmanager
    def group(self, indent: int = 0, open: str = "", close: str = "") -> Iterator[None]:
        self.begin_group(indent, open)
        try:
            yield
        finally:
            self.end_group(indent, close)

    @contextmanager
    def indent(self, indent: int) -> Iterator[None]:
        self.indentation += indent
        try:
            yield
        finally:
            self.indentation -= indent

    def pretty(self, value: object) -> None:
        cycle = id(value) in self._inside
        self._inside.append(id(value))
        try:
            self._print(value, cycle)
        finally:
            self._inside.pop()

    def _print(self, value: object, cycle: bool) -> None:
        for base in type(value).__mro__:
            if base in _PRINTERS:
                return _PRINTERS[base](self, value, cycle)
            if callable(method := base.__dict__.get("_repr_pretty_")):
                return method(value, self, cycle)  # type: ignore[no-any-return]
            if base is not object and callable(base.__dict__.get("__repr__")):
                return self._lines(repr(value))
        with self.group(1, "<", ">"):
            self.pretty(type(value))
            self.text(f" at 0x{id(value):x}")

    def _lines(self, text: str) -> None:
        with self.group():
            for number, line in enumerate(text.splitlines()):
                if number:
                    self.break_()
                self.text(line)

    def done(self) -> str:
        """The text of all that was collected."""
        return _Layout().text(self._open[0])


class _Layout:
    def __init__(self) -> None:
        self.written: list[str] = []
        self.column = 0

    def text(self, group: _Group) -> str:
        self._group(group, 0)
        return "".join(self.written)

    def _write(self, text: str) -> None:
        self.written.append(text)
        self.column += len(text)

    def _group(self, group: _Group, trailing: int) -> None:
        """`trailing`: width of what follows on the last line, such as a comma."""
        width = group.width()
        broken = width is None or self.column + width + trailing > WIDTH
        for number, part in enumerate(group.parts):
            if isinstance(part, str):
                self._write(part)
            elif isinstance(part, _Group):
                self._group(part, _until_break(group.parts[number + 1 :], trailing) if broken else 0)
            elif broken:
                self.written.append("\n" + " " * part.indent)
                self.column = part.indent
            else:
                self._write(part.space)


def _until_break(parts: list[str | _Break | _Group], trailing: int) -> int:
    total = 0
    for part in parts:
        if not isinstance(part, str):
            return total
        total += len(part)
    return total + trailing


def _sequence(start: str, end: str) -> Callable[[Printer, Any, bool], None]:
    def show(printer: Printer, values: Any, cycle: bool) -> None:
        if cycle:
            return printer.text(f"{start}...{end}")
        with printer.group(len(start), start, end):
            for number, value in enumerate(values):
                if number:
                    printer.text(",")
                    printer.breakable()
                if number == MOST:
                    return printer.text("...")
                printer.pretty(value)
            if isinstance(values, tuple) and len(values) == 1:
                printer.text(",")
        return None

    return show


def _set(printer: Printer, values: Any, cycle: bool) -> None:
    start = "frozenset(" if isinstance(values, frozenset) else ""
    if not values:
        return printer.text(repr(values))
    if not cycle:
        try:
            values = sorted(values)
        except TypeError:  # of several kinds, which have no order
            values = list(values)
    return _sequence(start + "{", "})" if start else "}")(printer, values, cycle)


def _dictionary(printer: Printer, values: Mapping[object, object], cycle: bool) -> None:
    if cycle:
        return printer.text("{...}")
    with printer.group(1, "{", "}"):
        for number, (key, value) in enumerate(values.items()):
            if number:
                printer.text(",")
                printer.breakable()
            if number == MOST:
                return printer.text("...")
            printer.pretty(key)
            printer.text(": ")
            printer.pretty(value)
    return None


def _type(printer: Printer, value: Any, cycle: bool) -> None:
    own: object = type(value).__repr__
    if own is not type.__repr__:
        return printer.text(repr(value))
    module = getattr(value, "__module__", None)
    return printer.text(value.__qualname__ if module in _PLAIN_MODULES else f"{module}.{value.__qualname__}")


def _function(printer: Printer, value: Any, cycle: bool) -> None:
    module = getattr(value, "__module__", None)
    name = value.__qualname__ if module in _PLAIN_MODULES else f"{module}.{value.__qualname__}"
    try:
        signature = str(inspect.signature(value))
    except ValueError:  # of a function that is not written in Python
        signature = ""
    printer.text(f"<function {name}{signature}>")


_PRINTERS: dict[type, Callable[[Printer, Any, bool], None]] = {
    list: _sequence("[", "]"),
    tuple: _sequence("(", ")"),
    set: _set,
    frozenset: _set,
    dict: _dictionary,
    type: _type,
    types.FunctionType: _function,
    types.BuiltinFunctionType: _function,
}


def pretty(value: object) -> str:
    """A value as a notebook shows it."""
    printer = Printer()
    printer.pretty(value)
    return printer.done()
