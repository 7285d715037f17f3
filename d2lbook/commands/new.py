"""The command `new`: a small book to begin with, which every format can be built from at once."""

from __future__ import annotations

import argparse
import datetime
import json
import re
import shutil
import string
from collections.abc import Callable, Sequence
from pathlib import Path

from d2lbook.build_cache import BuildCache
from d2lbook.commands import translations
from d2lbook.config import load
from d2lbook.config.keys import LANGUAGE, nearest, words
from d2lbook.diagnostics import Messages, error_at
from d2lbook.files import write_atomic
from d2lbook.frameworks import BY_TAB, DEFAULT_TAB, TABS
from d2lbook.languages import DEFAULT
from d2lbook.library import write_libraries
from d2lbook.model import Cell
from d2lbook.parse import parse_document
from d2lbook.session import Session

TEMPLATE = Path(__file__).parent.parent / "static" / "new"
FILES = {  # of every new book -> of the template
    "config.ini": "config.ini",
    "index.md": "index.md",
    "writing.md": "writing.md",
    "references.bib": "references.bib",
    "img/squares.svg": "img/squares.svg",
    "library/__init__.py": "init.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/publish.yml": "publish.yml",
}
_FILLED = ("config.ini", "index.md")  # files with names in them to put in
OFFERED = tuple(tab for tab in TABS if (TEMPLATE / "outputs" / f"{tab}.json").is_file())  # those with results
_NO_PAGES = {".git", ".venv"}  # what a folder may have that a book begins in


def run(arguments: argparse.Namespace, say: Callable[[str], None]) -> bool:
    """Write a book into a folder that is new or empty. Raises BookError."""
    if len(arguments.pages) != 1:
        raise error_at("new", 0, 0, "name one folder for the book: d2lbook new my-book", "new-folder")
    folder = Path(arguments.pages[0])
    tabs = _tabs(words(arguments.frameworks))
    languages = _languages(words(arguments.languages))
    _refuse_used(folder)
    try:
        _write(folder, tabs, languages)
    except OSError as error:
        what = f"cannot be written: {error.strerror or error}"
        raise error_at(str(error.filename or folder), 0, 0, what, "file-error") from error
    _generate(arguments, folder, languages)
    say(f"a book of three pages: {folder / 'config.ini'}")
    is_here = folder.resolve() == Path.cwd()
    say(f"to see it in the browser: {'' if is_here else f'cd {folder} && '}d2lbook serve")
    return True


def _tabs(asked: Sequence[str]) -> tuple[str, ...]:
    for tab in asked:
        if tab not in OFFERED:
            what = f"no book begins with '{tab}'{nearest(tab, OFFERED)}"
            raise error_at("--frameworks", 0, 0, what, "tab-unknown")
    return tuple(dict.fromkeys(asked))


def _languages(asked: Sequence[str]) -> tuple[str, ...]:
    for language in asked:
        if not LANGUAGE.fullmatch(language):
            what = f"'{language}' is no code of a language; write one such as ja or pt-BR"
            raise error_at("--languages", 0, 0, what, "lang-unknown")
        if language == DEFAULT:
            what = f"the pages are written in '{language}'; name languages to translate them into"
            raise error_at("--languages", 0, 0, what, "lang-unknown")
    return tuple(dict.fromkeys(asked))


def _refuse_used(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise error_at(str(folder), 0, 0, "is a file; name a folder that is new or empty", "new-folder")
    held = sorted(path.name for path in folder.iterdir() if path.name not in _NO_PAGES) if folder.is_dir() else []
    if held:
        what = f"is not empty, it has '{held[0]}'; name a folder that is new or empty"
        raise error_at(str(folder), 0, 0, what, "new-folder")


def _write(folder: Path, tabs: tuple[str, ...], languages: tuple[str, ...]) -> None:
    values = _values(folder.resolve().name, tabs, languages)
    for name, source in FILES.items():
        text = (TEMPLATE / source).read_text(encoding="utf-8")
        write_atomic(
            folder / name, string.Template(text).substitute(values) if name in _FILLED else text, durable=False
        )
    write_atomic(folder / "code.md", _code(tabs), durable=False)
    for tab in tabs or (DEFAULT_TAB,):
        result = folder / "outputs" / "code" / f"{tab}.cpu.json"
        result.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TEMPLATE / "outputs" / f"{tab}.json", result)
        if tab in BY_TAB:
            write_atomic(folder / "requirements" / f"{tab}.txt", _pins(tab), durable=False)


def _values(folder: str, tabs: tuple[str, ...], languages: tuple[str, ...]) -> dict[str, str]:
    """Return what the template leaves open. A folder's name becomes the book's, without what no name may have."""
    name = re.sub(r"[^\w.+-]+", "-", folder).strip("-.+") or "book"
    libraries = [f"[library-{tab}]\nlib_file = library/{_module(tab)}.py\n" for tab in tabs or (DEFAULT_TAB,)]
    return {
        "name": name,
        "title": string.capwords(re.sub(r"[\W_]+", " ", name)) or "Book",
        "year": str(datetime.datetime.now(tz=datetime.timezone.utc).year),
        "languages": f"languages = {', '.join(languages)}\n" if languages else "",
        "tabs": f"# The frameworks; readers see the first one unless they choose.\ntabs = {', '.join(tabs)}\n"
        if tabs
        else "",
        "libraries": "\n".join(libraries).rstrip("\n"),
    }


def _module(tab: str) -> str:
    """Return the name of a framework's library: that of the framework's own module."""
    return BY_TAB[tab].modules[0] if tab in BY_TAB else "code"


def _code(tabs: tuple[str, ...]) -> str:
    """Return the page with cells, of these frameworks only."""
    if not tabs:
        return (TEMPLATE / "code.md").read_text(encoding="utf-8")
    text = (TEMPLATE / "code-frameworks.md").read_text(encoding="utf-8")
    cells = [block for block in parse_document(text, "code.md", Messages()).blocks if isinstance(block, Cell)]
    for cell in reversed(cells):
        if not set(cell.tabs or ()) & {"all", *tabs}:
            text = f"{text[: cell.span.start]}{text[cell.span.end :].lstrip()}"
    return text


def _pins(tab: str) -> str:
    """Return the versions that the framework's result was made with, as pip reads them."""
    result = json.loads((TEMPLATE / "outputs" / f"{tab}.json").read_text(encoding="utf-8"))
    versions: dict[str, str] = result["produced"]["versions"]
    pins = [f"{package}=={version}" for package, version in sorted(versions.items()) if package != "python"]
    head = f"# What the results in outputs/ of {BY_TAB[tab].label} are made with. After a change, run: d2lbook eval"
    return "\n".join((head, *_installed_alone(tab, pins), *pins)) + "\n"


def _installed_alone(tab: str, pins: Sequence[str]) -> list[str]:
    """Return how to install a framework whose own requirements are out of date: without them, the others first."""
    framework = BY_TAB[tab]
    alone = next((words for words in framework.pip.values() if words.startswith("--no-deps ")), "")
    if not alone:
        return []
    own = alone.removeprefix("--no-deps ")
    others = [*(pin for pin in pins if pin != own), *(name for added in framework.pip_adds.values() for name in added)]
    return [
        "# What it asks for itself is out of date. In an environment of its own:",
        f"#   pip install {' '.join(others)} && pip install {alone}",
    ]


def _generate(arguments: argparse.Namespace, folder: Path, languages: tuple[str, ...]) -> None:
    """Write what follows from the pages: the libraries, and the catalogs of languages."""
    messages = Messages()
    config = load(folder / "config.ini", messages)
    kept = BuildCache.of(config)
    book = kept.load_book(config, messages)
    write_libraries(book, config, config.tabs, messages)
    for language in languages:
        chosen = argparse.Namespace(**{**vars(arguments), "pages": ["add", language]})
        translations.run(Session(chosen, config, book, messages, kept, lambda text: None))
