"""The figures of the chapter, each a function that returns a finished canvas."""

from __future__ import annotations

from collections.abc import Callable

import attention
import batch_norm
import collectives
import communicate_less
import cost_model
import interconnects
import jobs
import lenet
import long_context
import maps
import meshes
import model_parallel
import parameterserver
import precision
import transformer
import zero
from canvas import DATA, GRADIENT, INK, SMALL, TEXT, Canvas

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
    canvas.tensor(44, 80, 2, 3, 18, filled=True)
    canvas.text(71, 135, "*X*")
    canvas.box(18, 180, 140, 34, "processor")
    # device 1: the copy, and the tensor that was already there
    canvas.tensor(206, 80, 2, 3, 18, filled=True)
    canvas.text(222, 135, "*Z*")
    canvas.tensor(282, 80, 2, 3, 18)
    canvas.text(298, 135, "*Y*")
    canvas.box(202, 180, 140, 34, "processor: *Y* + *Z*")
    canvas.data((102, 98), (202, 98))
    canvas.text(135, 91, "copy", size=SMALL)
    canvas.data((240, 120), (240, 176))
    canvas.data((316, 120), (316, 176))
    return canvas


# Krizhevsky, Sutskever and Hinton (2012), figure 2 and section 3.5: what one of the two GPUs holds, and
# whether the layer reads the outputs of both.
ALEXNET_LAYERS = (
    (("convolution 11 × 11 × 3", "48 kernels, max-pooling"), True),
    (("convolution 5 × 5 × 48", "128 kernels, max-pooling"), False),
    (("convolution 3 × 3 × 256", "192 kernels"), True),
    (("convolution 3 × 3 × 192", "192 kernels"), False),
    (("convolution 3 × 3 × 192", "128 kernels, max-pooling"), False),
    (("dense", "2,048 units"), True),
    (("dense", "2,048 units"), True),
)


def alexnet_original() -> Canvas:
    """The two-GPU AlexNet: each GPU holds half of every layer, and three layers read both halves."""
    canvas = Canvas(height=628)
    lefts, width, tall = (10, 194), 156, 36
    middles = [left + width / 2 for left in lefts]
    for number, left in enumerate(lefts):
        canvas.device(left - 6, 52, width + 12, 516, number, "GPU")
    canvas.box(66, 2, 228, 30, f"image, 224 {MULTIPLY} 224 {MULTIPLY} 3")
    y = 96.0
    for index, (lines, reads_both) in enumerate(ALEXNET_LAYERS):
        for number, left in enumerate(lefts):
            canvas.box(left, y, width, tall, *lines)
            if index == 0:
                canvas.data((middles[number], 33), (middles[number], y - 3))
                continue
            above = y - (42 if reads_both else 20) + 1
            canvas.data((middles[number], above), (middles[number], y - 3))
            if reads_both:
                canvas.data((middles[1 - number], above), (middles[number] + (24, -24)[number], y - 3))
        crossed_next = index + 1 < len(ALEXNET_LAYERS) and ALEXNET_LAYERS[index + 1][1]
        y += tall + (42 if crossed_next else 20)
    canvas.box(66, 594, 228, 30, "dense: scores of 1,000 classes")
    for middle in middles:
        canvas.data((middle, y - 20 + 1), (middle, 591))
    return canvas


BARS = tuple(126 + 60 * layer for layer in range(4))  # left edges of four layers inside a wide device
BAR = 30


def _by_layers(canvas: Canvas, top: float) -> None:
    """Device 1 continues what device 0 began."""
    canvas.text(4, top, "By layers", anchor="start", bold=True)
    middle = top + 70
    canvas.tensor(6, middle - 24, 4, 2, 12, filled=True)
    for number, left in enumerate((52, 212)):
        canvas.device(left, top + 10, 144, 106, number)
    bars = (88, 150, 248, 310)
    canvas.data((33, middle), (bars[0] - 3, middle))
    for number, bar in enumerate(bars):
        canvas.box(bar, middle - 28, BAR, 56, str(number + 1))
        if number < 3:
            canvas.data((bar + BAR + 2, middle), (bars[number + 1] - 3, middle))


def _within_layers(canvas: Canvas, top: float) -> None:
    """Every part of a layer needs what both devices computed in the layer before."""
    canvas.text(4, top, "Within layers, by channels", anchor="start", bold=True)
    centres = (top + 62, top + 150)
    for number, centre in enumerate(centres):
        canvas.device(52, centre - 52, 304, 76, number)
    between = (centres[0] + centres[1]) / 2
    canvas.tensor(6, between - 24, 4, 2, 12, filled=True)
    for number, centre in enumerate(centres):
        canvas.data((33, between), (42, between), (42, centre), (BARS[0] - 3, centre))
        for layer, bar in enumerate(BARS):
            canvas.box(bar, centre - 14, BAR, 28, f"{layer + 1}{'ab'[number]}")
            if layer < 3:
                canvas.data((bar + BAR + 2, centre), (BARS[layer + 1] - 3, centre))
                landing = centres[1 - number] + (-10 if number == 0 else 10)
                canvas.data((bar + BAR + 2, centre), (BARS[layer + 1] - 3, landing))


def _by_data(canvas: Canvas, top: float) -> None:
    """Every device has all layers and a share of the examples; gradients meet, layer by layer."""
    canvas.text(4, top, "By data", anchor="start", bold=True)
    centres = (top + 76, top + 194)
    for number, centre in enumerate(centres):
        canvas.device(52, centre - 66, 304, 104, number)
    for number, centre in enumerate(centres):
        canvas.tensor(6, centre - 12, 2, 2, 12, filled=True)
        canvas.data((33, centre), (BARS[0] - 3, centre))
        for layer, bar in enumerate(BARS):
            canvas.box(bar, centre - 28, BAR, 56, str(layer + 1))
            if layer < 3:
                canvas.data((bar + BAR + 2, centre), (BARS[layer + 1] - 3, centre))
            start, end = (centre + 30, centres[1] - 31) if number == 0 else (centre - 30, centres[0] + 31)
            x = bar + (BAR / 2 - 6, BAR / 2 + 6)[number]
            canvas.gradient((x, start), (x, end))


def splitting() -> Canvas:
    """Four layers on two devices, split by layers, within layers, and by data."""
    canvas = Canvas(height=632)
    _by_layers(canvas, 14)
    _within_layers(canvas, 164)
    _by_data(canvas, 372)
    canvas.data((6, 622), (40, 622))
    canvas.text(46, 626, "data", anchor="start", size=SMALL)
    canvas.gradient((100, 622), (134, 622))
    canvas.text(140, 626, "gradients", anchor="start", size=SMALL)
    return canvas


def data_parallel() -> Canvas:
    """One step of data parallelism, from the minibatch at the top to equal parameters at the bottom."""
    canvas = Canvas(height=414)
    lefts, width = (92, 228), 128
    for number, left in enumerate(lefts):
        canvas.device(left, 58, width, 350, number)
    canvas.text(4, 27, "minibatch", anchor="start")
    for number, (name, y) in enumerate((("scatter", 104), ("forward,", 166), ("all-reduce", 272), ("update", 376))):
        canvas.text(4, y, str(number + 1), anchor="start", bold=True)
        canvas.text(17, y, name, anchor="start")
    canvas.text(17, 182, "backward", anchor="start")
    canvas.tensor(200, 10, 2, 8, 12, filled=True)
    for number, left in enumerate(lefts):
        middle, across = left + width / 2, lefts[1 - number] + width / 2
        canvas.data((224 + 48 * number, 37), (left + 92, 84))
        canvas.tensor(left + 68, 87, 2, 4, 12, filled=True)
        canvas.data((left + 92, 114), (left + 92, 148))
        canvas.box(left + 6, 151, width - 12, 40, "loss of its shard,", "gradient in *w*")
        canvas.gradient((middle, 193), (middle, 216))
        canvas.text(middle, 232, f"*g*_{number}")
        canvas.gradient((middle, 240), (middle, 297))
        canvas.gradient((middle + (8, -8)[number], 240), (across + (-20, 20)[number], 297))
        canvas.box(left + 6, 300, width - 12, 28, "*g* = *g*_0 + *g*_1", size=TEXT)
        canvas.gradient((middle, 330), (middle, 355))
        canvas.box(left + 6, 358, width - 12, 28, f"*w* {ARROW} *w* {MINUS} {ETA}*g*/*n*", size=TEXT)
    return canvas


def residual_block() -> Canvas:
    """A residual block, plain at the left, with a 1 x 1 convolution on its side path at the right."""
    canvas = Canvas(height=372)
    for left, adapted in ((16, False), (190, True)):
        width, middle, side = 96, left + 48, left + 132
        stride = ", stride 2" if adapted else ""
        canvas.text(middle, 366, "*x*")
        canvas.data((middle, 352), (middle, 321))
        canvas.line((middle, 338), (side, 338), colour=DATA, width=2)
        y = 288.0
        for index, label in enumerate(
            (f"3 {MULTIPLY} 3{stride}", "batch norm", "ReLU", f"3 {MULTIPLY} 3", "batch norm")
        ):
            canvas.box(left, y, width, 30, label)
            y -= 44
            canvas.data((middle, y + 43), (middle, y + (33 if index < 4 else 29)))
        canvas.circle(middle, y + 17, 11)
        canvas.text(middle, y + 21.5, "+", bold=True)
        if adapted:
            canvas.data((side, 338), (side, 241))
            canvas.box(side - 29, 192, 58, 46, f"1 {MULTIPLY} 1", "stride 2", size=SMALL)
            canvas.data((side, 191), (side, y + 17), (middle + 14, y + 17))
        else:
            canvas.data((side, 338), (side, y + 17), (middle + 14, y + 17))
        canvas.data((middle, y + 5), (middle, y - 11))
        canvas.box(left, y - 44, width, 30, "ReLU")
        canvas.data((middle, y - 45), (middle, y - 62))
    return canvas


UNIT, FIRST = 24, 64  # a dispatch, a run and a read take a unit each; where time begins


def _timeline(canvas: Canvas, top: float, title: str, *times: tuple[str, int, str, float]) -> None:
    """What Python and the device do: `times` are (row, unit, colour, opacity)."""
    canvas.text(4, top, title, anchor="start", bold=True)
    rows = {"Python": top + 12, "device": top + 40}
    for row, y in rows.items():
        canvas.text(4, y + 15, row, anchor="start", size=SMALL)
        canvas.line((FIRST, y + 22), (FIRST + 12 * UNIT, y + 22), width=1)
    for row, unit, colour, opacity in times:
        canvas.bar(FIRST + unit * UNIT, rows[row], UNIT, 20, colour, opacity)


def waiting() -> Canvas:
    """Four computations, their results read at the end, or one by one."""
    canvas = Canvas(height=196)
    dispatch, run, read = (DATA, 0.25), (GRADIENT, 0.35), (INK, 0.1)
    pairs = (("Python", 0, dispatch), ("device", 1, run))
    once = [(row, i + late, *look) for i in range(4) for row, late, look in pairs]
    _timeline(canvas, 14, "Read at the end", *once, ("Python", 5, *read))
    steps = (("Python", dispatch), ("device", run), ("Python", read))
    each = [(row, 3 * i + late, *look) for i in range(4) for late, (row, look) in enumerate(steps)]
    _timeline(canvas, 104, "Read one by one", *each)
    for x, name, look in ((FIRST, "dispatch", dispatch), (FIRST + 108, "run", run), (FIRST + 184, "read", read)):
        canvas.bar(x, 178, UNIT, 14, *look)
        canvas.text(x + UNIT + 6, 190, name, anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "copyto": copyto,
    "waiting": waiting,
    "alexnet-original": alexnet_original,
    "splitting": splitting,
    "data-parallel": data_parallel,
    "residual-block": residual_block,
    **attention.FIGURES,
    **batch_norm.FIGURES,
    **collectives.FIGURES,
    **communicate_less.FIGURES,
    **jobs.FIGURES,
    **cost_model.FIGURES,
    **interconnects.FIGURES,
    **lenet.FIGURES,
    **long_context.FIGURES,
    **meshes.FIGURES,
    **maps.FIGURES,
    **model_parallel.FIGURES,
    **parameterserver.FIGURES,
    **precision.FIGURES,
    **transformer.FIGURES,
    **zero.FIGURES,
}
