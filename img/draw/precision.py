"""How short formats divide their bits."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, SMALL, Canvas

# Bits of the exponent, and of the significand without its first bit.
FORMATS = {"float32": (8, 23), "TF32": (8, 10), "bfloat16": (8, 7), "float16": (5, 10), "E5M2": (5, 2), "E4M3": (4, 3)}
LEFT, BIT = 68, 9


def formats() -> Canvas:
    """A row of bits for each format: sign, exponent, significand."""
    canvas = Canvas(height=204)
    for row, (name, (exponent, significand)) in enumerate(FORMATS.items()):
        y = 6 + 28 * row
        canvas.text(4, y + 15, name, anchor="start", size=SMALL)
        x = LEFT
        for bits, colour, opacity in ((1, INK, 0.1), (exponent, DATA, 0.25), (significand, GRADIENT, 0.3)):
            canvas.bar(x, y, bits * BIT, 20, colour, opacity)
            if bits > 1:
                canvas.text(x + bits * BIT / 2, y + 15, str(bits), size=SMALL)
            x += bits * BIT
    legend = ((LEFT, "sign", INK, 0.1), (136, "exponent", DATA, 0.25), (226, "significand", GRADIENT, 0.3))
    for x, name, colour, opacity in legend:
        canvas.bar(x, 184, 14, 14, colour, opacity)
        canvas.text(x + 20, 196, name, anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"formats": formats}
