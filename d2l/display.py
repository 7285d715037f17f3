"""How the book's plots look and how they are shown; loads matplotlib and IPython when first used, not before.

Plots are SVG with text as text on a transparent ground, and the same data gives the same bytes. The ink is always
`#222222` and the grid `#cccccc`, so that a page can exchange these two colours in dark mode; lines take the
colours of Okabe and Ito, which colour-blind readers can tell apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, GRID = "#222222", "#cccccc"
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
LINES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
LETTERS = {"b": BLUE, "g": GREEN, "r": VERMILION, "c": SKY, "m": PURPLE, "y": ORANGE, "k": INK}  # as in "m--"

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text: it can be searched, and takes the page's font
    "svg.hashsalt": "d2l",  # ids depend on the plot alone
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlesize": "medium",
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


def shell() -> Any:
    """The notebook or IPython session this code runs in, or None in a plain Python program."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def use_svg_display() -> None:
    """Use the book's style, and in a notebook show figures as SVG."""
    import matplotlib
    from cycler import cycler

    matplotlib.rcParams.update(STYLE)  # type: ignore[arg-type]
    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=LINES)
    if shell() is not None:
        from matplotlib_inline import backend_inline

        backend_inline.set_matplotlib_formats("svg", metadata={"Date": None})  # type: ignore[no-untyped-call]


def load_pyplot() -> ModuleType:
    """`matplotlib.pyplot`, in the book's style."""
    from matplotlib import pyplot

    use_svg_display()
    return pyplot


def draw_line(axes: Axes, x: Any, y: Any, fmt: str) -> None:
    """Like `axes.plot(x, y, fmt)`, with the book's colours for the letters of matplotlib's formats, such as "m--"."""
    colours = {LETTERS[letter] for letter in fmt if letter in LETTERS}
    rest = "".join(letter for letter in fmt if letter not in LETTERS)
    axes.plot(x, y, rest, **{"color": colours.pop()} if colours else {})  # type: ignore[arg-type]


def as_array(x: Any) -> NDArray[Any]:
    """A NumPy array of what any of the frameworks, a list or a number holds."""
    if hasattr(x, "asnumpy"):  # MXNet
        return np.asarray(x.asnumpy())
    if hasattr(x, "detach"):  # PyTorch
        x = x.detach().cpu()
    return np.asarray(x)


class LiveFigure:
    """A figure that a notebook shows once and then updates in place, spending at most a twentieth of the time on it.

    A new state that comes too soon after the last drawing is drawn when the cell ends, so the last state always is.
    In a plain Python program nothing is shown, so nothing is drawn either.
    """

    share = 1 / 20  # of the running time, for drawing
    pause = 0.5  # seconds between drawings, at least

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self.shell = shell()
        self.handle: Any = None  # of the display to update, in the cell that is running
        self.redraw: Callable[[], None] | None = None  # what is to be drawn at the cell's end
        self.next_drawing = 0.0  # on time.perf_counter()

    def update(self, redraw: Callable[[], None]) -> None:
        """Let `redraw` draw the figure's new state and show it: now if drawing is due, else when the cell ends."""
        if self.shell is None:
            return
        if self.redraw is None:
            self.shell.events.register("post_execute", self.finish)
        self.redraw = redraw
        if time.perf_counter() >= self.next_drawing:
            self.show()

    def show(self) -> None:
        from IPython.display import display

        start = time.perf_counter()
        self.redraw()  # type: ignore[misc]
        if self.handle is None:
            self.handle = display(self.figure, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self.handle.update(self.figure)
        end = time.perf_counter()
        self.next_drawing = end + max(self.pause, (end - start) / self.share)

    def finish(self) -> None:
        """Show the last state; the shell calls it at the end of the cell."""
        self.shell.events.unregister("post_execute", self.finish)
        self.show()
        self.redraw = self.handle = None
