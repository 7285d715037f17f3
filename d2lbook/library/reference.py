"""What a library offers its users, read from its source: signatures, docstrings, where the book defines them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from inspect import cleandoc

from d2lbook.library.aliases import Aliases
from d2lbook.library.assemble import Library
from d2lbook.library.item import OWN_NAME
from d2lbook.library.lines import DEFINITIONS, Definition, text_of
from d2lbook.library.saved import has_marks
from d2lbook.model import Book, Cell, Heading, Line, Target
from d2lbook.pycode import PythonCell, parse_cell

Docstrings = dict[tuple[str, int], str]  # by page and line of the definition in the source

_ORIGIN = re.compile(r"\s*^Defined in .*\Z", re.MULTILINE)
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class ApiEntry:
    """A class, a function or a value that pages save, as one library has it; or a method of such a class."""

    name: str
    kind: str  # "class", "function" or "value"; of a method "method", "property", "staticmethod" or "classmethod"
    signature: str  # Python: `Timer()`, `split_batch(X, y, devices)`; of a value `NAME = …`
    docstring: str  # Markdown without the line that says where it is defined
    page: str  # document name
    line: int = field(repr=False)  # 1-based, on the page
    section: Target | None  # the labelled section around its definition
    bases: tuple[str, ...] = ()  # of a class, as written, the library's own without `d2l.`
    methods: tuple[ApiEntry, ...] = ()  # of a class: those that users call
    constructor: ApiEntry | None = None  # of a class: its own, if it has one

    @property
    def doc(self) -> str:
        """Its docstring, and that of its constructor."""
        made = self.constructor.docstring if self.constructor is not None else ""
        return f"{self.docstring}\n\n{made}".strip()


@dataclass(frozen=True, slots=True)
class AliasEntry:
    """A name that `config.ini` gives a library."""

    name: str
    call: str  # the name; where it changes the arguments, with them
    meaning: str  # what that is in the framework: `torch.cat`, or for `numpy(x)` `x.detach().cpu().numpy(…)`


def definitions(library: Library, book: Book) -> tuple[ApiEntry, ...]:
    """The library's public definitions, in the order of the book."""
    found: dict[str, ApiEntry] = {}
    for item in library.items:
        if item.is_alias:
            continue
        lines = item.rendered()
        entry = _entry(parse_cell(text_of(lines)).tree.body[0], lines, book)
        if entry is not None and not entry.name.startswith("_"):
            found[entry.name] = entry
    _inherit_constructors(found)
    pages = {page.document.name: number for number, page in enumerate(book.pages)}
    return tuple(sorted(found.values(), key=lambda entry: (pages.get(entry.page, len(pages)), entry.line)))


def _entry(node: ast.stmt, lines: list[Line], book: Book) -> ApiEntry | None:
    """What a statement defines; None where that is nothing with a name."""
    if isinstance(node, ast.ClassDef):
        return _class(node, lines, book)
    if isinstance(node, DEFINITIONS):
        return _named(node, "function", _signature(node, 0), lines, book)
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    value = getattr(node, "value", None)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(target, ast.Name) or value is None:
        return None
    text = ast.unparse(value)
    shown = text if len(text) <= _LONGEST_VALUE else "…"
    return ApiEntry(target.id, "value", f"{target.id} = {shown}", "", *_place(lines[0], book))


def _class(node: ast.ClassDef, lines: list[Line], book: Book) -> ApiEntry:
    own = [part for part in node.body if isinstance(part, DEFINITIONS) and not isinstance(part, ast.ClassDef)]
    constructor = next((part for part in own if part.name == "__init__"), None)
    entry = _named(node, "class", f"{node.name}{_fields(node, constructor)}", lines, book)
    made = _method(constructor, lines, book) if constructor is not None else None
    methods = tuple(_method(part, lines, book) for part in own if not part.name.startswith("_"))
    bases = tuple(ast.unparse(base).removeprefix(f"{OWN_NAME}.") for base in node.bases)
    return replace(entry, bases=bases, methods=methods, constructor=made)


def _named(node: Definition, kind: str, signature: str, lines: list[Line], book: Book) -> ApiEntry:
    return ApiEntry(node.name, kind, signature, _doc(node), *_place(lines[node.lineno - 1], book))


def _method(node: Definition, lines: list[Line], book: Book) -> ApiEntry:
    names = {getattr(decorator, "id", getattr(decorator, "attr", "")) for decorator in node.decorator_list}
    kind = next((kind for kind in ("staticmethod", "classmethod") if kind in names), "method")
    if names & {"property", "cached_property"}:
        return _named(node, "property", node.name, lines, book)
    return _named(node, kind, _signature(node, 0 if kind == "staticmethod" else 1), lines, book)


def _doc(node: Definition) -> str:
    return _ORIGIN.sub("", ast.get_docstring(node) or "").strip()


def _signature(node: Definition, dropped: int) -> str:
    if isinstance(node, ast.ClassDef):
        raise TypeError(f"a class has no signature of its own: {node.name}")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{node.name}({_arguments(node.args, dropped)}){returns}"


def _arguments(arguments: ast.arguments, dropped: int) -> str:
    """The arguments without the first `dropped`, which the caller does not write."""
    first = [*arguments.posonlyargs, *arguments.args][:dropped]
    kept = ast.arguments(
        posonlyargs=[argument for argument in arguments.posonlyargs if argument not in first],
        args=[argument for argument in arguments.args if argument not in first],
        vararg=arguments.vararg,
        kwonlyargs=arguments.kwonlyargs,
        kw_defaults=arguments.kw_defaults,
        kwarg=arguments.kwarg,
        defaults=arguments.defaults,
    )
    return ast.unparse(kept)


def _fields(node: ast.ClassDef, constructor: Definition | None) -> str:
    """What the class is called with, in parentheses: its constructor's arguments, or the fields of a data class."""
    if constructor is not None and not isinstance(constructor, ast.ClassDef):
        return f"({_arguments(constructor.args, 1)})"
    made = {ast.unparse(part).split("(")[0].split(".")[-1] for part in (*node.decorator_list, *node.bases)}
    if not made & {"dataclass", "NamedTuple"}:
        return "" if node.bases else "()"
    parts = [part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)]
    return f"({', '.join(ast.unparse(part) for part in parts if 'init=False' not in ast.unparse(part))})"


def _inherit_constructors(found: dict[str, ApiEntry]) -> None:
    """A class without a constructor of its own is called with what the first base that has one takes."""
    for name, entry in found.items():
        waiting, seen = list(entry.bases), set[str]()
        while waiting and entry.kind == "class" and "(" not in found[name].signature:
            base = waiting.pop(0)
            if base in found and base not in seen:
                _, opened, arguments = found[base].signature.partition("(")
                found[name] = replace(entry, signature=f"{name}{opened}{arguments}")
                waiting[:0] = found[base].bases
            seen.add(base)


def _place(line: Line, book: Book) -> tuple[str, int, Target | None]:
    """The page, line and section where a line of the library stands in the book."""
    page = next((page for page in book.pages if page.document.path == line.path), None)
    section = None
    for block in page.document.walk() if page is not None else ():
        if block.span.line >= line.number:
            break
        labels = block.labels if isinstance(block, Heading) else ()
        targets = (book.targets[label.name] for label in labels if label.name in book.targets)
        section = next((target for target in targets if target.page == line.path.removesuffix(".md")), section)
    return line.path.removesuffix(".md"), line.number, section


def docstrings_in(book: Book, source: Book) -> Docstrings:
    """The docstrings that a translated book has instead of its source's."""
    found: Docstrings = {}
    for page, before in zip(book.pages, source.pages, strict=True):
        cells, originals = (
            [block for block in one.document.walk() if isinstance(block, Cell)] for one in (page, before)
        )
        for cell, original in zip(cells, originals, strict=True):
            if cell.source == original.source or not has_marks(original.source):
                continue
            first, python = original.code_line - 1, parse_cell(cell.source)
            for node, other in zip(_defined(python), _defined(parse_cell(original.source)), strict=True):
                doc = _doc_of_saved(node, python) if node in python.tree.body else _doc(node)
                found[before.document.name, first + other.lineno] = doc
    return found


def _defined(python: PythonCell) -> list[Definition]:
    """A cell's definitions, in an order that words of strings do not change."""
    return [node for node in python.nodes if isinstance(node, DEFINITIONS)]


def _doc_of_saved(node: Definition, python: PythonCell) -> str:
    """A docstring as it is read in the library, where the line "Defined in …" counts for its indentation."""
    docstring, statement = ast.get_docstring(node, clean=False), node.body[0]
    if docstring is None:
        return ""
    has_own_line = not python.lines[statement.lineno - 1].encode()[: statement.col_offset].strip()
    margin = " " * (statement.col_offset if has_own_line else node.col_offset + 4)
    return _ORIGIN.sub("", cleandoc(f"{docstring.rstrip()}\n\n{margin}Defined in it")).strip()


def in_words_of(entry: ApiEntry, docstrings: Docstrings, book: Book) -> ApiEntry:
    """What a translated book says of a definition. In all else, values and defaults among it, it is its source's."""
    return replace(
        entry,
        docstring=docstrings.get((entry.page, entry.line), entry.docstring),
        section=book.targets[entry.section.label] if entry.section is not None else None,
        methods=tuple(in_words_of(method, docstrings, book) for method in entry.methods),
        constructor=in_words_of(entry.constructor, docstrings, book) if entry.constructor is not None else None,
    )


def alias_entries(library: Library) -> tuple[AliasEntry, ...]:
    """The library's aliases by name."""
    return tuple(sorted(_aliases(library.aliases), key=lambda alias: (alias.name.lower(), alias.name)))


def _aliases(aliases: Aliases) -> Iterator[AliasEntry]:
    for statement in aliases.statements:
        node = ast.parse(statement.text).body[0]
        name = getattr(node, "name", "")
        if isinstance(node, ast.Assign):
            name = ast.unparse(node.targets[0])
            yield AliasEntry(name, name, ast.unparse(node.value))
        elif name in aliases.fluent:
            yield AliasEntry(name, name, f"x.{aliases.fluent[name]}(…)")
        elif name in aliases.args:
            call, meaning = aliases.args[name]
            yield AliasEntry(name, ast.unparse(call), ast.unparse(meaning))
        elif isinstance(node, ast.FunctionDef):
            result = node.body[-1]
            value = result.value if isinstance(result, ast.Return) else None
            yield AliasEntry(name, _signature(node, 0), ast.unparse(value) if value is not None else "…")
