"""The figures of the page on tensor and pipeline parallelism."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, MUTED, SMALL, Canvas

Slot = tuple[int, int, str, float, float]  # stage, micro-batch, kind, start, end


def _half_filled(canvas: Canvas, x: float, y: float, rows: int, columns: int, cell: float, half: str) -> None:
    """A matrix of which this device holds one half: 'left', 'right', 'top' or 'bottom'."""
    canvas.tensor(x, y, rows, columns, cell, colour=MUTED)
    if half in ("left", "right"):
        columns //= 2
        x += columns * cell if half == "right" else 0
    else:
        rows //= 2
        y += rows * cell if half == "bottom" else 0
    canvas.tensor(x, y, rows, columns, cell, filled=True)


def tensor_parallel() -> Canvas:
    """Two layers, the first cut by columns, the second by rows: one all-reduce each way."""
    canvas = Canvas(height=520)
    canvas.text(100, 20, "*X*", anchor="end")
    canvas.tensor(108, 4, 4, 3, 11, filled=True)
    canvas.text(262, 20, "gradient of *X*", anchor="start")
    canvas.tensor(219, 4, 4, 3, 11, colour=GRADIENT)
    canvas.data((124, 51), (124, 71))
    canvas.gradient((236, 73), (236, 52))
    _exchange(canvas, 74, "to both", "all-reduce")
    for number, left in enumerate((4, 186)):
        down, up = left + 60, left + 124
        middle = (down + up) / 2
        canvas.device(left, 136, 170, 254, number, name="")
        canvas.data((down, 107), (down, 172))
        canvas.gradient((up, 172), (up, 109))
        _half_filled(canvas, middle - 28, 176, 3, 4, 14, ("left", "right")[number])
        canvas.text(middle - 36, 202, "*W*_1", anchor="end")
        canvas.data((down, 220), (down, 240))
        canvas.gradient((up, 240), (up, 221))
        canvas.box(middle - 48, 243, 96, 28, "ReLU, half of *H*")
        canvas.data((down, 273), (down, 294))
        canvas.gradient((up, 294), (up, 275))
        _half_filled(canvas, middle - 21, 298, 4, 3, 14, ("top", "bottom")[number])
        canvas.text(middle - 36, 330, "*W*_2", anchor="end")
        canvas.data((down, 356), (down, 410))
        canvas.gradient((up, 412), (up, 357))
    _exchange(canvas, 414, "all-reduce", "to both")
    canvas.data((124, 447), (124, 467))
    canvas.gradient((236, 468), (236, 448))
    canvas.text(100, 492, "*Y*", anchor="end")
    canvas.tensor(108, 470, 4, 3, 11, filled=True)
    canvas.text(262, 492, "gradient of *Y*", anchor="start")
    canvas.tensor(219, 470, 4, 3, 11, colour=GRADIENT)
    return canvas


def _exchange(canvas: Canvas, y: float, forward: str, backward: str) -> None:
    """What happens between the devices: a box across both, forward at the left, backward at the right."""
    canvas.box(4, y, 352, 32)
    canvas.text(92, y + 20.5, f"forward: {forward}", size=SMALL)
    canvas.text(268, y + 20.5, f"backward: {backward}", size=SMALL)


def gpipe_slots(stages: int, microbatches: int, forward: float, backward: float) -> list[Slot]:
    """The slots of a GPipe step with equal stages, in closed form."""
    turn = (stages + microbatches - 1) * forward  # when the last stage has done all its forward passes
    slots = []
    for stage in range(stages):
        for i in range(microbatches):
            start = (stage + i) * forward
            slots.append((stage, i, "F", start, start + forward))
            start = turn + (stages - 1 - stage + i) * backward
            slots.append((stage, i, "B", start, start + backward))
    return slots


def pipeline() -> Canvas:
    """Four stages and four micro-batches under GPipe: what each device does when, and the bubble."""
    stages, microbatches, forward, backward = 4, 4, 1.0, 2.0
    total = (stages + microbatches - 1) * (forward + backward)
    slots = gpipe_slots(stages, microbatches, forward, backward)
    canvas = Canvas(height=266)
    left, top, tall, gap = 34.0, 22.0, 34.0, 6.0
    unit = (354 - left) / total
    canvas.text(4, 14, "device", anchor="start", size=SMALL)
    for stage in range(stages):
        y = top + stage * (tall + gap)
        canvas.circle(15, y + tall / 2, 9)
        canvas.text(15, y + tall / 2 + 4.5, str(stage), bold=True)
        free = 0.0
        for _, i, kind, start, end in sorted((slot for slot in slots if slot[0] == stage), key=lambda slot: slot[3]):
            if start > free:
                canvas.bar(left + free * unit, y, (start - free) * unit, tall, MUTED, 0.25)
            colour, dashes = (DATA, None) if kind == "F" else (GRADIENT, "4 3")
            canvas.bar(left + start * unit + 0.75, y, (end - start) * unit - 1.5, tall, colour, 0.3, dashes=dashes)
            canvas.text(left + (start + end) / 2 * unit, y + tall / 2 + 4.5, str(i), size=SMALL)
            free = end
        if free < total:
            canvas.bar(left + free * unit, y, (total - free) * unit, tall, MUTED, 0.25)
    y = top + stages * (tall + gap)
    canvas.line((left, y), (left + total * unit, y), width=1)
    for time in range(0, int(total) + 1, 3):
        canvas.line((left + time * unit, y), (left + time * unit, y + 4), width=1)
        canvas.text(left + time * unit, y + 17, str(time), size=SMALL)
    canvas.text(left - 8, y + 17, "time", anchor="end", size=SMALL)
    y += 34
    for x, label, colour, opacity, dashes in (
        (34, "F, forward", DATA, 0.3, None),
        (136, "B, backward", GRADIENT, 0.3, "4 3"),
        (254, "bubble: idle", MUTED, 0.25, None),
    ):
        canvas.bar(x, y, 18, 18, colour, opacity, dashes=dashes)
        canvas.text(x + 24, y + 13.5, label, anchor="start", size=SMALL)
    return canvas


def experts() -> Canvas:
    """Tokens of four devices travel to the experts that were chosen for them: an all-to-all."""
    canvas = Canvas(height=236)
    lefts = [4 + 89 * number for number in range(4)]
    for number, left in enumerate(lefts):
        canvas.device(left, 4, 84, 226, number, "")
        canvas.box(left + 7, 40, 70, 40, "tokens,", "router")
        for half in range(2):
            canvas.box(left + 7 + 36 * half, 176, 34, 42, str(2 * number + half))
        canvas.text(left + 42, 170, "experts", size=SMALL)
    for number, left in enumerate(lefts):
        for target, other in enumerate(lefts):
            canvas.data((left + 24 + 12 * target, 82), (other + 24 + 12 * number, 154))
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "tensor-parallel": tensor_parallel,
    "pipeline": pipeline,
    "experts": experts,
}
