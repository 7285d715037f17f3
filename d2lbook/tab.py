"""Live work on a page in Jupyter: `%load_ext d2lbook.tab`, then `tab.interact_select(['pytorch', 'jax'])`.

From then on a cell runs when its mark, `#@tab` or `%%tab`, names the chosen framework or `all`; one without a mark is
of the first framework. Any other cell is skipped, and a line says so. What is built never holds any of this.
"""

from __future__ import annotations

import html
import importlib
import importlib.util
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from d2lbook.frameworks import FREE_TAB, TABS
from d2lbook.parse.cells import TAB_MARK, split_tabs

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

ALL = "all"
_OWN_CALL = re.compile(
    r"^[ \t]*(?:%(?:re|un)?load_ext[ \t]+d2lbook\.tab\b|tab\.(?:interact_select|select)\()", re.MULTILINE
)
_MAGIC = re.compile(r"[ \t]*%%tab\b")


@dataclass(slots=True)
class _Choice:
    tabs: tuple[str, ...] = ()  # those that can be chosen; the first is that of cells without a mark
    tab: str = ""


_choice = _Choice()


class Note:
    """A line that Jupyter shows in grey and a terminal as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<small style="opacity: 0.65">{html.escape(self.text)}</small>'


def interact_select(*tabs: str | Sequence[str]) -> None:
    """Offers frameworks to choose from, given one by one or in a list; the last choice on this machine comes first.

    Shows buttons where ipywidgets is installed; elsewhere it says how to choose. Raises ValueError without a framework.
    """
    names = _names(tabs)
    if not names:
        raise ValueError(f"interact_select needs the names of the frameworks, as in interact_select({list(TABS[:2])})")
    _choice.tabs = names
    last = _remembered()
    _choice.tab = last if last in names else names[0]
    if importlib.util.find_spec("ipywidgets") is None:
        others = " or ".join(f"tab.select('{name}')" for name in names if name != _choice.tab)
        _show(f"Cells of {_choice.tab} run." + (f" For another framework: {others}." if others else ""))
        return
    widgets: Any = importlib.import_module("ipywidgets")
    buttons = widgets.ToggleButtons(options=list(names), value=_choice.tab, description="Framework")
    buttons.observe(lambda change: select(change["new"]), names="value")
    _display(buttons)


def select(tab: str) -> None:
    """Chooses a framework, whose cells then run. Raises ValueError for one that was not offered."""
    name = tab.strip().lower()
    if _choice.tabs and name not in _choice.tabs:
        raise ValueError(f"'{tab}' is not among the frameworks of this page: {', '.join(_choice.tabs)}")
    _choice.tab = name
    _choice.tabs = _choice.tabs or (name,)
    _remember(name)
    _show(f"Cells of {name} run.")


def selected(*tabs: str | Sequence[str]) -> bool:
    """Whether one of some frameworks is the chosen one."""
    return _choice.tab in _names(tabs)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Called by `%load_ext d2lbook.tab`."""
    shell.user_ns["tab"] = sys.modules[__name__]
    unload_ipython_extension(shell)
    shell.input_transformers_cleanup.append(_only_chosen)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Called by `%unload_ext d2lbook.tab`: every cell runs again."""
    while _only_chosen in shell.input_transformers_cleanup:
        shell.input_transformers_cleanup.remove(_only_chosen)


def skipped(tabs: Sequence[str]) -> None:
    """Says that a cell did not run; what a skipped cell does instead."""
    if not _choice.tab:
        _show(f"Skipped, a cell of {', '.join(tabs)}: choose a framework first, as with tab.select('{tabs[0]}').")
    else:
        _show(f"Skipped: a cell of {', '.join(tabs)}, not of {_choice.tab}.")


def _only_chosen(lines: list[str]) -> list[str]:
    """A cell's lines as they are to run: without `%%tab`, or what says that they are skipped.

    Done to the text, so that a cell which runs is a cell like any other: its last value is shown, its magics work.
    """
    if not any(line.strip() for line in lines) or _OWN_CALL.search("".join(lines)):
        return lines
    number, tabs = _mark(lines)
    if tabs and not {ALL, FREE_TAB} & set(tabs) and _choice.tab not in tabs:
        return [f"__import__({__name__!r}, fromlist=['tab']).skipped({tabs!r})\n"]
    if number is not None and _MAGIC.match(lines[number]):
        return lines[:number] + lines[number + 1 :]
    return lines


def _mark(lines: Sequence[str]) -> tuple[int | None, tuple[str, ...]]:
    """The line of a cell's mark, and its frameworks; () where it runs for every one."""
    for number, line in enumerate(lines):
        mark = TAB_MARK.match(line)
        if mark is not None:
            return number, split_tabs(mark["names"])
    return None, _choice.tabs[:1]


def _names(tabs: Sequence[str | Sequence[str]]) -> tuple[str, ...]:
    given = [name for tab in tabs for name in ([tab] if isinstance(tab, str) else tab)]
    return tuple(dict.fromkeys(name.strip().lower() for name in given))


def _show(text: str) -> None:
    _display(Note(text))


def _display(shown: object) -> None:
    display: Any = importlib.import_module("IPython.display").display
    display(shown)


def _memory() -> Path:
    from jupyter_core.paths import jupyter_data_dir

    return Path(jupyter_data_dir()) / "d2lbook-tab"


def _remembered() -> str:
    try:
        return _memory().read_text(encoding="utf-8").strip()
    except OSError:  # none yet, or a home that cannot be read: the first framework it is
        return ""


def _remember(tab: str) -> None:
    try:
        path = _memory()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{tab}\n", encoding="utf-8")
    except OSError:  # a home that cannot be written: the choice holds for this notebook
        return
