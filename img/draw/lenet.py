"""The figure of LeNet: its layers, and where its parameters and its arithmetic are."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, MUTED, SMALL, Canvas

# Layer, output, parameters, FLOPs of a forward pass for one image: `tab_lenet_count`.
LAYERS = (
    ("convolution 3×3", "20×26×26", 200, 243_360),
    ("convolution 5×5", "50×9×9", 25_050, 4_050_000),
    ("linear", "128", 102_528, 204_800),
    ("linear", "10", 1_290, 2_560),
)
BETWEEN = ("ReLU, pooling: 20×13×13", "ReLU, pooling: 50×4×4", "ReLU")


def lenet() -> Canvas:
    """The layers from top to bottom, and beside each its share of the parameters and of the FLOPs."""
    canvas = Canvas(height=330)
    canvas.text(4, 16, "image: 1×28×28", anchor="start", size=SMALL)
    canvas.text(188, 16, "parameters", anchor="start", size=SMALL)
    canvas.text(278, 16, "FLOPs", anchor="start", size=SMALL)
    columns = ((188, 2, DATA), (278, 3, GRADIENT))
    for row, layer in enumerate(LAYERS):
        top = 38 + row * 76
        canvas.data((80, top - 18), (80, top - 2))
        canvas.box(4, top, 156, 40, f"{layer[0]}:", layer[1])
        for left, column, colour in columns:
            share = int(layer[column]) / sum(int(other[column]) for other in LAYERS)
            canvas.line((left, top), (left, top + 40), colour=MUTED, width=1)
            canvas.bar(left, top + 8, max(1, 42 * share), 24, colour, 0.3)
            percent = f"{share:.0%}" if share >= 0.005 else "< 1%"
            canvas.text(left + 42 * share + 6, top + 24, percent, anchor="start", size=SMALL)
        if row < len(BETWEEN):
            canvas.text(88, top + 54, BETWEEN[row], anchor="start", size=SMALL, colour=MUTED)
            canvas.line((80, top + 40), (80, top + 60))
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"lenet": lenet}
