"""The keys of `config.ini`: one row each. The loader, what it says of unknown keys, and the manual's list follow it."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from d2lbook.frameworks import FRAMEWORKS
from d2lbook.languages import DEFAULT

ANY = "LANGUAGE"  # stands for all names of a section whose keys are of the book: a fence's language
LIBRARY = "library-TAB"  # stands for the sections [library-pytorch] and the like, one for each tab
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")  # BCP 47, as far as books need it
_TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_ORIGIN = re.compile(r"(?:https|wss)://(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d+)?")
_NAME = re.compile(r"\w[\w .+-]*")  # what is safe in a file's name


class Kind(Enum):
    """What the value of a key is; the value of each member says so in the manual."""

    TEXT = "text"
    NAME = "a name of letters, digits, `.`, `-`, `_`"
    MODULE = "a name of Python, or several with dots between them"
    FUNCTION = "a function of an installed package, `module:function`"
    NAMES = "names, with commas or spaces between them"
    PATTERNS = "patterns of paths, with spaces between them"
    FILE = "a file of the book"
    FILES = "files of the book, with spaces between them"
    FOLDER = "a folder"
    LINES = "a line each"
    SWITCH = "`true` or `false`"
    SECONDS = "a whole number of seconds"
    LANGUAGE = "a language's code, such as `en` or `pt-BR`"
    LANGUAGES = "languages' codes, with commas or spaces between them"
    ADDRESS = "an address that begins with `http://` or `https://`"
    ORIGINS = "addresses of servers such as `https://comments.example`, with spaces between them"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of `config.ini`."""

    section: str
    name: str
    kind: Kind
    help: str
    default: str = ""

    @property
    def place(self) -> tuple[str, str]:
        return self.section, self.name


def _ignored(section: str, *names: str) -> Iterable[tuple[str, str]]:
    return ((section, name) for name in names)


def _hosted(section: str, platform: str) -> tuple[Key, ...]:
    return (
        Key(
            section,
            "github_repo",
            Kind.LINES,
            "where a copy of the notebooks is published: `owner/name` or `owner/name@branch`, or "
            "`tab, owner/name` for each framework; the site links there",
        ),
        Key(section, "libs", Kind.LINES, "what pip installs for an import: `name, package` or `tab, name, package`"),
        Key(section, "libs_header", Kind.TEXT, "the words above the cell that installs"),
        Key(
            section, "gpu_pattern", Kind.TEXT, f"a regular expression: {platform} is asked for a GPU where code has it"
        ),
        Key(section, "kernel", Kind.LINES, "the kernel's name, or `tab, name`"),
        Key(section, "exclusions", Kind.PATTERNS, "pages without a notebook there"),
    )


KEYS: tuple[Key, ...] = (
    Key("project", "name", Kind.NAME, "begins the names of archives", "book"),
    Key("project", "title", Kind.TEXT, "the book's title", "Book"),
    Key("project", "author", Kind.TEXT, "the author, on title pages and in files' properties"),
    Key("project", "copyright", Kind.TEXT, "the line about rights below each page"),
    Key("project", "release", Kind.TEXT, "the book's version, on title pages; `version_file` gets it, too"),
    Key("project", "lang", Kind.LANGUAGE, "the language that the pages are written in", DEFAULT),
    Key("project", "languages", Kind.LANGUAGES, "the languages that the book is translated into"),
    Key("project", "base_url", Kind.ADDRESS, "where the site is published; adds a sitemap and canonical links"),
    Key(
        "project",
        "edit_url",
        Kind.ADDRESS,
        "adds a link to each page that leads to its source: this address and the page's path",
    ),
    Key(
        "project",
        "d2l_address",
        Kind.TEXT,
        "what pip installs the book's package from: a wheel, a repository or an index on the network, a wheel or a "
        "project's folder here; hosted notebooks carry a package that is here, and without the key the library's files",
    ),
    Key("build", "index", Kind.FILE, "the first page; its table of contents leads to all others", "index"),
    Key(
        "build", "notebooks", Kind.PATTERNS, "the pages; one that no table of contents names is reported", "*.md */*.md"
    ),
    Key("build", "non-notebooks", Kind.PATTERNS, "files among these that are no pages"),
    Key("build", "exclusions", Kind.PATTERNS, "more files that are no pages, such as `README.md`"),
    Key("build", "resources", Kind.FILES, "files and folders that pages need beside them, such as figures and data"),
    Key(
        "build",
        "eval_notebook",
        Kind.SWITCH,
        "whether results are shown; `false` builds every format without them",
        "true",
    ),
    Key("build", "source_dir", Kind.FOLDER, "where the pages are, seen from `config.ini`", "."),
    Key(
        "build",
        "output_dir",
        Kind.FOLDER,
        "where everything is built, seen from `config.ini`; neither the book's folder nor one around it",
        "_build",
    ),
    Key("build", "tabs", Kind.NAMES, "the frameworks, the default first; without it the book has none"),
    Key("build", "strict", Kind.SWITCH, "whether warnings are errors", "false"),
    Key("build", "warning_is_error", Kind.SWITCH, "the same, as d2lbook 1 calls it", "false"),
    Key("build", "time_limit", Kind.SECONDS, "how long one page may take in one framework", "1200"),
    Key("html", "header_links", Kind.LINES, "links at the top of each page: `name, address`"),
    Key("html", "favicon", Kind.FILE, "the site's icon"),
    Key("html", "html_logo", Kind.FILE, "the logo beside the title"),
    Key("html", "include_css", Kind.FILES, "style sheets of the book's own"),
    Key("html", "include_js", Kind.FILES, "scripts of the book's own"),
    Key("html", "head_html", Kind.FILE, "HTML that is put at the end of each page's head, such as a counter of visits"),
    Key("html", "end_html", Kind.FILE, "HTML that is put at the end of each page, such as comments"),
    Key("html", "content_sources", Kind.ORIGINS, "servers that pages may load from; without it only the site itself"),
    Key("pdf", "main_font", Kind.TEXT, "the font of text", "Noto Serif"),
    Key("pdf", "sans_font", Kind.TEXT, "the font of headings", "Noto Sans"),
    Key("pdf", "mono_font", Kind.TEXT, "the font of code", "Noto Sans Mono"),
    Key("pdf", "post_latex", Kind.FILE, "a Python program that may change the LaTeX file it is given"),
    Key("pdf", "latex_logo", Kind.FILE, "the picture on the title page"),
    Key("pdf", "bibfile", Kind.FILE, "a bibliography beside those that the pages name"),
    Key("pdf", "style", Kind.FILE, "LaTeX that is put at the end of the preamble"),
    Key(
        "bibliography",
        "style",
        Kind.TEXT,
        "a style of CSL, in which works are cited and listed: a file of the book that ends with `.csl`, or the name of "
        "one that is installed, such as `harvard-cite-them-right`",
    ),
    Key(
        "fences",
        ANY,
        Kind.FUNCTION,
        "what draws the fences of a language such as `mermaid`: the name of the key is the language",
    ),
    Key("library", "version_file", Kind.FILE, "the Python file whose `__version__` is set to `release`"),
    Key(LIBRARY, "lib_file", Kind.FILE, "the library, which `d2lbook lib` writes from the cells marked `#@save`"),
    Key(LIBRARY, "lib_name", Kind.MODULE, f"the module that aliases refer to, such as `{FRAMEWORKS[0].modules[0]}`"),
    Key(
        LIBRARY,
        "simple_alias",
        Kind.LINES,
        "functions that the framework has under this or another name: `exp, concat -> cat`",
    ),
    Key(LIBRARY, "fluent_alias", Kind.LINES, "functions that are methods in the framework: `size -> numel`"),
    Key(
        LIBRARY,
        "args_alias",
        Kind.LINES,
        "calls that are another expression there: `power(base, exponent) -> base ** exponent`",
    ),
    Key(LIBRARY, "alias", Kind.LINES, "code that is appended to the library: `number = float`"),
    Key(
        LIBRARY,
        "reverse_alias",
        Kind.LINES,
        "regular expressions and their replacements, for what the other aliases cannot say",
    ),
    *_hosted("colab", "Colab"),
    *_hosted("sagemaker", "SageMaker"),
    Key("slides", "top_left", Kind.TEXT, "HTML at the top left of every slide"),
    Key("slides", "top_right", Kind.TEXT, "HTML at the top right of every slide"),
    Key("deploy", "social_card", Kind.FILE, "the picture that social networks show; without it, the logo"),
    Key(
        "deploy",
        "beside",
        Kind.LINES,
        "other sites to publish with the book: `folder, directory, title`; one that is not built is left out",
    ),
)
# Keys of d2lbook 1.0.3 without meaning here: reported where they have a value, so that nobody waits for their effect.
IGNORED: frozenset[tuple[str, str]] = frozenset(
    (
        *_ignored("build", "rsts", "dependencies", "sphinx_extensions", "sphinx_configs", "origin_repo", "html_dir"),
        *_ignored("pdf", "latex_url"),
        *_ignored("library", "version", "root_dir", "save_filename", "save_mark", "save_patterns"),
        *_ignored("colab", "replace_svg_url"),
        *_ignored("slides", "github_repo"),
        # `deploy` uploads nothing: --target says where to.
        *_ignored("deploy", "google_analytics_tracking_id", "github_repo", "s3_bucket", "other_file_s3urls"),
        # Translations are made by people, in catalogs.
        *_ignored("translation", "origin_repo", "origin_lang", "translator", "terminology"),
    )
)
BY_PLACE = {key.place: key for key in KEYS}
SECTIONS = tuple(dict.fromkeys(section for section, _ in (*BY_PLACE, *sorted(IGNORED))))


def key_of(section: str, name: str) -> Key | None:
    """Return the row of a key as it stands in a file."""
    wanted = LIBRARY if section.startswith("library-") else section
    return BY_PLACE.get((wanted, name)) or BY_PLACE.get((wanted, ANY))


def names_in(section: str) -> list[str]:
    """Return the keys that mean something in a section; none for an unknown one."""
    wanted = LIBRARY if section.startswith("library-") else section
    return [key.name for key in KEYS if key.section == wanted]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the nearest known name, else what is known, when that is short."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; known: {', '.join(names)}" if 0 < len(names) <= 12 else ""


def words(value: str) -> tuple[str, ...]:
    return tuple(value.replace(",", " ").split())


def truth(value: str) -> bool:
    return _TRUTHS[value.lower()]


def faults(key: Key, value: str) -> list[tuple[str, str]]:
    """Return what is wrong with a value that is not empty: the part of it that is, and why."""
    check = _CHECKS.get(key.kind)
    return check(value) if check else []


def _switch(value: str) -> list[tuple[str, str]]:
    return [] if value.lower() in _TRUTHS else [(value, f"'{value}' is neither true nor false")]


def _seconds(value: str) -> list[tuple[str, str]]:
    if value.isdecimal() and int(value) > 0:
        return []
    return [(value, f"'{value}' is not a whole number of seconds above zero")]


def _name(value: str) -> list[tuple[str, str]]:
    if _NAME.fullmatch(value):
        return []
    return [(value, f"'{value}' cannot name files; write letters, digits, '.', '-', '_'")]


def _module(value: str) -> list[tuple[str, str]]:
    if all(part.isidentifier() and not keyword.iskeyword(part) for part in value.split(".")):
        return []
    return [(value, f"'{value}' is no name of Python; write one such as numpy.random")]


def _function(value: str) -> list[tuple[str, str]]:
    module, _, function = (part.strip() for part in value.partition(":"))
    if module and function and not _module(module) and not _module(function):
        return []
    return [(value, f"'{value}' is no function of a package; write one such as my_package.diagrams:draw")]


def _names(value: str) -> list[tuple[str, str]]:
    return [fault for word in words(value) for fault in _name(word)]


def _language(value: str) -> list[tuple[str, str]]:
    return [] if LANGUAGE.fullmatch(value) else [(value, f"'{value}' is no language; write a code such as ko, pt-BR")]


def _languages(value: str) -> list[tuple[str, str]]:
    asked = words(value)
    wrong = [
        (lang, f"'{lang}' is no language; write codes such as ko, pt-BR")
        for lang in asked
        if not LANGUAGE.fullmatch(lang)
    ]
    return wrong or [(lang, f"'{lang}' stands there twice; remove one") for lang in asked if asked.count(lang) > 1]


def _address(value: str) -> list[tuple[str, str]]:
    if re.fullmatch(r"https?://[^\s/]\S*", value):
        return []
    return [(value, f"'{value}' is no address; write one that begins with https://")]


def _origins(value: str) -> list[tuple[str, str]]:
    """A policy is words and semicolons, of which no value may bring any along."""
    why = "is no server's address; write one such as https://comments.example, without a path"
    return [(word, f"'{word}' {why}") for word in words(value) if not _ORIGIN.fullmatch(word)]


_CHECKS: dict[Kind, Callable[[str], list[tuple[str, str]]]] = {
    Kind.SWITCH: _switch,
    Kind.SECONDS: _seconds,
    Kind.NAME: _name,
    Kind.MODULE: _module,
    Kind.FUNCTION: _function,
    Kind.NAMES: _names,
    Kind.LANGUAGE: _language,
    Kind.LANGUAGES: _languages,
    Kind.ADDRESS: _address,
    Kind.ORIGINS: _origins,
}
