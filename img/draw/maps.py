"""The maps: of the book on its first page, of each chapter on the chapter's."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, MUTED, SMALL, Canvas

LANE = 30


def four_chapters() -> Canvas:
    """One device, several with a copy of the model each, several with a part of it each, and many machines."""
    canvas = Canvas(height=216)
    for index, title in enumerate(("1 One device", "2 The same model on each", "3 A part on each", "4 Many machines")):
        canvas.text(4 + 184 * (index % 2), 16 + 110 * (index // 2), title, anchor="start", bold=True, size=SMALL)
    canvas.device(46, 24, 84, 72, 0, "")
    canvas.tensor(78, 50, 4, 4, 10, filled=True)
    canvas.data((8, 66), (44, 66))
    canvas.data((132, 66), (168, 66))
    for number, left in enumerate((188, 286)):
        canvas.device(left, 24, 70, 72, number, "")
        canvas.tensor(left + 25, 50, 4, 4, 10, filled=True)
    canvas.gradient((262, 54), (282, 54))
    canvas.gradient((282, 74), (262, 74))
    for number in range(4):
        left = 4 + 43 * number
        canvas.device(left, 134, 38, 72, number, "")
        canvas.tensor(left + 5, 162, 4, 4, 7, colour=MUTED)
        canvas.tensor(left + 5 + 7 * number, 162, 4, 1, 7, filled=True)
    for server in range(3):
        top = 134 + 25 * server
        canvas.box(188, top, 168, 22, "", "")
        for device in range(4):
            if (server, device) != (1, 2):
                canvas.tensor(200 + 40 * device, top + 6, 1, 3, 9, filled=True)
            else:
                canvas.tensor(200 + 40 * device, top + 6, 1, 3, 9, colour=GRADIENT)
                canvas.line((198 + 40 * device, top + 19), (229 + 40 * device, top + 2), colour=GRADIENT, width=2)
    return canvas


def _lanes(canvas: Canvas, top: float, names: tuple[str, ...]) -> tuple[float, ...]:
    """Names at the left, one below the other; where their lanes begin."""
    tops = tuple(top + index * (LANE + 10) for index in range(len(names)))
    for y, name in zip(tops, names, strict=True):
        canvas.text(4, y + LANE / 2 + 4, name, anchor="start", size=SMALL)
    return tops


def _time(canvas: Canvas, y: float) -> None:
    canvas.line((64, y), (354, y), width=1)
    canvas.text(354, y + 16, "time", anchor="end", size=SMALL)


def _idle(canvas: Canvas, x: float, y: float, width: float, name: str) -> None:
    canvas.bar(x, y, width, LANE, MUTED, 0.12)
    canvas.text(x + width / 2, y + LANE / 2 + 4, name, size=SMALL)


def one_device() -> Canvas:
    """A program queues two steps and waits; the link copies the second batch while the device computes on the first."""
    canvas = Canvas(height=152)
    program, link, device = _lanes(canvas, 4, ("program", "link", "device"))
    for number, left in enumerate((64, 108), 1):
        canvas.box(left, program, 40, LANE, f"call {number}")
    _idle(canvas, 152, program, 146, "waits")
    canvas.box(302, program, 50, LANE, "print")
    for number, left in enumerate((86, 150), 1):
        canvas.bar(left, link, 56, LANE, DATA, 0.2)
        canvas.text(left + 28, link + LANE / 2 + 4, f"copy {number}", size=SMALL)
    for number, left in enumerate((146, 222), 1):
        canvas.box(left, device, 72, LANE, f"compute {number}")
    canvas.data((298, device + 15), (327, device + 15), (327, program + LANE + 3))
    _time(canvas, 126)
    return canvas


def several_devices() -> Canvas:
    """A step on one device, and on two: half of the arithmetic on each, then an exchange that one does not need."""
    canvas = Canvas(height=196)
    canvas.text(4, 14, "One device", anchor="start", bold=True)
    alone, first, second = 22.0, 86.0, 126.0
    canvas.text(4, alone + LANE / 2 + 4, "device 0", anchor="start", size=SMALL)
    canvas.box(64, alone, 220, LANE, "256 images")
    canvas.box(288, alone, 64, LANE, "update")
    canvas.text(4, 78, "Two devices", anchor="start", bold=True)
    for number, top in enumerate((first, second)):
        canvas.text(4, top + LANE / 2 + 4, f"device {number}", anchor="start", size=SMALL)
        canvas.box(64, top, 110, LANE, "128 images")
        canvas.box(222, top, 64, LANE, "update")
    canvas.gradient((186, first + 8), (186, second + LANE - 8))
    canvas.gradient((210, second + LANE - 8), (210, first + 8))
    canvas.text(198, second + LANE + 14, "add the gradients", size=SMALL)
    _time(canvas, 176)
    return canvas


def large_models() -> Canvas:
    """What training keeps in memory is more than a device has; beside each part what is done about it."""
    canvas = Canvas(height=252)
    parts = (
        (34, MUTED, "activations", "cut layers, or cut between them"),
        (116, DATA, "state of the optimizer", "keep each number on one device only"),
        (32, GRADIENT, "gradients", "the same, once they are added up"),
        (32, INK, "parameters", "the same; or cut the layers"),
    )
    y = 22.0
    for tall, colour, name, remedy in parts:
        canvas.bar(20, y, 92, tall, colour, 0.2)
        middle = y + tall / 2
        canvas.text(122, middle - 2, name, anchor="start", bold=True, size=SMALL)
        canvas.text(122, middle + 13, remedy, anchor="start", size=SMALL)
        y += tall + 4
    canvas.line((8, 92), (356, 92), dashes="4 3")
    canvas.text(356, 87, "memory of one device", anchor="end", size=SMALL)
    return canvas


def many_machines() -> Canvas:
    """Three servers: one is late and the others wait, one fails and all go back to the last checkpoint."""
    canvas = Canvas(height=160)
    tops = _lanes(canvas, 4, ("server 0", "server 1", "server 2"))
    for server, top in enumerate(tops):
        canvas.box(64, top, 40, LANE, "step 1")
        late = server == 1
        canvas.box(108, top, 62 if late else 40, LANE, "step 2")
        if not late:
            _idle(canvas, 148, top, 22, "")
        canvas.bar(174, top, 36, LANE, DATA, 0.2)
        canvas.text(192, top + LANE / 2 + 4, "save", size=SMALL)
        if server == 2:
            canvas.line((218, top + 4), (240, top + LANE - 4), colour=GRADIENT, width=2)
            canvas.line((240, top + 4), (218, top + LANE - 4), colour=GRADIENT, width=2)
        else:
            canvas.bar(214, top, 30, LANE, GRADIENT, 0.15)
            canvas.text(229, top + LANE / 2 + 4, "3", size=SMALL)
        canvas.bar(260, top, 36, LANE, DATA, 0.2)
        canvas.text(278, top + LANE / 2 + 4, "load", size=SMALL)
        canvas.box(300, top, 52, LANE, "step 3")
    _time(canvas, 126)
    for left, right, name in ((108, 170, "a straggler"), (174, 296, "a failure")):
        for ends in ((left, 133), (left, 138)), ((left, 138), (right, 138)), ((right, 138), (right, 133)):
            canvas.line(*ends, width=1)
        canvas.text((left + right) / 2, 152, name, size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "four-chapters": four_chapters,
    "map-one-device": one_device,
    "map-several-devices": several_devices,
    "map-large-models": large_models,
    "map-many-machines": many_machines,
}
