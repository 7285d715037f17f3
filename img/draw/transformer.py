"""The figure of the page on the transformer."""

from __future__ import annotations

from collections.abc import Callable

from canvas import SMALL, Canvas

# Layers from the input on, with their parameters and the FLOPs of a token forward; an empty name adds the input.
LAYERS = (
    ("LayerNorm", "2*h*", ""),
    ("queries, keys, values", "3*h*² + 3*h*", "6*h*²"),
    ("causal attention", "", "4*sh*"),
    ("output projection", "*h*² + *h*", "2*h*²"),
    ("", "", ""),
    ("LayerNorm", "2*h*", ""),
    ("up, GELU", "4*h*² + 4*h*", "8*h*²"),
    ("down", "4*h*² + *h*", "8*h*²"),
    ("", "", ""),
)
LEFT, WIDE, TALL, STEP = 34, 158, 28, 42
PARAMETERS, FLOPS = 246, 322


def transformer_block() -> Canvas:
    """A block from its input at the top: attention, then an MLP, each behind a LayerNorm and added to its input."""
    canvas = Canvas(height=48 + STEP * len(LAYERS))
    middle, y, start = LEFT + WIDE / 2, 46.0, 30.0
    canvas.text(middle, 16, "*b* × *s* × *h*", size=SMALL)
    canvas.text(PARAMETERS, 16, "parameters", bold=True, size=SMALL)
    canvas.text(FLOPS, 16, "FLOPs", bold=True, size=SMALL)
    canvas.data((middle, 22), (middle, y - 2))
    for index, (name, parameters, flops) in enumerate(LAYERS):
        if name:
            canvas.box(LEFT, y, WIDE, TALL, name)
            canvas.text(PARAMETERS, y + 18, parameters, size=SMALL)
            canvas.text(FLOPS, y + 18, flops, size=SMALL)
        else:
            canvas.circle(middle, y + TALL / 2, 11)
            canvas.text(middle, y + TALL / 2 + 4.5, "+", bold=True)
            canvas.data((middle, start), (14, start), (14, y + TALL / 2), (middle - 13, y + TALL / 2))
            start = y + TALL + 4
        below = 25 if not name else TALL
        last = index + 1 == len(LAYERS)
        upper = y + STEP + (3 if not last and not LAYERS[index + 1][0] else 0)
        canvas.data((middle, y + below + 1), (middle, upper - 2))
        y += STEP
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"transformer-block": transformer_block}
