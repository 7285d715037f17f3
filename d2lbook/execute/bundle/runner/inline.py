"""matplotlib's figures in a page's outputs: a backend that shows what is open when a cell ends, and closes it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import io
import os
import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from .mime import bundle
from .shell import Shell

NAME = "matplotlib_inline.backend_inline"
BACKEND = "figures_of_a_page"  # the same module for matplotlib, which takes the other name for an installed package's
_OFFERED = (
    "flush_figures",
    "new_figure_manager",
    "new_figure_manager_given_figure",
    "set_matplotlib_formats",
    "show",
)
_KINDS = {"png": "image/png", "svg": "image/svg+xml", "jpeg": "image/jpeg", "jpg": "image/jpeg", "retina": "image/png"}


def make_backend(shell: Shell) -> types.ModuleType:
    """The backend as a module. matplotlib itself is asked for when it loads the backend, not before."""
    return _Backend(shell)


class _Backend(types.ModuleType):
    def __init__(self, shell: Shell) -> None:
        super().__init__(NAME)
        self._shell, self._new = shell, False
        for name in _OFFERED:  # matplotlib copies what lies in the module itself
            vars(self)[name] = getattr(self, name)

    def __getattr__(self, name: str) -> Any:
        if name == "FigureCanvas":  # the first that matplotlib asks for
            from matplotlib.backends.backend_agg import FigureCanvasAgg

            self._load()
            self.FigureCanvas = FigureCanvasAgg
            return FigureCanvasAgg
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def _load(self) -> None:
        import matplotlib

        matplotlib.interactive(True)
        self._shell.events.register("post_execute", self.flush_figures)
        from matplotlib.figure import Figure

        if Figure not in self._shell.formatters:
            self.set_matplotlib_formats("png")

    def new_figure_manager(self, num: int, *arguments: Any, FigureClass: Any = None, **named: Any) -> Any:
        from matplotlib.figure import Figure

        return self.new_figure_manager_given_figure(num, (FigureClass or Figure)(*arguments, **named))

    def new_figure_manager_given_figure(self, num: int, figure: Any) -> Any:
        import matplotlib
        from matplotlib.backends import backend_agg

        manager = backend_agg.new_figure_manager_given_figure(num, figure)  # type: ignore[attr-defined]
        if not hasattr(figure, "show"):
            figure.show = lambda *_: self._display(figure)
        self._new = self._new or matplotlib.is_interactive()
        return manager

    def show(self, close: bool | None = None, block: bool | None = None) -> None:
        """Shows all open figures, and closes them."""
        from matplotlib import pyplot
        from matplotlib._pylab_helpers import Gcf

        managers = Gcf.get_all_fig_managers()
        try:
            for manager in managers:
                self._display(manager.canvas.figure)
        finally:
            self._new = False
            if managers and close is not False:
                pyplot.close("all")

    def flush_figures(self) -> None:
        """Called at the end of a cell: shows what it drew."""
        if self._new:
            self.show()

    def _display(self, figure: Any) -> None:
        self._shell.recorder.display(bundle(figure, self._shell.formatters))

    def set_matplotlib_formats(self, *formats: str, **named: Any) -> None:
        """In which formats figures are shown from now on; `named` are options of `savefig`."""
        from matplotlib.figure import Figure

        if unknown := set(formats) - _KINDS.keys():
            raise ValueError(f"supported formats are: {', '.join(_KINDS)}; not {', '.join(sorted(unknown))}")
        chosen = self._shell.formatters[Figure] = {}
        for name in formats:
            chosen[_KINDS[name]] = partial(_drawn, name=name, named=named)


def _drawn(figure: Any, name: str, named: dict[str, Any]) -> str | bytes | None:
    """A figure as a file of a format; None for an empty one, which would be a large blank space."""
    if not figure.axes and not figure.lines:
        return None
    options = {
        "format": "png" if name == "retina" else name,
        "facecolor": figure.get_facecolor(),
        "edgecolor": figure.get_edgecolor(),
        "dpi": figure.dpi * (2 if name == "retina" else 1),
        "bbox_inches": "tight",
    }
    file = io.BytesIO()
    figure.canvas.print_figure(file, **{**options, **named})
    return file.getvalue().decode("utf-8") if name == "svg" else file.getvalue()


def choose_backend() -> None:
    """Lets this process show its figures once it imports matplotlib. Scripts that it starts have no such backend."""
    os.environ["MPLBACKEND"] = "agg"
    sys.meta_path.insert(0, _Chooser())


class _Chooser(importlib.abc.MetaPathFinder):
    """Finds matplotlib as usual; while it is loaded, it reads the variable that says which backend to use."""

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != "matplotlib":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = partial(self._load, spec.loader.exec_module)  # type: ignore[method-assign]
        return spec

    def _load(self, load: Callable[[types.ModuleType], None], module: types.ModuleType) -> None:
        os.environ["MPLBACKEND"] = f"module://{BACKEND}"
        try:
            load(module)
        finally:
            os.environ["MPLBACKEND"] = "agg"
