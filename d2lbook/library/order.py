"""The order of a library's statements: that of the table of contents, but for what a statement needs when it runs."""

from __future__ import annotations

import ast

from d2lbook.diagnostics import Messages
from d2lbook.library.item import Item
from d2lbook.library.names import bound


def in_order(items: list[Item], messages: Messages) -> list[Item]:
    """The items in the order given, but for what a statement needs when it runs: that comes before it."""
    return _Order(items, messages).sorted()


class _Order:
    def __init__(self, items: list[Item], messages: Messages) -> None:
        self.items = items
        self.messages = messages
        self.binders: dict[str, Item] = {}
        for item in items:
            for name in bound(ast.Module([item.node], [])):
                self.binders[name] = item
        self.done: list[Item] = []
        self.state: dict[int, str] = {}  # "open" or "done", by id of the item

    def sorted(self) -> list[Item]:
        for item in self.items:
            if id(item) not in self.state:
                self._visit(item)
        return self.done

    def _visit(self, item: Item) -> None:
        self.state[id(item)] = "open"
        for name in sorted(item.needs):
            needed = self.binders.get(name)
            if item.earlier is not None and name == item.key:
                needed = item.earlier
            if needed is None or (needed is item and name not in item.bases):
                continue
            state = self.state.get(id(needed))
            if state is None:
                self._visit(needed)
            elif state == "open" and name in item.bases:
                self._report(item, name)
        self.state[id(item)] = "done"
        self.done.append(item)

    def _report(self, item: Item, base: str) -> None:
        what = f"class '{item.key}' and its base '{base}' need each other first; one of them has to do without"
        self.messages.error(*item.bases[base], what, "save-cycle")
