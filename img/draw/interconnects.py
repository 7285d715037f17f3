"""The figure of the interconnects: `two-levels`."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, SMALL, Canvas

PER_SERVER = 4


def two_levels() -> Canvas:
    """Two servers of four devices: each device has a link to its server's switch, and an adapter to the network."""
    canvas = Canvas(height=214)
    for server, left in enumerate((4, 188)):
        canvas.region(left, 4, 168, 150, f"server {server}")
        canvas.box(left + 12, 28, 144, 24, "switch")
        for index in range(PER_SERVER):
            x = left + 12 + 37 * index
            canvas.device(x, 80, 33, 34, PER_SERVER * server + index, "")
            canvas.line((x + 17, 54), (x + 17, 78), colour=DATA, width=5)
            canvas.bar(x + 9, 128, 16, 14, GRADIENT, 0.2)
            canvas.line((x + 17, 116), (x + 17, 126), colour=GRADIENT)
            canvas.line((x + 17, 144), (x + 17, 170), colour=GRADIENT)
    canvas.box(16, 172, 328, 24, "network between servers")
    canvas.line((16, 207), (36, 207), colour=DATA, width=5)
    canvas.text(42, 211, "link inside", anchor="start", size=SMALL)
    canvas.bar(130, 200, 16, 12, GRADIENT, 0.2)
    canvas.text(152, 211, "network adapter", anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"two-levels": two_levels}
