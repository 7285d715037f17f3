"""The figure of the page on memory and ZeRO."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, MUTED, SMALL, Canvas

CELL = 10
DEVICES = 4
# What is kept of a parameter: a row for each two bytes, and the stage from which the rows are sharded.
KINDS = ((1, 3, INK), (1, 2, GRADIENT), (6, 1, DATA))
STAGES = (("nothing", "16"), ("the optimizer", "7"), ("+ gradients", "5.5"), ("+ parameters", "4"))


def zero_stages() -> Canvas:
    """What each of four devices keeps of parameters, gradients and optimizer state at stages 0 to 3."""
    tall, gap = 124, 8
    canvas = Canvas(height=len(STAGES) * (tall + gap) + 24)
    for stage, (sharded, size) in enumerate(STAGES):
        top = 2 + stage * (tall + gap)
        canvas.text(4, top + 17, f"Stage {stage}", anchor="start", bold=True)
        canvas.text(4, top + 38, "is sharded:", anchor="start", size=SMALL)
        canvas.text(4, top + 53, sharded, anchor="start", size=SMALL)
        canvas.text(4, top + 84, f"{size} bytes for", anchor="start", size=SMALL)
        canvas.text(4, top + 99, "a parameter", anchor="start", size=SMALL)
        for device in range(DEVICES):
            left = 98 + device * 66
            canvas.device(left, top, 60, tall, device, "")
            y = top + 31
            for rows, first_stage, colour in KINDS:
                canvas.tensor(left + 10, y, rows, DEVICES, CELL, colour=MUTED)
                kept = range(device, device + 1) if stage >= first_stage else range(DEVICES)
                for column in kept:
                    canvas.tensor(left + 10 + column * CELL, y, rows, 1, CELL, colour=colour, filled=True)
                y += rows * CELL + 4
    y = canvas.height - 13
    for x, colour, name in (
        (4, INK, "parameters"),
        (104, GRADIENT, "gradients"),
        (194, DATA, "state of the optimizer"),
    ):
        canvas.tensor(x, y, 1, 1, CELL, colour=colour, filled=True)
        canvas.text(x + 16, y + 9.5, name, anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"zero-stages": zero_stages}
