"""The aliases of `config.ini`: what they add to a library, and what is wrong with their entries."""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from d2lbook.config import Config, LibraryConfig
from d2lbook.diagnostics import Messages
from d2lbook.files import read_text
from d2lbook.frameworks import FRAMEWORKS

_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\Z")
_PATTERN_NAMES = re.compile(r"d2l(?:\\)?\.([A-Za-z_]\w*)")


@dataclass(frozen=True, slots=True)
class AliasSpec:
    """`new -> old` of an alias key."""

    new: str
    old: str
    line: int  # 1-based, in the configuration
    column: int


@dataclass(frozen=True, slots=True)
class Alias:
    """A statement that an entry adds to the library."""

    text: str
    line: int
    column: int


@dataclass(slots=True)
class Aliases:
    lib_name: str = ""
    fluent: dict[str, str] = field(default_factory=dict)  # d2l name -> attribute of the first argument
    args: dict[str, tuple[ast.Call, ast.expr]] = field(default_factory=dict)  # d2l name -> call, replacement
    reverse: list[tuple[re.Pattern[str], str]] = field(default_factory=list)
    statements: list[Alias] = field(default_factory=list)

    @property
    def replaced_names(self) -> set[str]:
        """Names after `d2l.` that reverse aliases take out of the pages."""
        return {name for pattern, _ in self.reverse for name in _PATTERN_NAMES.findall(pattern.pattern)}


def read_aliases(config: Config, tab: str, messages: Messages) -> Aliases:
    """The aliases of a tab's library. Entries that cannot be read are reported and left out."""
    library = config.libraries.get(tab)
    if library is None:
        return Aliases()
    return _Reader(config, library, messages, Aliases(library.lib_name)).read()


@dataclass(slots=True)
class _Reader:
    config: Config
    library: LibraryConfig
    messages: Messages
    aliases: Aliases
    config_lines: list[str] = field(default_factory=list)

    def read(self) -> Aliases:
        self.config_lines = read_text(self.config.path).split("\n")
        self._code()
        for entry in self._entries("simple_alias", commas=True):
            self._simple(entry)
        for entry in self._entries("fluent_alias", commas=True):
            self._fluent(entry)
        for entry in self._entries("args_alias", commas=False):
            self._args(entry)
        for entry in self._entries("reverse_alias", commas=False):
            self._reverse(entry)
        return self.aliases

    @property
    def section(self) -> str:
        tab = self.library.tab
        return next((name for name, _ in self.config.lines if name.lower() == f"library-{tab}"), f"library-{tab}")

    def _entries(self, key: str, commas: bool) -> Iterator[AliasSpec]:
        value: str = getattr(self.library, key)
        lines = value.split("\n")
        start = self.config.line(self.section, key)
        for line in lines:
            for term in line.split(",") if commas else [line]:
                term = term.strip()
                if not term:
                    continue
                start, column = self._find(term, start)
                parts = [part.strip() for part in term.split("->")]
                if len(parts) > 2 or not all(parts):
                    self._bad(AliasSpec(term, "", start, column), f"{key}: '{term}' is not of the form 'new -> old'")
                    continue
                yield AliasSpec(parts[0], parts[-1], start, column)

    def _find(self, term: str, start: int) -> tuple[int, int]:
        """Line and column of a whole term, from a line on."""
        pattern = re.compile(r"(?<![\w.])" + re.escape(term) + r"(?![\w.])" if term.isidentifier() else re.escape(term))
        for number in range(max(start, 1), len(self.config_lines) + 1):
            text = self.config_lines[number - 1]
            found = pattern.search(text, text.find("=") + 1 if number == start and "=" in text else 0)
            if found:
                return number, found.start() + 1
        return start, 1

    def _bad(self, entry: AliasSpec, text: str) -> None:
        self.messages.error(self.config.name_in_messages, entry.line, entry.column, text, "alias-syntax")

    def _warn(self, entry: AliasSpec, text: str, code: str) -> None:
        self.messages.warning(self.config.name_in_messages, entry.line, entry.column, text, code)

    def _name(self, text: str, entry: AliasSpec) -> str:
        """A name that may be defined; upstream let `exp(` pass for `exp`. Empty when it is none."""
        bare = text.removesuffix("(")
        if bare != text:
            what = f"'{text}': aliases are whole names; write '{bare}'"
            self._warn(entry, what, "alias-parenthesis")
        return bare

    def _is_new_name(self, name: str, entry: AliasSpec) -> bool:
        if _NAME.match(name) and not keyword.iskeyword(name):
            return True
        self._bad(entry, f"'{name}' cannot be the name of an alias; use letters, digits and '_'")
        return False

    def _add(self, entry: AliasSpec, text: str) -> None:
        self.aliases.statements.append(Alias(text, entry.line, entry.column))

    def _simple(self, entry: AliasSpec) -> None:
        new = self._name(entry.new, entry)
        old = new if entry.old == entry.new else self._name(entry.old, entry)
        if not self._is_new_name(new, entry):
            return
        if not _DOTTED.match(old):
            self._bad(entry, f"'{old}' is not a name that a framework could have")
        elif not self.library.lib_name:
            what = f"'{new}' stands for nothing: set lib_name to what saved code calls the framework"
            self._warn(entry, f"{what}, such as {FRAMEWORKS[0].modules[0]}", "alias-lib-name")
        else:
            self._add(entry, f"{new} = {self.library.lib_name}.{old}")

    def _fluent(self, entry: AliasSpec) -> None:
        new = self._name(entry.new, entry)
        old = new if entry.old == entry.new else self._name(entry.old, entry)
        if not self._is_new_name(new, entry):
            return
        if _expression(f"x.{old}()") is None:
            self._bad(entry, f"'{old}' is not what could follow 'x.' in a call")
            return
        self.aliases.fluent[new] = old
        self._add(
            entry, f'def {new}(x, *args, **kwargs):\n    """`x.{old}(...)`."""\n    return x.{old}(*args, **kwargs)'
        )

    def _args(self, entry: AliasSpec) -> None:
        call, replacement = _expression(entry.new), _expression(entry.old)
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
        definition = f"def {entry.new}:\n    return {entry.old}"
        if not isinstance(call, ast.Call) or not name or replacement is None or not _compiles(definition):
            self._bad(entry, f"'{entry.new} -> {entry.old}' is not of the form 'name(a, b=None) -> other(x=a, y=b)'")
            return
        self.aliases.args[name] = (call, replacement)
        self._add(entry, f'def {entry.new}:\n    """`{entry.old}`."""\n    return {entry.old}')

    def _reverse(self, entry: AliasSpec) -> None:
        if entry.new == entry.old:
            self._bad(entry, f"reverse_alias: '{entry.new}' changes nothing; write 'pattern -> text'")
            return
        try:
            whole = r"(?!\w)" if re.match(r"\w", entry.new[-1]) else ""  # `d2l.to` is not the beginning of `d2l.tokens`
            with warnings.catch_warnings():  # what a later Python will read as something else has to be escaped
                warnings.simplefilter("error", FutureWarning)
                re.compile(entry.new)  # alone, so that positions in messages are those of the author's text
                pattern = re.compile(f"(?:{entry.new}){whole}")
            pattern.sub(entry.old, "")
        except (re.error, IndexError, FutureWarning) as error:
            self._bad(entry, f"reverse_alias: '{entry.new} -> {entry.old}' is no regular expression: {error}")
            return
        self.aliases.reverse.append((pattern, entry.old))

    def _code(self) -> None:
        value = self.library.alias
        if not value.strip():
            return
        start = self.config.line(self.section, "alias")
        lines = value.strip("\n").split("\n")
        numbers: list[tuple[int, int]] = []
        for line in lines:
            start, column = self._find(line.strip(), start) if line.strip() else (start, 1)
            numbers.append((start, column))
        try:
            tree = ast.parse("\n".join(lines))
        except SyntaxError as error:
            number, column = numbers[min(max((error.lineno or 1) - 1, 0), len(numbers) - 1)]
            column += (error.offset or 1) - 1
            self._bad(AliasSpec("", "", number, column), f"alias: not Python: {error.msg}")
            return
        for node in tree.body:
            number, column = numbers[node.lineno - 1]
            text = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            if len([other for other in tree.body if other.lineno <= node.lineno <= (other.end_lineno or 0)]) > 1:
                text = ast.unparse(node)
            self.aliases.statements.append(Alias(text, number, column))


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _compiles(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
