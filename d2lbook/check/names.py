"""Names that the cells of a page use and nothing on it defines: running the page would stop there."""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence

from d2lbook.diagnostics import Messages
from d2lbook.library.item import OWN_NAME
from d2lbook.library.names import free_names, global_names
from d2lbook.model import Line

# What Jupyter's kernel has beside Python's own names.
_KERNEL = frozenset({"In", "Out", "display", "exit", "get_ipython", "quit", "tab"})
_KNOWN = frozenset(dir(builtins)) | _KERNEL | {"__doc__", "__file__", "__name__", OWN_NAME}
# `x = !ls`, `x = %pwd` and `%time x = f()` bind names for IPython alone.
_BY_MAGIC = re.compile(r"^[ \t]*(?=.*[!%])(?:%\w+[ \t]+)?(?P<names>[A-Za-z_][\w, \t]*?)[ \t]*=(?!=)", re.MULTILINE)
_OUTPUT = re.compile(r"_(?:i*|\d+|i\d+|_+)")  # what a cell before put out, or its code


def check_names(
    views: Sequence[Sequence[tuple[str, Sequence[Line]]]], told: set[tuple[str, int, int]], messages: Messages
) -> None:
    """Report them for the cells of each framework, unless what they import cannot be known.

    What some framework's cells define counts for all: a page is often written for few of a book's frameworks. `told`
    are places where something was said before.
    """
    codes = {code for cells in views for code, _ in cells}
    defined = {name for code in codes for name in _defined(code)}
    if "*" in defined or any(map(_runs_other_code, codes)):
        return
    known = defined | _KNOWN
    doubtful = {code for code in codes if not global_names(code).read <= known or "del " in code}
    for code, lines in (cell for cells in views for cell in cells if cell[0] in doubtful):
        for use in free_names(code):
            if use.name in known or _OUTPUT.fullmatch(use.name):
                continue
            place = lines[use.line - 1].place_of_byte(use.column)
            if (place.path, place.line, place.column) not in told:
                what = f"no cell of this page defines '{use.name}'; define or import it, or correct its spelling"
                messages.warning(place.path, place.line, place.column, what, "name-undefined")


def _defined(code: str) -> frozenset[str]:
    by_magic = (found["names"] for found in _BY_MAGIC.finditer(code))
    return global_names(code).bound | {name for names in by_magic for name in re.findall(r"\w+", names)}


def _runs_other_code(code: str) -> bool:
    """Whether names may come from where nobody sees them: from a file that is run, or out of a magic."""
    return any(word in code for word in ("%run", "%load", "%pylab", "%%capture", "exec(", "globals()", "%store"))
