"""Puts a library together: what the pages save, in the order of the table of contents, merged and sorted."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass, field

from d2lbook.config import Config
from d2lbook.diagnostics import Message, Messages
from d2lbook.files import is_file, read_text
from d2lbook.library.aliases import Aliases, read_aliases
from d2lbook.library.imports import Imported, Imports, imported_by
from d2lbook.library.item import OWN_NAME, Item, add_method, class_extended, item_of
from d2lbook.library.lines import text_of
from d2lbook.library.names import bound, lazy
from d2lbook.library.order import in_order
from d2lbook.library.saved import PageSaves, Saved, saved_in
from d2lbook.model import Book, Line
from d2lbook.view import make_view

BANNER = "# ---- Generated from the cells marked #@save by `d2lbook build lib`: do not edit below this line. ----"
UPSTREAM_BANNER = "#################   WARNING   ################"


@dataclass(slots=True)
class Library:
    """A framework's library, generated."""

    tab: str
    file: str  # path as configured, relative to config.ini
    head: str = ""  # written by hand, kept as it is
    head_tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    lines: list[Line] = field(default_factory=list)  # of the whole file
    imports: Imports = field(default_factory=Imports)
    items: list[Item] = field(default_factory=list)  # in the file's order
    aliases: Aliases = field(default_factory=Aliases)
    unread: set[str] = field(default_factory=set)  # names that unreadable cells seem to save
    found: list[Message] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The whole file, with the head's line ends."""
        text = text_of(self.lines) + "\n"
        return text.replace("\n", "\r\n") if "\r\n" in self.head else text

    @property
    def python(self) -> str:
        """The whole file as the compiler takes it."""
        return text_of(self.lines).removeprefix("\ufeff") + "\n"

    @property
    def names(self) -> set[str]:
        """The library's global names, `*` among them if it imports all names of another module."""
        names = bound(self.head_tree) | lazy(self.head_tree) | self.unread | {OWN_NAME}
        names.update(imported.bound.split(".")[0] for imported, _ in self.imports.found.values())
        for item in self.items:
            names |= bound(ast.Module([item.node], []))
            if "global " in text_of(item.lines):
                declared = [node.names for node in ast.walk(item.node) if isinstance(node, ast.Global)]
                names.update(name for several in declared for name in several)
        return names

    @property
    def failed(self) -> bool:
        return any(message.level == "error" for message in self.found)


def assemble(book: Book, config: Config, tab: str) -> Library:
    """The library of a tab, and everything wrong with it."""
    messages = Messages(strict=config.strict)
    library = Library(tab, config.libraries[tab].lib_file)
    _read_head(library, config, messages)
    library.aliases = read_aliases(config, tab, messages)
    collector = _Collector(library, messages)
    for page in book.pages:
        if "@save" not in page.document.text:
            continue
        view = make_view(page.document, tab, book.tabs)
        collector.add(saved_in(view, book, page, messages))
    collector.merge_methods()
    items = collector.items + _alias_items(library, collector, config, messages)
    library.items = in_order(items, messages)
    library.lines = _whole_file(library, config)
    library.found = list(messages)
    return library


def _read_head(library: Library, config: Config, messages: Messages) -> None:
    path = config.path.parent / library.file
    if not library.file or not is_file(path):
        return
    text = read_text(path)
    head = head_of(text)
    if head is None:
        what = "has no line that says what is generated, so all of it may be written by hand"
        messages.error(library.file, 1, 1, f"{what}; append the line '{BANNER}', or remove the file", "lib-banner")
        return
    library.head = head
    try:
        library.head_tree = ast.parse(head.removeprefix("\ufeff"))
    except SyntaxError as error:
        messages.error(library.file, error.lineno or 1, error.offset or 1, f"not Python: {error.msg}", "cell-syntax")
        return
    library.imports.head = frozenset(imported for node in library.head_tree.body for imported in imported_by(node))


def head_of(text: str) -> str | None:
    """What stands above the banner; None when there is no banner and something to lose."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.strip() in (BANNER, UPSTREAM_BANNER):
            return "".join(lines[:number])
    return None if text.strip("\ufeff \r\n\t") else ""


@dataclass(frozen=True, slots=True)
class _Method:
    """A function below `@add_to_class(C)`."""

    saved: Saved
    name: str  # of the class
    argument: ast.expr  # that names it
    above: Item | None  # the latest statement of that name before it


@dataclass(slots=True)
class _Collector:
    library: Library
    messages: Messages
    items: list[Item] = field(default_factory=list)
    latest: dict[str, Item] = field(default_factory=dict)  # by key
    methods: list[_Method] = field(default_factory=list)

    def add(self, page: PageSaves) -> None:
        self.library.unread.update(page.unread)
        for saved in page.statements:
            if isinstance(saved.node, ast.Import | ast.ImportFrom):
                self.library.imports.add(saved, self.messages)
            elif (extended := class_extended(saved.node)) is not None:
                self.methods.append(_Method(saved, *extended, self.latest.get(extended[0])))
            else:
                self.put(item_of(saved))

    def put(self, item: Item) -> None:
        """Adds an item in place of an earlier one of its key, unless it extends that: `class C(d2l.C)`."""
        earlier = self.latest.get(item.key)
        if earlier is not None and item.key in item.needs:
            item.earlier = earlier
        elif earlier is not None:
            self.items.remove(earlier)
            item.earlier = earlier.earlier
        self.items.append(item)
        self.latest[item.key] = item

    def merge_methods(self) -> None:
        """Merges methods into classes, wherever in the book those stand.

        What a class's own page adds comes first, so that other pages' methods win over it.
        """
        for own in (True, False):
            for method in self.methods:
                item = self._extended(method)
                if item is None and own:
                    self._report_unknown(method)
                elif item is not None and own == (item.lines[0].path == method.saved.lines[0].path):
                    add_method(item, method.saved)

    def _extended(self, method: _Method) -> Item | None:
        """The class that a method is for: the one above it, if no other takes that one's place, else the first."""
        item = self.latest.get(method.name)
        while item is not None and item is not method.above and item.earlier is not None:
            item = item.earlier
        return item if item is not None and isinstance(item.node, ast.ClassDef) else None

    def _report_unknown(self, method: _Method) -> None:
        name, lines = method.name, method.saved.lines
        if name in self.library.unread:
            return
        place = lines[method.argument.lineno - 1].place_of_byte(method.argument.col_offset)
        what = f"no page saves a class '{name}' for {self.library.tab}; mark the class with #@save"
        self.messages.error(*place, what, "save-class-unknown")


def _alias_items(library: Library, collector: _Collector, config: Config, messages: Messages) -> list[Item]:
    name = config.name_in_messages
    items = []
    for alias in library.aliases.statements:
        lines = [Line(text, name, alias.line, alias.column - 1, made=True) for text in alias.text.split("\n")]
        node = ast.parse(alias.text).body[0]
        key = next(iter(sorted(bound(ast.Module([node], [])))), alias.text)
        if key in collector.latest:
            other = collector.latest[key].lines[0]
            what = f"the alias '{key}' hides what {other.path}:{other.number} saves; rename one of the two"
            messages.warning(name, alias.line, alias.column, what, "alias-hides")
        items.append(Item(key, node, lines, is_alias=True))
    return items


# ---- text -----------------------------------------------------------------------------------------------------------


def _whole_file(library: Library, config: Config) -> list[Line]:
    head = library.head.replace("\r\n", "\n")
    lines = [Line(text, library.file, number) for number, text in enumerate(head.split("\n")[:-1], 1)]
    if head and not head.endswith("\n"):
        lines.append(Line(head.split("\n")[-1], library.file, len(lines) + 1))
    lines += [_blank(), _blank()] if lines and lines[-1].text.strip() else []
    lines.append(Line(BANNER, library.file, 0))
    imports = library.imports.lines()
    own = OWN_NAME not in bound(library.head_tree)
    if own and "sys" not in bound(library.head_tree) | library.imports.found.keys():
        library.imports.found["sys"] = (Imported("sys", "", "sys"), Line("", library.file, 0))
        imports = library.imports.lines()
    if imports:
        lines += [_blank(), *imports]
    if own:
        lines += [_blank(), Line(f"{OWN_NAME} = sys.modules[__name__]", library.file, 0)]
    public = public_names(library)
    return [*lines, *([_blank(), *public] if public else []), *_body(library, config)]


def public_names(library: Library) -> list[Line]:
    """`__all__`: what the pages save, the aliases, and what the head takes from modules beside it or answers lazily.

    What is imported from elsewhere is for the library's own use. Nothing where the head, or a page, has an `__all__`.
    """
    items = [name for item in library.items for name in bound(ast.Module([item.node], []))]
    own = [imported.bound for imported in library.imports.head if imported.module.startswith(".")]
    names = {name for name in (*items, *own, *lazy(library.head_tree)) if not name.startswith("_")} - {OWN_NAME}
    if not names or "__all__" in bound(library.head_tree) | set(items):
        return []
    listed = textwrap.wrap(" ".join(f'"{name}",' for name in sorted(names)), 100)
    return [Line(text, library.file, 0) for text in ("__all__ = [", *(f"    {line}" for line in listed), "]")]


def _body(library: Library, config: Config) -> list[Line]:
    lines: list[Line] = []
    before: Item | None = None
    for item in library.items:
        if item.key == OWN_NAME and ast.unparse(item.node) == f"{OWN_NAME} = sys.modules[__name__]":
            continue
        apart = before is None or item.is_definition or before.is_definition or before.is_alias != item.is_alias
        lines += [_blank(), _blank()] if apart else []
        if item.is_alias and (before is None or not before.is_alias):
            lines.append(Line(f"# Aliases, from {config.name_in_messages}.", library.file, 0))
            lines += [_blank(), _blank()] if item.is_definition else []
        lines += item.rendered()
        before = item
    return lines


def _blank() -> Line:
    return Line("", "", 0)
