"""The figure of the page on starting and debugging a job."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, SMALL, Canvas

FIRST, STEP = 48, 52
CALLS = (
    ("gradient", "loss", "gradient", "loss", "gradient", "loss"),
    ("gradient", "loss", "loss", "gradient", "gradient", ""),
)


def hang() -> Canvas:
    """Calls of two ranks, joined in their order."""
    canvas = Canvas(height=152)
    for rank, calls in enumerate(CALLS):
        y = 12 + 80 * rank
        canvas.text(4, y + 19, f"rank {rank}", anchor="start", size=SMALL)
        for number, name in enumerate(calls):
            x = FIRST + STEP * number
            if name:
                canvas.bar(x, y, STEP - 4, 30, DATA if name == "gradient" else INK, 0.2 if name == "gradient" else 0.08)
            canvas.text(x + STEP / 2 - 2, y + 19, name or "?", size=11)
    for number, pair in enumerate(zip(*CALLS, strict=True)):
        x = FIRST + STEP * number + STEP / 2 - 2
        fits, dashes = pair[0] == pair[1], None if all(pair) else "4 4"
        canvas.line((x, 46), (x, 88), colour=INK if fits else GRADIENT, dashes=dashes)
        canvas.text(x, 144, str(number + 1), size=SMALL)
    canvas.text(4, 144, "call", anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"hang": hang}
