"""Import MXNet 1.9.1, the last release, on a current NumPy: import this module before `mxnet`.

MXNet reads names that NumPy has dropped, and writes tuples of NumPy integers into texts that its C++ code reads back,
while NumPy 2 shows such an integer as `np.int64(2)`. Neither NumPy nor how it prints is changed: during the import,
MXNet sees a copy of the module `numpy` that has the old names, and afterwards two of its modules get a function that
writes tuples as before.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy

# What the dropped names meant (NumPy 1.20's release notes for the types, NumPy 2.0's migration guide for the others).
OLD_NAMES: dict[str, Any] = {
    "bool": numpy.bool_,
    "int": int,
    "float": float,
    "complex": complex,
    "object": object,
    "str": str,
    "float_": numpy.float64,
    "unicode_": numpy.str_,
    "PZERO": 0.0,
    "NZERO": -0.0,
    **dict.fromkeys(("Inf", "Infinity", "infty", "PINF"), numpy.inf),
    "NINF": -numpy.inf,
    **dict.fromkeys(("NaN", "NAN"), numpy.nan),
    "alltrue": numpy.all,
    "sometrue": numpy.any,
    "product": numpy.prod,
    "cumproduct": numpy.cumprod,
    "row_stack": numpy.vstack,
}


def removed(name: str) -> Callable[..., Any]:
    """A function in the place of `numpy.name`, for MXNet to take a reference to."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"MXNet needs numpy.{name} for this, which NumPy {numpy.__version__} no longer has")

    return function


def old_numpy() -> ModuleType:
    """A copy of the module `numpy` that has the old names, and for other missing ones a function that raises."""
    module = ModuleType("numpy")

    def missing(name: str) -> Any:
        try:
            return getattr(numpy, name)  # such as a submodule that NumPy loads when first used
        except AttributeError:
            if name.startswith("__"):
                raise
            return removed(name)

    module.__dict__.update(OLD_NAMES)
    module.__dict__.update(vars(numpy))
    module.__dict__["__getattr__"] = missing
    return module


def plain(value: Any) -> Any:
    """`value` with the NumPy scalars in its tuples and lists as Python numbers."""
    if isinstance(value, (tuple, list)):
        return type(value)(plain(item) for item in value)
    return value.item() if isinstance(value, numpy.generic) else value


def attribute_text(value: Any) -> str:
    """An operator's argument as MXNet's C++ code reads it: the tuple (numpy.int64(2), 3) as "(2, 3)"."""
    return str(plain(value))


def for_mxnet(original: Callable[..., Any], old: ModuleType) -> Callable[..., Any]:
    """An `__import__` that gives MXNet's modules `old` for NumPy; others, such as SciPy that MXNet loads, get NumPy."""

    def importing(
        name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        module = original(name, globals, locals, fromlist, level)
        importer = str((globals or {}).get("__name__", "")).split(".")[0]
        return old if module is numpy and importer == "mxnet" else module

    return importing


@contextmanager
def one_thread_per_operation() -> Iterator[None]:
    """Let MXNet's libraries, which ask when they are loaded, compute each operation in one thread.

    The OpenBLAS in MXNet 1.9.1's packages stops for good when two simulated devices multiply matrices at once in
    several threads each. Devices still compute side by side. The environment is put back for other programs.
    """
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before


def import_mxnet() -> None:
    """Import mxnet so that it works on this NumPy; the import statement is put back whatever happens."""
    original = builtins.__import__
    builtins.__import__ = for_mxnet(original, old_numpy())
    try:
        with one_thread_per_operation():
            import mxnet  # noqa: F401
    finally:
        builtins.__import__ = original
    for name in ("ndarray", "symbol"):
        vars(sys.modules[f"mxnet._ctypes.{name}"])["str"] = attribute_text


if "mxnet" not in sys.modules:
    import_mxnet()
