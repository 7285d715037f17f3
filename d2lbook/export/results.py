"""Which frozen result is a cell's."""

from __future__ import annotations

from d2lbook.execute.cache import CellResult, Run
from d2lbook.execute.key import cell_hash
from d2lbook.model import ViewCell


def result_of(cell: ViewCell, run: Run | None) -> CellResult | None:
    """The result of the cell's code, which in a stale run may stand at another position; None when there is none."""
    if run is None:
        return None
    wanted = cell_hash(cell.code)
    here = run.cells[cell.number : cell.number + 1]
    return next((result for result in (*here, *run.cells) if result.hash == wanted), None)
