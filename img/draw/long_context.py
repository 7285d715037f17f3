"""The figures of the page on long sequences."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, MUTED, SMALL, Canvas

CHUNKS, CELL = 8, 18
TINTS = {0: (DATA, 0.3), 3: (GRADIENT, 0.3)}
EMPTY = (MUTED, 0.12)


def ring_attention() -> Canvas:
    """Four devices in round 1: queries stay, keys and values move on."""
    canvas = Canvas(height=196)
    width, gap = 76, 18
    for number in range(4):
        left = 1 + number * (width + gap)
        canvas.device(left, 4, width, 132, number, name="")
        canvas.text(left + 66, 25, "stays", anchor="end", size=SMALL)
        canvas.box(left + 10, 38, width - 20, 28, f"*Q*_{number}")
        canvas.bar(left + 10, 84, width - 20, 28, DATA, 0.25)
        canvas.text(left + width / 2, 103, f"*K*_{(number - 1) % 4}, *V*_{(number - 1) % 4}")
        canvas.text(left + width / 2, 129, "moves", size=SMALL)
    for number in range(3):
        left = 1 + number * (width + gap)
        canvas.data((left + width - 9, 98), (left + width + gap + 8, 98))
    right, bottom = 1 + 3 * (width + gap) + width / 2, 164
    canvas.line((right, 138), (right, bottom), colour=DATA)
    canvas.line((right, bottom), (1 + width / 2, bottom), colour=DATA)
    canvas.data((1 + width / 2, bottom), (1 + width / 2, 139))
    canvas.text(180, 184, "to the next device, from the last to the first", size=SMALL)
    return canvas


def _triangle(canvas: Canvas, left: float, title: str, owners: list[int]) -> None:
    """The causal blocks of scores, each with the number of the device that computes it."""
    canvas.text(left + CHUNKS * CELL / 2, 16, title, bold=True)
    for row, owner in enumerate(owners):
        for column in range(CHUNKS):
            x, y = left + column * CELL, 28 + row * CELL
            if column > row:
                canvas.bar(x, y, CELL, CELL, *EMPTY)
                continue
            canvas.bar(x, y, CELL, CELL, *TINTS.get(owner, (INK, 0.06)))
            canvas.text(x + CELL / 2, y + 13.5, str(owner), size=SMALL)
    y = 28 + CHUNKS * CELL
    canvas.text(left + CHUNKS * CELL / 2, y + 18, "keys, by chunks", size=SMALL)
    for device in range(4):
        blocks = sum(row + 1 for row, owner in enumerate(owners) if owner == device)
        canvas.text(left + 36 * device + 18, y + 58, str(blocks), bold=True)
        canvas.text(left + 36 * device + 18, y + 42, str(device), size=SMALL)


def zigzag() -> Canvas:
    """Causal blocks by device, in contiguous and in zigzag order."""
    canvas = Canvas(height=236)
    _triangle(canvas, 56, "contiguous", [0, 0, 1, 1, 2, 2, 3, 3])
    _triangle(canvas, 212, "zigzag", [0, 1, 2, 3, 3, 2, 1, 0])
    canvas.text(50, 96, "queries,", anchor="end", size=SMALL)
    canvas.text(50, 111, "by", anchor="end", size=SMALL)
    canvas.text(50, 126, "chunks", anchor="end", size=SMALL)
    canvas.text(50, 214, "device", anchor="end", size=SMALL)
    canvas.text(50, 230, "blocks", anchor="end", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"ring-attention": ring_attention, "zigzag": zigzag}
