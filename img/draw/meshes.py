"""The figures of the page on meshes."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, MUTED, SMALL, Canvas

LEFT, RIGHT = 10, 350
# Plan B of the page: bytes of the first stage's devices in GB, and seconds of a step. A test holds the live figure to
# `plan_mesh`, and this still to the live figure.
MEMORY = (("parameters", 4.41, INK, 0.35), ("gradients", 8.82, GRADIENT, 0.35), ("optimizer", 1.65, MUTED, 0.35))
ACTIVATIONS = ("activations", 22.5, DATA, 0.35)
TIMES = (("arithmetic", 6.29, DATA, 0.35), ("exposed", 0.84, GRADIENT, 0.35), ("bubble", 0.67, MUTED, 0.35))


def mesh() -> Canvas:
    """Two replicas of two stages of two devices."""
    canvas = Canvas(height=262)
    for replica in range(2):
        left = 6 + 184 * replica
        canvas.text(left + 82, 16, f"replica {replica}", bold=True)
        for stage in range(2):
            top = 26 + 118 * stage
            canvas.region(left, top, 164, 82, f"server, stage {stage}")
            number = 4 * replica + 2 * stage
            for part in range(2):
                canvas.device(left + 10 + 98 * part, top + 26, 46, 46, number + part, name="")
            canvas.line((left + 56, top + 54), (left + 108, top + 54), colour=DATA, width=4)
            canvas.text(left + 82, top + 46, "tensor", size=SMALL)
        for part in range(2):
            x = left + 33 + 98 * part
            canvas.data((x, 108), (x, 143))
        canvas.text(left + 82, 130, "pipeline", size=SMALL)
    for stage in range(2):
        y = 90 + 118 * stage
        canvas.line((170, y - 22), (190, y - 22), colour=GRADIENT, width=2, dashes="4 3")

    canvas.line((150, 246), (186, 246), colour=GRADIENT, width=2, dashes="4 3")
    canvas.text(194, 250, "data", anchor="start", size=SMALL)
    return canvas


def planner() -> Canvas:
    """The still of the planner: memory and time of plan B."""
    canvas = Canvas(height=288)
    span = RIGHT - LEFT
    canvas.text(LEFT, 16, "memory of a device (GB)", anchor="start", bold=True)
    x = float(LEFT)
    kinds = (*MEMORY, ACTIVATIONS)
    for index, (name, size, colour, opacity) in enumerate(kinds):
        width = span * size / 100
        canvas.bar(x, 26, width, 26, colour, opacity)
        x += width
        column, row = LEFT + 172 * (index % 2), 82 + 20 * (index // 2)
        canvas.bar(column, row - 11, 12, 12, colour, opacity)
        canvas.text(column + 18, row, f"{name} {size:.3g}", anchor="start", size=SMALL)
    limit = LEFT + span * 80 / 100
    canvas.line((limit, 20), (limit, 58), width=2, dashes="4 3")
    canvas.text(limit + 5, 64, "80", anchor="start", size=SMALL)
    canvas.text(LEFT, 132, "time of a step (s)", anchor="start", bold=True)
    longest = 7.79
    x = float(LEFT + 66)
    for index, (name, seconds, colour, opacity) in enumerate(TIMES):
        width = 220 * seconds / longest
        canvas.bar(x, 142, width, 22, colour, opacity)
        x += width
        column, row = (LEFT, 250) if index == 0 else (LEFT + 172 * (index - 1), 272)
        canvas.bar(column, row - 11, 12, 12, colour, opacity)
        canvas.text(column + 18, row, f"{name} {seconds:.3g}", anchor="start", size=SMALL)
    rows = (("devices", longest, 142), ("link", 2.09, 172), ("network", 0.28, 202))
    for name, seconds, top in rows:
        canvas.text(LEFT + 60, top + 16, name, anchor="end", size=SMALL)
        if name != "devices":
            canvas.bar(LEFT + 66, top, 220 * seconds / longest, 22, INK, 0.2)
        canvas.text(LEFT + 66 + 220 * seconds / longest + 5, top + 16, f"{seconds:.3g}", anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"mesh": mesh, "planner": planner}
