"""The table that `make bench` prints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    ours: str
    peer: str
    ratio: float | None  # peer over ours for times, ours over peer for rates: larger is better for us
    goal: str = ""


def render(rows: list[Row]) -> str:
    cells = [("measured", "ours", "peer", "ratio", "goal")]
    cells += [(row.what, row.ours, row.peer, "" if row.ratio is None else f"{row.ratio:.2f}", row.goal) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |" for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
