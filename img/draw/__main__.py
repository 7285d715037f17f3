"""Draw the figures anew: `python img/draw` writes every SVG into img/, or into the folder given.

The same code writes the same bytes; `tests/test_figures.py` holds the files to that.
"""

from __future__ import annotations

import sys
from pathlib import Path

from figures import FIGURES


def draw_all(folder: Path) -> list[Path]:
    """Write each figure as `folder`/NAME.svg and return the paths."""
    paths = []
    for name, draw in FIGURES.items():
        path = folder / f"{name}.svg"
        path.write_text(draw().svg(), encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


if __name__ == "__main__":
    draw_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1])
