"""Reads `config.ini`: the sections and keys of d2lbook 1.0.3 and ours, each with its place for messages."""

from __future__ import annotations

import configparser
import difflib
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from d2lbook.diagnostics import BookError, Message, Messages, error_at
from d2lbook.frameworks import DEFAULT_TAB
from d2lbook.languages import DEFAULT
from d2lbook.model import UiStrings

PROJECT_KEYS = ("name", "title", "author", "copyright", "release", "lang")
OUR_PROJECT_KEYS = ("languages", "base_url", "edit_url", "d2l_address")
HOSTED_KEYS = ("github_repo", "libs", "libs_header", "gpu_pattern", "kernel", "exclusions")
KNOWN_KEYS: dict[str, tuple[str, ...]] = {
    "project": PROJECT_KEYS + OUR_PROJECT_KEYS,
    "build": (
        "index", "notebooks", "non-notebooks", "rsts", "exclusions", "dependencies", "resources", "eval_notebook",
        "source_dir", "output_dir", "warning_is_error", "sphinx_extensions", "sphinx_configs", "tabs", "origin_repo",
        "html_dir", "strict", "time_limit",
    ),
    "html": ("header_links", "favicon", "html_logo", "include_css", "include_js"),
    "pdf": ("main_font", "sans_font", "mono_font", "post_latex", "latex_logo", "bibfile", "style", "latex_url"),
    "library": ("version_file", "version", "root_dir", "save_filename", "save_mark", "save_patterns"),
    "colab": (*HOSTED_KEYS, "replace_svg_url"),
    "sagemaker": HOSTED_KEYS,
    "slides": ("top_left", "top_right", "github_repo"),
    "deploy": ("social_card", "google_analytics_tracking_id", "github_repo", "s3_bucket", "other_file_s3urls"),
    "translation": ("origin_repo", "origin_lang", "translator", "terminology"),
}  # fmt: skip
LIBRARY_KEYS = (
    "lib_file", "lib_name", "simple_alias", "fluent_alias", "args_alias", "alias", "reverse_alias",
)  # fmt: skip
# Keys of d2lbook 1.0.3 without meaning here: reported where they have a value, so that nobody waits for their effect.
IGNORED_KEYS = {
    ("build", "rsts"), ("build", "dependencies"), ("build", "sphinx_extensions"), ("build", "sphinx_configs"),
    ("build", "origin_repo"), ("build", "html_dir"), ("pdf", "latex_url"), ("colab", "replace_svg_url"),
    ("library", "version"), ("library", "save_filename"), ("library", "save_mark"), ("library", "save_patterns"),
    ("library", "root_dir"), ("slides", "github_repo"),
    ("deploy", "google_analytics_tracking_id"), ("deploy", "github_repo"), ("deploy", "s3_bucket"),
    ("deploy", "other_file_s3urls"),  # `deploy` uploads nothing: --target says where to
    ("translation", "origin_repo"), ("translation", "origin_lang"), ("translation", "translator"),
    ("translation", "terminology"),  # translations are made by people, in catalogs
}  # fmt: skip
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")  # BCP 47, as far as books need it


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
    name: str = "book"
    title: str = "Book"
    author: str = ""
    copyright: str = ""
    release: str = ""
    lang: str = DEFAULT  # of the edition at hand
    source_lang: str = DEFAULT  # that the pages are written in
    languages: tuple[str, ...] = ()  # that they are translated to
    base_url: str = ""
    edit_url: str = ""
    d2l_address: str = ""
    index: str = "index"
    notebooks: tuple[str, ...] = ("*.md", "*/*.md")
    non_notebooks: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    eval_notebook: bool = True
    output_dir: Path = Path("_build")  # absolute after loading
    tabs: tuple[str, ...] = (DEFAULT_TAB,)
    strict: bool = False
    time_limit: int = 1200  # seconds one page may take in one framework
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
    values = {(section, key): parser[section][key] for section in parser.sections() for key in parser[section]}
    config = _build(path, values, lines, messages)
    _report_unknown(path.name, parser, lines, messages)
    return config


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error_at(
            path.name, 0, 0, "there is no such file; run the command in the book's directory, which has one",
            "config-missing",
        ) from None  # fmt: skip
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
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\[([^]]+)\]", line):
            section = header[1]
            lines.setdefault((section, ""), number)
        elif key := re.match(r"([^\s#;=:\[][^=:]*?)\s*[=:]", line):
            lines.setdefault((section, key[1].lower()), number)
    return lines


def _known_keys(section: str) -> tuple[str, ...] | None:
    if section.startswith("library-"):
        return LIBRARY_KEYS
    return KNOWN_KEYS.get(section)


def nearest(name: str, known: tuple[str, ...] | list[str]) -> str:
    """`; did you mean 'x'?` for the nearest known name, else what is known, when that is short."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 12 else ""


def _report_unknown(
    name: str, parser: configparser.ConfigParser, lines: dict[tuple[str, str], int], messages: Messages
) -> None:
    for section in parser.sections():
        known = _known_keys(section)
        if known is None:
            hint = nearest(section, [*KNOWN_KEYS, "library-TAB"])
            messages.error(name, lines[section, ""], 1, f"unknown section [{section}]{hint}", "config-section")
            continue
        for key in parser[section]:
            line = lines.get((section, key), 0)
            if (section, key) in IGNORED_KEYS and not parser[section][key].strip():
                continue
            if (section, key) in IGNORED_KEYS:
                messages.warning(name, line, 1, f"'{key}' has no effect here; remove it", "config-ignored")
            elif key not in known:
                messages.error(name, line, 1, f"unknown key '{key}' in [{section}]{nearest(key, known)}", "config-key")


def _words(value: str) -> tuple[str, ...]:
    return tuple(value.replace(",", " ").split())


@dataclass(slots=True)
class _Reader:
    name: str
    values: dict[tuple[str, str], str]
    lines: dict[tuple[str, str], int]
    messages: Messages

    def boolean(self, section: str, key: str, default: bool) -> bool:
        value = self.values.get((section, key), "").strip().lower()
        if value in {"", "true", "yes", "on", "1", "false", "no", "off", "0"}:
            return value in {"true", "yes", "on", "1"} if value else default
        self._bad(section, key, f"'{value}' is neither true nor false")
        return default

    def seconds(self, section: str, key: str, default: int) -> int:
        value = self.values.get((section, key), "").strip()
        if not value:
            return default
        if value.isdecimal() and int(value) > 0:
            return int(value)
        self._bad(section, key, f"'{value}' is not a whole number of seconds above zero")
        return default

    def languages(self, source: str) -> tuple[str, ...]:
        """The languages that the book is translated to, as in `[project] languages`, without its own."""
        asked = _words(self.values.get(("project", "languages"), ""))
        for lang in asked:
            if not _LANGUAGE.fullmatch(lang):
                self._bad("project", "languages", f"'{lang}' is no language; write codes such as ko, pt-BR")
            elif asked.count(lang) > 1:
                self._bad("project", "languages", f"'{lang}' stands there twice; remove one")
        return tuple(dict.fromkeys(lang for lang in asked if _LANGUAGE.fullmatch(lang) and lang != source))

    def _bad(self, section: str, key: str, text: str) -> None:
        self.messages.error(self.name, self.lines.get((section, key), 0), 1, f"{key}: {text}", "config-value")


def _build(
    path: Path, values: dict[tuple[str, str], str], lines: dict[tuple[str, str], int], messages: Messages
) -> Config:
    reader = _Reader(path.name, values, lines, messages)
    strict = reader.boolean("build", "strict", False) or reader.boolean("build", "warning_is_error", False)
    messages.strict = messages.strict or strict

    def text(section: str, key: str, default: str = "") -> str:
        return values.get((section, key), default).strip() or default

    root = (path.parent / text("build", "source_dir", ".")).resolve()
    tabs = tuple(word.lower() for word in _words(text("build", "tabs"))) or (DEFAULT_TAB,)
    return Config(
        path=path.resolve(), root=root,
        **{key: text("project", key, default) for key, default in (
            ("name", "book"), ("title", "Book"), ("author", ""), ("copyright", ""), ("release", ""), ("lang", DEFAULT),
            ("base_url", ""), ("edit_url", ""), ("d2l_address", ""))},
        source_lang=text("project", "lang", DEFAULT), languages=reader.languages(text("project", "lang", DEFAULT)),
        index=text("build", "index", "index").removesuffix(".md"),
        notebooks=_words(text("build", "notebooks", "*.md */*.md")),
        non_notebooks=_words(text("build", "non-notebooks")), exclusions=_words(text("build", "exclusions")),
        resources=_words(text("build", "resources")), eval_notebook=reader.boolean("build", "eval_notebook", True),
        output_dir=(path.parent / text("build", "output_dir", "_build")).resolve(), tabs=tabs, strict=strict,
        time_limit=reader.seconds("build", "time_limit", 1200), libraries=_libraries(values, lines, tabs, reader),
        values=values, lines=lines,
    )  # fmt: skip


def _libraries(
    values: dict[tuple[str, str], str], lines: dict[tuple[str, str], int], tabs: tuple[str, ...], reader: _Reader
) -> dict[str, LibraryConfig]:
    libraries: dict[str, LibraryConfig] = {}
    for section, key in lines:
        if key or not section.startswith("library-"):
            continue
        tab = section.removeprefix("library-").lower()
        if tab not in tabs:
            what = f"[{section}]: '{tab}' is not a tab of this book{nearest(tab, tabs)}"
            reader.messages.error(reader.name, lines[section, ""], 1, what, "tab-unknown")
            continue
        written = {name: values.get((section, name), "").strip("\n") for name in LIBRARY_KEYS}
        libraries[tab] = LibraryConfig(tab, **written)
    return libraries
