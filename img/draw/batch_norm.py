"""The figure of the page on batch normalization."""

from __future__ import annotations

from collections.abc import Callable

from canvas import SMALL, Canvas

SUM = "\N{GREEK CAPITAL LETTER SIGMA}"
MU = "\N{GREEK SMALL LETTER MU}"
SIGMA = "\N{GREEK SMALL LETTER SIGMA}"
MINUS = "\N{MINUS SIGN}"


def synchronized() -> Canvas:
    """Two devices whose sums meet in an all-reduce, forward along solid and backward along dashed arrows."""
    canvas = Canvas(height=300)
    lefts, width = (4, 236), 120
    for number, left in enumerate(lefts):
        middle = left + width / 2
        canvas.device(left, 4, width, 292, number)
        canvas.box(left + 8, 40, width - 16, 40, "hidden layer *H*", "of its examples")
        canvas.data((middle, 82), (middle, 101))
        canvas.box(
            left + 8, 104, width - 16, 40, f"sums: {SUM} *h*, then", f"{SUM} (*h* {MINUS} {MU})\N{SUPERSCRIPT TWO}"
        )
        canvas.box(left + 8, 178, width - 16, 26, f"{MU}, {SIGMA}\N{SUPERSCRIPT TWO} of all *n*")
        canvas.data((middle, 206), (middle, 237))
        canvas.box(left + 8, 240, width - 16, 40, "normalized *H*", "of its examples")
    canvas.box(140, 118, 80, 76, "all-reduce", "forward", "and back")
    for inner, outer, sign in ((140, 116, 1), (220, 244, -1)):
        canvas.data((outer, 128), (inner - 3 * sign, 134))
        canvas.data((inner, 178), (outer + 3 * sign, 184))
        canvas.gradient((inner, 146), (outer + 3 * sign, 138))
        canvas.gradient((outer, 196), (inner - 3 * sign, 189))
    canvas.text(180, 222, "dashed: gradients", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"batch_norm": synchronized}
