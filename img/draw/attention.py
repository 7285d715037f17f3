"""The figures of the pages on attention and on activations."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, INK, MUTED, SMALL, Canvas

TILES, CELL, TOP, LEFT = 5, 34, 62, 78
ROW = 3  # the tile of queries that is being worked on


def attention_tiles() -> Canvas:
    """The scores of five tiles of queries with five of keys: of one row the tiles up to the diagonal are computed."""
    canvas = Canvas(height=278)
    canvas.text(LEFT + TILES * CELL / 2, 16, "keys and values", size=SMALL)
    canvas.text(4, TOP + 14, "queries", anchor="start", size=SMALL)
    for index in range(TILES):
        read = index <= ROW
        canvas.bar(LEFT + index * CELL, 26, CELL - 4, 22, DATA if read else MUTED, 0.25)
        canvas.bar(42, TOP + index * CELL, 24, CELL - 4, DATA if index == ROW else MUTED, 0.25)
        for column in range(TILES):
            x, y, size = LEFT + column * CELL, TOP + index * CELL, CELL - 4
            if column > index:
                canvas.bar(x, y, size, size, MUTED, 0.0, dashes="2 3")
                canvas.text(x + size / 2, y + 19, "skip", size=SMALL - 1, colour=MUTED)
            else:
                canvas.bar(x, y, size, size, INK if index == ROW else MUTED, 0.3 if index == ROW else 0.12)
    y = TOP + ROW * CELL + CELL / 2 - 2
    canvas.data((LEFT + 4, y), (LEFT + (ROW + 1) * CELL - 8, y))
    canvas.data((LEFT + TILES * CELL, y), (LEFT + TILES * CELL + 14, y))
    canvas.box(266, y - 28, 90, 56, "*m*, *l*, *o*", "for each row")
    canvas.text(311, y - 36, "on chip", size=SMALL)
    canvas.text(LEFT, 252, "A tile of scores exists until the next one is computed.", anchor="start", size=SMALL)
    canvas.text(LEFT, 268, "Only *o*/*l* is written to memory.", anchor="start", size=SMALL)
    return canvas


# What is kept, in units of sbh numbers, for as/h = 4: between the cuts, inside them, attention's weights.
KEPT = (
    ("one device", 4, 12, 4),
    ("two, tensor parallelism", 4, 6, 2),
    ("and sequence parallelism", 2, 6, 2),
    ("and selective recomputation", 2, 6, 0),
    ("or full recomputation", 0.5, 0, 0),
)
UNIT, BAR, LINE = 17, 20, 46


def activations_kept() -> Canvas:
    """What a device keeps of a block for the backward pass, with one remedy after the other."""
    canvas = Canvas(height=len(KEPT) * LINE + 58)
    for index, (name, *parts) in enumerate(KEPT):
        y, x = 16 + index * LINE, 4.0
        canvas.text(x, y, name, anchor="start", size=SMALL)
        for size, colour in zip(parts, (INK, DATA, GRADIENT), strict=True):
            if size:
                canvas.bar(x, y + 5, size * UNIT, BAR, colour, 0.25)
                if size >= 1:
                    canvas.text(x + size * UNIT / 2, y + 19, str(size), size=SMALL)
            x += size * UNIT
    y = canvas.height - 44
    for row, (colour, name) in enumerate(
        ((INK, "between the cuts"), (DATA, "inside the cut layers"), (GRADIENT, "weights of attention, *as*/*h*"))
    ):
        canvas.bar(4, y + row * 16, 10, 10, colour, 0.25)
        canvas.text(20, y + row * 16 + 9.5, name, anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {
    "attention-tiles": attention_tiles,
    "activations-kept": activations_kept,
}
