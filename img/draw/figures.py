"""The figures of the chapter, each a function that returns a finished canvas."""

from __future__ import annotations

from collections.abc import Callable

from canvas import GRADIENT, INK, SMALL, Canvas

MULTIPLY = "\N{MULTIPLICATION SIGN}"
ARROW = "\N{LEFTWARDS ARROW}"
MINUS = "\N{MINUS SIGN}"
ETA = "\N{GREEK SMALL LETTER ETA}"


def copyto() -> Canvas:
    """X is copied to the memory of device 1 as Z; only then can device 1 add it to Y."""
    canvas = Canvas(height=232)
    for number, left in enumerate((4, 188)):
        canvas.device(left, 4, 168, 224, number)
        canvas.region(left + 8, 38, 152, 106, "memory")
    # device 0: the original
    canvas.tensor(44, 80, 2, 3, 18, colour=INK, filled=True)
    canvas.text(71, 135, "*X*")
    canvas.box(18, 180, 140, 34, "processor")
    # device 1: the copy, and the tensor that was already there
    canvas.tensor(206, 80, 2, 3, 18, colour=INK, filled=True)
    canvas.text(222, 135, "*Z*")
    canvas.tensor(282, 80, 2, 3, 18)
    canvas.text(298, 135, "*Y*")
    canvas.box(202, 180, 140, 34, "processor: *Y* + *Z*")
    canvas.data((102, 98), (202, 98))
    canvas.text(135, 91, "copy", size=SMALL)
    canvas.data((240, 120), (240, 176))
    canvas.data((316, 120), (316, 176))
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"copyto": copyto}
