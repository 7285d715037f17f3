"""The figures of the collectives: `ring`, `tree`, `bucket-overlap`."""

from __future__ import annotations

from collections.abc import Callable

from canvas import DATA, GRADIENT, MUTED, SMALL, Canvas

DEVICES = 4


def ring_states() -> list[list[list[int]]]:
    """How many summands device i holds of piece c, as `state[i][c]`: at the start and after each of 2(k-1) steps."""
    state = [[1] * DEVICES for _ in range(DEVICES)]
    states = [[row[:] for row in state]]
    for step in range(2 * (DEVICES - 1)):
        for device in range(DEVICES):
            piece = (device - step) % DEVICES  # in the second phase, step 3 starts with piece i + 1
            mine, theirs = state[device][piece], state[(device + 1) % DEVICES][piece]
            state[(device + 1) % DEVICES][piece] = mine + theirs if step < DEVICES - 1 else mine
        states.append([row[:] for row in state])
    return states


def _pieces(canvas: Canvas, left: float, top: float, state: list[list[int]], before: list[list[int]]) -> None:
    """A grid of devices by pieces: the number of summands, tinted where complete, ringed where it just changed."""
    cell = 17
    for device, row in enumerate(state):
        for piece, count in enumerate(row):
            x, y = left + piece * cell, top + device * cell
            complete = count == DEVICES
            canvas.bar(x, y, cell, cell, DATA if complete else MUTED, 0.28 if complete else 0.1)
            changed = count != before[device][piece]
            canvas.text(x + cell / 2, y + 13, str(count), size=SMALL, bold=changed)
    canvas.tensor(left, top, DEVICES, DEVICES, cell)


def ring() -> Canvas:
    """Four devices in a circle, what each sends first, and what each holds after every step."""
    canvas = Canvas(height=446)
    places = [(72, 4), (212, 4), (212, 92), (72, 92)]  # clockwise
    for number, (x, y) in enumerate(places):
        canvas.device(x, y, 76, 60, number, "")
        for piece in range(DEVICES):
            canvas.bar(x + 8 + 15 * piece, y + 34, 15, 18, DATA, 0.28 if piece == number else 0.05)
            canvas.text(x + 15.5 + 15 * piece, y + 47, str(piece), size=SMALL, bold=piece == number)
    canvas.gradient((150, 34), (208, 34))
    canvas.gradient((250, 66), (250, 88))
    canvas.gradient((210, 122), (152, 122))
    canvas.gradient((110, 90), (110, 68))
    canvas.text(180, 28, "piece 0", size=SMALL)
    canvas.text(258, 83, "piece 1", anchor="start", size=SMALL)
    canvas.text(180, 116, "piece 2", size=SMALL)
    canvas.text(102, 83, "piece 3", anchor="end", size=SMALL)
    canvas.text(4, 182, "Summands in each piece", anchor="start", bold=True)
    states = ring_states()
    names = ["start", "step 1", "step 2", "step 3", "step 4", "step 5", "step 6"]
    for index, state in enumerate(states):
        first_row = index < DEVICES
        column = index if first_row else index - DEVICES
        left, top = 26 + 86 * column, 226 if first_row else 346
        canvas.text(left + 34, top - 6, names[index], size=SMALL)
        if column == 0:
            for device in range(DEVICES):
                canvas.text(left - 10, top + 17 * device + 13, str(device), size=SMALL)
        _pieces(canvas, left, top, state, states[max(index - 1, 0)])
    canvas.text(26, 202, "steps 1 to 3: reduce-scatter", anchor="start", size=SMALL, colour=MUTED)
    canvas.text(26, 322, "steps 4 to 6: all-gather", anchor="start", size=SMALL, colour=MUTED)
    canvas.text(26, 438, "rows: devices, columns: pieces; bold: just received", anchor="start", size=SMALL)
    return canvas


def tree() -> Canvas:
    """Eight devices: three rounds of sums up to device 0, and the same rounds back."""
    canvas = Canvas(height=294)
    xs = [66 + 40 * device for device in range(8)]
    tops = [16, 149, 278]
    for x in xs:
        canvas.line((x, tops[0]), (x, tops[-1]), colour=MUTED, width=1, dashes="2 3")
    for y in tops:
        for device, x in enumerate(xs):
            canvas.bar(x - 10, y - 11, 20, 22, DATA, 0.28 if y == tops[-1] or (y == tops[1] and device == 0) else 0.05)
            canvas.text(x, y + 4.5, str(device), size=SMALL, bold=True)
    for step in range(3):
        distance = 2**step
        up, down = 32 + 36 * step, 166 + 36 * (2 - step)
        for device in range(0, 8, 2 * distance):
            near, far = xs[device], xs[device + distance]
            canvas.gradient((far - 3, up), (near + 3, up + 22))
            canvas.data((near + 3, down), (far - 3, down + 22))
        count = 4 // distance
        canvas.text(4, up + 15, f"{count} sum{'s' * (count > 1)}", anchor="start", size=SMALL)
        canvas.text(4, down + 15, f"{count} cop{'ies' if count > 1 else 'y'}", anchor="start", size=SMALL)
    return canvas


LAYERS = 6  # arrays of gradients, in the order in which backpropagation finishes them
COMPUTE, LATENCY, BYTES = 24.0, 28.0, 10.0  # units of length for each array: its backward pass, and its all-reduce


def overlap_end(per_bucket: int) -> list[tuple[float, float]]:
    """When the all-reduce of each bucket of `per_bucket` arrays starts and ends."""
    spans, free = [], 0.0
    for last in range(per_bucket, LAYERS + 1, per_bucket):
        start = max(free, last * COMPUTE)
        free = start + LATENCY + per_bucket * BYTES
        spans.append((start, free))
    return spans


def bucket_overlap() -> Canvas:
    """Three timelines of one backward pass: one bucket, one all-reduce an array, and three buckets."""
    canvas = Canvas(height=306)
    left = 74
    variants = (("one bucket, sent at the end", 6), ("every array on its own", 1), ("three buckets", 2))
    for index, (name, per_bucket) in enumerate(variants):
        top = 18 + 92 * index
        canvas.text(4, top, name, anchor="start", bold=True)
        canvas.text(4, top + 24, "backward", anchor="start", size=SMALL)
        canvas.text(4, top + 50, "all-reduce", anchor="start", size=SMALL)
        for layer in range(LAYERS):
            canvas.box(left + layer * COMPUTE, top + 10, COMPUTE, 20, str(LAYERS - layer))
        spans = overlap_end(per_bucket)
        for bucket, (start, end) in enumerate(spans):
            canvas.bar(left + start, top + 36, LATENCY, 20, MUTED, 0.35)
            canvas.bar(left + start, top + 36, end - start, 20, GRADIENT, 0.18)
            first = LAYERS - bucket * per_bucket
            label = str(first) if per_bucket == 1 else f"{first}–{first - per_bucket + 1}"
            canvas.text(left + (start + end) / 2, top + 50.5, label, size=SMALL)
        finish = left + spans[-1][1]
        canvas.line((finish, top + 4), (finish, top + 62), width=1, dashes="2 3")
        canvas.text(finish + 4, top + 14, "done", anchor="start", size=SMALL)
    canvas.bar(left, 286, 18, 12, MUTED, 0.35)
    canvas.text(left + 24, 296, "latency, the same for every all-reduce", anchor="start", size=SMALL)
    return canvas


FIGURES: dict[str, Callable[[], Canvas]] = {"ring": ring, "tree": tree, "bucket-overlap": bucket_overlap}
