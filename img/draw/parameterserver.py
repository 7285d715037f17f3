"""The figures of the page on many machines: who runs where, and parameter servers, one, several, in two levels."""

from __future__ import annotations

from collections.abc import Callable

from canvas import SMALL, Canvas


def _process(canvas: Canvas, x: float, y: float, width: float, height: float, label: str) -> None:
    canvas.region(x, y, width, height, label)


def _legend(canvas: Canvas, y: float) -> None:
    canvas.gradient((6, y), (40, y))
    canvas.text(46, y + 4, "gradients", anchor="start", size=SMALL)
    canvas.data((120, y), (154, y))
    canvas.text(160, y + 4, "parameters", anchor="start", size=SMALL)


def process_models() -> Canvas:
    """One process with threads; one process per device; a server and workers."""
    canvas = Canvas(height=436)
    canvas.text(4, 15, "One process, a thread per device", anchor="start", bold=True)
    _process(canvas, 4, 24, 352, 84, "process")
    for number, left in enumerate((16, 236)):
        canvas.device(left, 50, 108, 48, number)
    canvas.box(142, 60, 76, 28, "memory")
    canvas.gradient((125, 68), (140, 68))
    canvas.gradient((235, 68), (220, 68))
    canvas.data((141, 82), (127, 82))
    canvas.data((219, 82), (233, 82))

    canvas.text(4, 136, "One process per device", anchor="start", bold=True)
    for number, left in enumerate((4, 228)):
        _process(canvas, left, 145, 128, 84, f"process {number}")
        canvas.device(left + 10, 171, 108, 48, number)
    canvas.gradient((134, 188), (226, 188))
    canvas.gradient((226, 204), (134, 204))

    canvas.text(4, 257, "Workers and a server", anchor="start", bold=True)
    _process(canvas, 116, 266, 128, 52, "server")
    canvas.box(126, 286, 108, 26, "parameters")
    for number, left in enumerate((4, 228)):
        _process(canvas, left, 330, 128, 74, f"worker {number}")
        canvas.device(left + 10, 354, 108, 44, number)
    canvas.gradient((60, 330), (60, 286), (114, 286))
    canvas.data((116, 304), (84, 304), (84, 328))
    canvas.gradient((300, 330), (300, 286), (246, 286))
    canvas.data((244, 304), (276, 304), (276, 328))
    _legend(canvas, 424)
    return canvas


WORKERS = tuple(4 + 91 * number for number in range(4))
WIDE = 79


def _workers(canvas: Canvas, y: float) -> None:
    for number, left in enumerate(WORKERS):
        canvas.device(left, y, WIDE, 42, number, "worker")


def ps() -> Canvas:
    """Four workers and one server: all traffic passes the server's connection."""
    canvas = Canvas(height=222)
    canvas.box(110, 6, 140, 40, "server", "all parameters")
    _workers(canvas, 150)
    for number, left in enumerate(WORKERS):
        middle, port = left + WIDE / 2, 134 + 31 * number
        canvas.gradient((middle - 7, 148), (port - 6, 50))
        canvas.data((port + 6, 48), (middle + 7, 146))
    _legend(canvas, 212)
    return canvas


def ps_multips() -> Canvas:
    """Two servers, each with half of the parameters; every worker talks to both."""
    canvas = Canvas(height=252)
    for number, left in enumerate((16, 204)):
        canvas.box(left, 6, 140, 40, f"server {number}", f"{('first', 'second')[number]} half")
    _workers(canvas, 180)
    for server, left in enumerate((16, 204)):
        for number, worker in enumerate(WORKERS):
            middle = worker + WIDE / 2 + (-14, 14)[server]
            port = left + 19 + 34 * number
            canvas.gradient((middle - 5, 178), (port - 5, 50))
            canvas.data((port + 5, 48), (middle + 5, 176))
    _legend(canvas, 242)
    return canvas


def ps_multimachine() -> Canvas:
    """Two machines of two devices each: sums inside first, one gradient leaves each machine."""
    canvas = Canvas(height=304)
    canvas.box(110, 6, 140, 40, "server", "all parameters")
    for number, left in enumerate((4, 186)):
        middle = left + 85
        _process(canvas, left, 104, 170, 168, "")
        canvas.text(left + 7, 266, f"machine {number}", anchor="start", size=SMALL)
        canvas.box(middle - 50, 116, 100, 30, "sum of both")
        for device in range(2):
            x = left + 8 + 80 * device
            canvas.device(x, 202, 74, 42, 2 * number + device, "GPU")
            inner = middle + (-26, 26)[device]
            canvas.gradient((x + 30, 200), (inner - 7, 150))
            canvas.data((inner + 7, 148), (x + 44, 198))
        port = 180 + (-36, 36)[number]
        canvas.gradient((middle - 7, 114), (port - 7, 50))
        canvas.data((port + 7, 48), (middle + 7, 112))
    _legend(canvas, 292)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "process-models": process_models,
    "ps": ps,
    "ps-multips": ps_multips,
    "ps-multimachine": ps_multimachine,
}
