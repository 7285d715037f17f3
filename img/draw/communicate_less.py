"""The figure of the page on communicating less."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, SMALL, Canvas

FIRST, UNIT = 66, 24


def _timeline(canvas: Canvas, y: float, title: str, local_steps: int) -> None:
    """Six steps of two devices, with an exchange after so many."""
    canvas.text(4, y, title, anchor="start", bold=True)
    for device in range(2):
        row = y + 10 + 32 * device
        canvas.text(FIRST - 8, row + 17, f"device {device}", anchor="end", size=SMALL)
        x = FIRST
        for step in range(1, 7):
            canvas.bar(x, row, UNIT, 24, DATA, 0.25)
            canvas.text(x + UNIT / 2, row + 17, str(step), size=SMALL)
            x += UNIT
            if step % local_steps == 0:
                canvas.bar(x, row, UNIT, 24, GRADIENT, 0.45)
                x += UNIT


def local_steps() -> Canvas:
    """Data parallelism, and three local steps between exchanges."""
    canvas = Canvas(height=212)
    _timeline(canvas, 16, "an exchange in each step", 1)
    _timeline(canvas, 112, "H = 3", 3)
    for x, name, colour, opacity in ((FIRST, "step", DATA, 0.25), (FIRST + 100, "exchange", GRADIENT, 0.45)):
        canvas.bar(x, 194, UNIT, 14, colour, opacity)
        canvas.text(x + UNIT + 6, 206, name, anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"local-steps": local_steps}
