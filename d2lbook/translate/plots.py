"""Words in plots: taken from the frozen results for a catalog, and put into the plots in another language.

All languages share the results of a page, so its code is not run again for a word. All plots have one catalog.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from d2lbook.translate.figures import drawing_units
from d2lbook.translate.units import PLOT, Unit

CATALOG = "plots"
PlotTexts = Mapping[str, Iterable[str]]  # by the name of a page, the drawings that its cells put out


def plot_units(plots: PlotTexts) -> tuple[Unit, ...]:
    """The texts of plots that have words, each once for a page: what a word means depends on the page."""
    found: dict[tuple[str, str], Unit] = {}
    for page, drawings in plots.items():
        for svg in drawings:
            for unit in drawing_units(svg):
                if "_" not in unit.msgid:  # a name in code
                    context, note = f"{page}: {PLOT}", f"in plots of {page}.md"
                    new = Unit(0, 0, PLOT, context, unit.msgid, form="drawing", note=note)
                    found.setdefault(new.key, new)
    return tuple(found.values())


def page_of(context: str) -> str:
    """The page of a message, from its context."""
    return context.rpartition(": ")[0]


def translate_plot(svg: str, words: Mapping[str, str]) -> str:
    """A plot with the words of a language; a text that is not among them stays."""
    parts: list[str] = []
    position = 0
    for unit in drawing_units(svg):
        if (text := words.get(unit.msgid)) is not None:
            parts += svg[position : unit.start], text
            position = unit.end
    return "".join([*parts, svg[position:]])
