"""The figures of the cost model and of overlap: `roofline`, `step-cost`, `overlap`."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from canvas import DATA, GRADIENT, MUTED, SMALL, Canvas, Point


def _axes(canvas: Canvas, origin: Point, corner: Point) -> None:
    """A vertical and a horizontal axis that meet at `origin` and end at the coordinates of `corner`."""
    (x, y), (right, top) = origin, corner
    canvas.line((x, top), (x, y))
    canvas.line((x, y), (right, y))


def roofline() -> Canvas:
    """What can be reached: the slope of the memory, the roof of the arithmetic, and the ridge where they meet."""
    canvas = Canvas(height=264)
    left, bottom, right, top = 24, 222, 350, 34
    ridge, roof = 196, 66
    canvas.text(4, 18, "FLOP per second (logarithmic)", anchor="start", size=SMALL)
    _axes(canvas, (left, bottom), (right, top))
    canvas.line((ridge - (bottom - roof), bottom), (ridge, roof), colour=DATA, width=3)
    canvas.line((ridge, roof), (right, roof), colour=GRADIENT, width=3)
    canvas.line((ridge, roof), (ridge, bottom), colour=MUTED, width=1, dashes="2 3")
    canvas.text(ridge + 8, roof - 10, "roof: peak arithmetic", anchor="start", size=SMALL)
    canvas.text(30, 92, "slope: memory", anchor="start", size=SMALL)
    canvas.text(30, 107, "bandwidth", anchor="start", size=SMALL)
    canvas.line((92, 104), (134, 122), colour=MUTED, width=1)
    canvas.text(ridge, 238, "ridge", size=SMALL)
    for x, y, label in ((84, 196, "*B* = 1"), (304, 84, "large *B*")):
        canvas.dot(x, y)
        canvas.text(x + (10 if x < ridge else 0), y + (4 if x < ridge else 20), label,
                    anchor="start" if x < ridge else "middle", size=SMALL)  # fmt: skip
    canvas.text(144, 168, "memory", anchor="start", size=SMALL, colour=MUTED)
    canvas.text(144, 183, "limits", anchor="start", size=SMALL, colour=MUTED)
    canvas.text(274, 168, "arithmetic", size=SMALL, colour=MUTED)
    canvas.text(274, 183, "limits", size=SMALL, colour=MUTED)
    canvas.text(right, 258, "intensity, FLOP per byte (logarithmic)", anchor="end", size=SMALL)
    return canvas


# The example of the section "The Whole Step": a training step of the ResNet-18 of this book.
EXAMPLE_FLOPS = 3 * 0.91e9  # per image, forward and backward
EXAMPLE_PEAK = 10e12  # FLOP/s of a device
EXAMPLE_BYTES = 44.7e6  # of gradients
EXAMPLE_BANDWIDTH = 50e9  # byte/s
EXAMPLE_ALPHA = 10e-6  # seconds
EXAMPLE_BATCHES = (2048, 256, 32)


def allreduce_seconds(devices: int) -> float:
    """The all-reduce of the example's gradients."""
    return 2 * (devices - 1) / devices * EXAMPLE_BYTES / EXAMPLE_BANDWIDTH + 2 * (devices - 1) * EXAMPLE_ALPHA


def step_seconds(batch: int, devices: int) -> float:
    """A step of the example when arithmetic and all-reduce do not overlap."""
    return batch * EXAMPLE_FLOPS / (devices * EXAMPLE_PEAK) + allreduce_seconds(devices)


def step_cost() -> Canvas:
    """Step time against devices for three batch sizes: it falls like 1/k until the all-reduce is most of it."""
    canvas = Canvas(height=320)
    left, bottom, right, top = 44, 262, 268, 30
    counts = [2**power for power in range(7)]
    slowest, fastest = 1.0, 0.0001  # the ends of the vertical axis, in seconds

    def place(devices: int, seconds: float) -> Point:
        x = left + (right - left) * math.log2(devices) / 6
        y = bottom - (bottom - top) * math.log(seconds / fastest) / math.log(slowest / fastest)
        return x, y

    canvas.text(4, 14, "step time (ms)", anchor="start", size=SMALL)
    _axes(canvas, (left, bottom), (right, top))
    for milliseconds in (0.1, 1, 10, 100, 1000):
        _, y = place(1, milliseconds / 1000)
        canvas.line((left - 4, y), (left, y))
        canvas.text(left - 7, y + 4, f"{milliseconds:,}", anchor="end", size=SMALL)
    for devices in counts:
        x, _ = place(devices, fastest)
        canvas.line((x, bottom), (x, bottom + 4))
        canvas.text(x, bottom + 18, str(devices), size=SMALL)
    canvas.text((left + right) / 2, bottom + 36, "devices *k*", size=SMALL)
    for batch, label in zip(EXAMPLE_BATCHES, ("*b* = 2,048", "*b* = 256", "*b* = 32"), strict=True):
        points = [place(devices, step_seconds(batch, devices)) for devices in counts]
        for start, stop in pairwise(points):
            canvas.line(start, stop, colour=DATA, width=2)
        ideal = place(counts[-1], step_seconds(batch, 1) / counts[-1])
        canvas.line(points[0], ideal, colour=MUTED, width=1, dashes="2 3")
        for x, y in points:
            canvas.dot(x, y, radius=3)
        end = points[-1][1] + {2048: 4, 256: -1, 32: 5}[batch]
        canvas.text(right + 8, end, label, anchor="start", size=SMALL)
    floor = [place(devices, allreduce_seconds(devices)) for devices in counts[1:]]
    for start, stop in pairwise(floor):
        canvas.line(start, stop, colour=GRADIENT, width=2, dashes="4 3")
    canvas.text(right + 8, floor[-1][1] + 20, "all-reduce", anchor="start", size=SMALL)
    canvas.line((left + 20, 314), (left + 52, 314), colour=MUTED, width=1, dashes="2 3")
    canvas.text(left + 60, 318, "without all-reduce", anchor="start", size=SMALL)
    return canvas


# The stages of the figure of overlap: name, colour, and width for one minibatch.
STAGES = (("loader", DATA, 32), ("link", DATA, 16), ("GPU", GRADIENT, 32))


def _schedule(canvas: Canvas, top: float, title: str, starts: list[tuple[float, float, float]]) -> None:
    """A row for each stage, and in it minibatches 1, 2, ... from the given starts."""
    left = 52
    canvas.text(4, top, title, anchor="start", bold=True)
    for row, (name, colour, width) in enumerate(STAGES):
        y = top + 12 + row * 32
        canvas.text(4, y + 17, name, anchor="start", size=SMALL)
        for number, start in enumerate(starts, 1):
            canvas.bar(left + start[row], y, width, 26, colour, 0.15)
            canvas.text(left + start[row] + width / 2, y + 17, str(number), size=SMALL)
    end = left + starts[-1][2] + STAGES[2][2]
    canvas.line((end, top + 6), (end, top + 108), colour=MUTED, width=1, dashes="2 3")


def overlap() -> Canvas:
    """Loading, copying and computing three minibatches, one after the other and overlapped."""
    canvas = Canvas(height=262)
    load, copy, compute = (width for _, _, width in STAGES)
    whole = load + copy + compute
    apart = [(i * whole, i * whole + load, i * whole + load + copy) for i in range(3)]
    behind = [(i * load, (i + 1) * load, (i + 1) * load + copy) for i in range(3)]
    _schedule(canvas, 14, "one after the other", apart)
    _schedule(canvas, 138, "overlapped", behind)
    canvas.line((52, 248), (352, 248), width=1)
    canvas.text(352, 262, "time", anchor="end", size=SMALL)
    return canvas


def _memory(canvas: Canvas, y: float) -> None:
    """The memory: a bar as wide as the figure."""
    canvas.bar(4, y, 352, 28, MUTED, 0.2)
    canvas.text(180, y + 18, "memory", size=SMALL)


def fusion() -> Canvas:
    """Three cheap operations with a pass each to memory and back, and fused into one pass."""
    canvas = Canvas(height=286)
    canvas.text(4, 14, "one by one: 6 passes, 24 bytes per number", anchor="start", bold=True, size=SMALL)
    for index, name in enumerate(("multiply", "add", "ReLU")):
        left = 14 + 118 * index
        canvas.box(left, 26, 96, 32, name)
        canvas.data((left + 24, 106), (left + 24, 62))
        canvas.data((left + 72, 60), (left + 72, 104))
    _memory(canvas, 106)
    canvas.text(4, 164, "fused: 2 passes, 8 bytes per number", anchor="start", bold=True, size=SMALL)
    canvas.box(14, 176, 332, 32, "multiply, add, ReLU")
    canvas.data((38, 256), (38, 212))
    canvas.data((322, 210), (322, 254))
    _memory(canvas, 256)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "roofline": roofline,
    "step-cost": step_cost,
    "overlap": overlap,
    "fusion": fusion,
}
