"""Reads `config.ini`: the sections and keys of d2lbook 1.0.3 and ours, each with its place for messages."""

from __future__ import annotations

import configparser
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.config.keys import (
    BY_PLACE,
    IGNORED,
    LIBRARY,
    SECTIONS,
    Kind,
    faults,
    key_of,
    names_in,
    nearest,
    truth,
    words,
)
from d2lbook.diagnostics import BookError, Message, Messages, error_at
from d2lbook.frameworks import DEFAULT_TAB
from d2lbook.languages import DEFAULT
from d2lbook.security.inside import CODE, why_outside

if TYPE_CHECKING:
    from d2lbook.model import UiStrings


def _default(section: str, name: str) -> str:
    return BY_PLACE[section, name].default


# What is said of a program that would run without --trust.
UNTRUSTED = "is a program of the book's own; read it, then run this command with --trust"


@dataclass(frozen=True, slots=True)
class LibraryConfig:
    """A `[library-TAB]` section; the aliases as written, one entry per comma or line."""

    tab: str
    lib_file: str = ""
    lib_name: str = ""
    simple_alias: str = ""
    fluent_alias: str = ""
    args_alias: str = ""
    alias: str = ""
    reverse_alias: str = ""


@dataclass(frozen=True, slots=True)
class Config:
    """What `config.ini` says, defaults filled in. Values without a field of their own: `value(section, key)`."""

    path: Path
    root: Path  # directory of config.ini; with `source_dir`, the book's
    name: str = _default("project", "name")
    title: str = _default("project", "title")
    author: str = ""
    copyright: str = ""
    release: str = ""
    lang: str = DEFAULT  # of the edition at hand
    source_lang: str = DEFAULT  # that the pages are written in
    languages: tuple[str, ...] = ()  # that they are translated to
    base_url: str = ""
    edit_url: str = ""
    d2l_address: str = ""
    index: str = _default("build", "index")
    notebooks: tuple[str, ...] = words(_default("build", "notebooks"))
    non_notebooks: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    eval_notebook: bool = True
    output_dir: Path = Path(_default("build", "output_dir"))  # absolute after loading
    tabs: tuple[str, ...] = (DEFAULT_TAB,)
    strict: bool = False
    goes_on: bool = field(
        default=False, compare=False
    )  # builds what can be built of a book with errors, and shows them on their pages
    trusted: bool = True  # whether programs of the book's own may run; on the command line --trust says so
    time_limit: int = int(_default("build", "time_limit"))  # seconds one page may take in one framework
    libraries: dict[str, LibraryConfig] = field(default_factory=dict)  # by tab
    values: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    lines: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)  # 1-based line of each key

    def in_language(self, lang: str, words: UiStrings) -> Config:
        """The configuration of the edition in `lang`; `words` has the title and the like."""
        return replace(
            self, lang=lang, title=words(self.title), author=words(self.author), copyright=words(self.copyright)
        )

    @property
    def all_languages(self) -> tuple[str, ...]:
        """The languages that the book can be read in, its own first."""
        return (self.source_lang, *self.languages)

    def value(self, section: str, key: str, default: str = "") -> str:
        return self.values.get((section, key), default)

    def line(self, section: str, key: str) -> int:
        """Where a key stands, for messages; 0 when it is not in the file."""
        return self.lines.get((section, key), 0)

    def shown(self, path: Path) -> str:
        """A path as messages name it: from the book's root, where it is below that."""
        return (path.relative_to(self.root) if path.is_relative_to(self.root) else path).as_posix()

    @property
    def content_sources(self) -> tuple[str, ...]:
        """The servers beside the site's own that its pages may load from."""
        return words(self.value("html", "content_sources"))

    @property
    def name_in_messages(self) -> str:
        return self.path.name


def load(path: Path, messages: Messages) -> Config:
    """The configuration in `path`.

    Unknown sections and keys and bad values go to `messages`, which also learns whether the book is strict.
    Raises BookError when the file cannot be read at all.
    """
    text = _read(path)
    parser = _parse(path, text)
    lines = _key_lines(text)
    written = {(section, key): parser[section][key] for section in parser.sections() for key in parser[section]}
    reader = _Reader(path, text.split("\n"), lines, messages)
    config = _build(path, reader.without_faults(written), reader)
    _report_unknown(path.name, parser, lines, messages)
    return _confined(config, messages)


def _confined(config: Config, messages: Messages) -> Config:
    """The configuration without paths that lead out of the book, each of which is reported."""

    def own(root: Path, section: str, key: str, written: tuple[str, ...]) -> tuple[str, ...]:
        outside = {name: why for name in written if (why := why_outside(root, "", name))}
        for why in outside.values():
            messages.error(config.name_in_messages, config.line(section, key), 1, f"{key}: {why}", CODE)
        return tuple(name for name in written if name not in outside)

    values, home = dict(config.values), config.path.parent
    for section, name in config.values:
        key = key_of(section, name)
        if key is None or key.kind not in {Kind.FILE, Kind.FILES}:
            continue
        written = values[section, name].strip()
        root = home if section.startswith("library") else config.root
        names = words(written) if key.kind is Kind.FILES else (written,)
        values[section, name] = " ".join(own(root, section, name, names))
    return replace(
        config,
        values=values,
        resources=words(values.get(("build", "resources"), "")),
        libraries={
            tab: replace(library, lib_file=values.get((f"library-{tab}", "lib_file"), "").strip())
            for tab, library in config.libraries.items()
        },
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        what = "there is no such file; run the command in the book's directory, which has one"
        raise error_at(path.name, 0, 0, what, "config-missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise error_at(path.name, 0, 0, f"cannot be read: {error}; save it as UTF-8", "config-unreadable") from error


def _parse(path: Path, text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, source=path.name)
    except configparser.MissingSectionHeaderError as error:
        why = "a key stands before the first [section]; put one above it"
        raise error_at(path.name, error.lineno, 1, why, "config-syntax") from error
    except configparser.ParsingError as error:
        found = [
            Message(path.name, line, 1, "error", f"not `key = value`: {source}; mend or indent it", "config-syntax")
            for line, source in error.errors
        ]
        raise BookError(found) from error
    except (configparser.DuplicateOptionError, configparser.DuplicateSectionError) as error:
        raise error_at(
            path.name, error.lineno or 0, 1, f"{str(error).split(': ', 1)[-1]}; keep one of the two", "config-twice"
        ) from error
    except configparser.Error as error:
        line = int(getattr(error, "lineno", 0))
        raise error_at(path.name, line, 1, str(error).replace("\n", " "), "config-syntax") from error
    return parser


def _key_lines(text: str) -> dict[tuple[str, str], int]:
    lines: dict[tuple[str, str], int] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\[(.+)\]", line):  # as configparser reads it
            section = header[1]
            lines.setdefault((section, ""), number)
        elif key := re.match(r"([^\s#;=:\[][^=:]*?)\s*[=:]", line):
            lines.setdefault((section, key[1].lower()), number)
    return lines


def _report_unknown(
    name: str, parser: configparser.ConfigParser, lines: dict[tuple[str, str], int], messages: Messages
) -> None:
    for section in parser.sections():
        if section not in SECTIONS and not section.startswith("library-"):
            hint = nearest(section, SECTIONS)
            messages.error(name, lines.get((section, ""), 0), 1, f"unknown section [{section}]{hint}", "config-section")
            continue
        for key in parser[section]:
            line = lines.get((section, key), 0)
            if (section, key) in IGNORED:
                if parser[section][key].strip():
                    messages.warning(name, line, 1, f"'{key}' has no effect here; remove it", "config-ignored")
            elif key_of(section, key) is None:
                hint = nearest(key, names_in(section))
                messages.error(name, line, 1, f"unknown key '{key}' in [{section}]{hint}", "config-key")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads values by their rows in the table of keys."""

    path: Path
    text: list[str]
    lines: dict[tuple[str, str], int]
    messages: Messages

    def without_faults(self, written: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
        """Return the values; what is wrong in one is reported and left out."""
        values = dict(written)
        for place, value in written.items():
            key = key_of(*place)
            found = faults(key, value.strip()) if key is not None and value.strip() else []
            for part, why in found:
                self.wrong(place, part, why)
            if key is not None and found:
                several = key.kind in (Kind.NAMES, Kind.LANGUAGES, Kind.ORIGINS)
                values[place] = " ".join(word for word in words(value) if not faults(key, word)) if several else ""
        return values

    def wrong(self, place: tuple[str, str], part: str, why: str) -> None:
        """Report a part of a value where it stands."""
        line, column = self._position(place, part)
        self.messages.error(self.path.name, line, column, f"{place[1]}: {why}", "config-value")

    def _position(self, place: tuple[str, str], part: str) -> tuple[int, int]:
        first = self.lines.get(place, 0)
        for number in range(first, len(self.text) + 1 if first else 0):
            line = self.text[number - 1]
            start = len(re.split("[=:]", line, maxsplit=1)[0]) if number == first else 0
            if (column := line.find(part, start)) >= 0:
                return number, column + 1
        return first, 1

    def source_dir(self, written: str) -> Path:
        """Return the book's folder, which lies where `config.ini` does or below."""
        home = self.path.parent.resolve()
        if why := why_outside(home, "", written):
            self.messages.error(self.path.name, self.lines["build", "source_dir"], 1, f"source_dir: {why}", CODE)
            return home
        return home / written

    def output_dir(self, written: str, root: Path) -> Path:
        """Return where everything is built. A folder with the book in it would be cleared with the book."""
        home = self.path.parent.resolve()
        folder = (home / written).resolve()
        if not (root.is_relative_to(folder) or home.is_relative_to(folder)):
            return folder
        why = f"'{written}' holds the book itself, which must not be built over; name a folder in it, such as _build"
        self.wrong(("build", "output_dir"), written, why)
        return home / _default("build", "output_dir")


def _build(path: Path, values: dict[tuple[str, str], str], reader: _Reader) -> Config:
    def text(section: str, key: str) -> str:
        return values.get((section, key), "").strip() or _default(section, key)

    strict = truth(text("build", "strict")) or truth(text("build", "warning_is_error"))
    reader.messages.strict = reader.messages.strict or strict
    root = reader.source_dir(text("build", "source_dir")).resolve()
    tabs = tuple(word.lower() for word in words(text("build", "tabs"))) or (DEFAULT_TAB,)
    lang = text("project", "lang")
    return Config(
        path=path.resolve(),
        root=root,
        name=text("project", "name"),
        title=text("project", "title"),
        author=text("project", "author"),
        copyright=text("project", "copyright"),
        release=text("project", "release"),
        lang=lang,
        source_lang=lang,
        languages=tuple(dict.fromkeys(other for other in words(text("project", "languages")) if other != lang)),
        base_url=text("project", "base_url"),
        edit_url=text("project", "edit_url"),
        d2l_address=text("project", "d2l_address"),
        index=text("build", "index").removesuffix(".md"),
        notebooks=words(text("build", "notebooks")),
        non_notebooks=words(text("build", "non-notebooks")),
        exclusions=words(text("build", "exclusions")),
        resources=words(text("build", "resources")),
        eval_notebook=truth(text("build", "eval_notebook")),
        output_dir=reader.output_dir(text("build", "output_dir"), root),
        tabs=tabs,
        strict=strict,
        time_limit=int(text("build", "time_limit")),
        libraries=_libraries(values, tabs, reader),
        values=values,
        lines=reader.lines,
    )


def _libraries(values: dict[tuple[str, str], str], tabs: tuple[str, ...], reader: _Reader) -> dict[str, LibraryConfig]:
    libraries: dict[str, LibraryConfig] = {}
    for section, key in reader.lines:
        if key or not section.startswith("library-"):
            continue
        tab = section.removeprefix("library-").lower()
        if tab not in tabs:
            what = f"[{section}]: '{tab}' is not a tab of this book{nearest(tab, tabs)}"
            reader.messages.error(reader.path.name, reader.lines[section, ""], 1, what, "tab-unknown")
            continue
        libraries[tab] = LibraryConfig(
            tab, **{name: values.get((section, name), "").strip("\n") for name in names_in(LIBRARY)}
        )
    return libraries
