"""The command line: `d2lbook COMMAND`, `python -m d2lbook COMMAND`. The one module that prints and exits.

Stages are imported when their command runs, so that `d2lbook make …` works before anything is installed.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from d2lbook.diagnostics import BookError, Message, Messages, error_at
from d2lbook.stages import ALL, FORMATS, STAGES, TAKES_PAGES, WITHOUT_CHECK, Session, stage_check
from d2lbook.stages.options import add_options, fill_defaults, refused

REPLACED = {
    "rst": "'build html' (Sphinx reads the Markdown pages directly)",
    "merge": "'build ipynb' (a notebook per framework needs no merging)",
}

_SECONDS = re.compile(r"\d{1,10}", re.ASCII)

# What must be quick, and writes to the output directory anyway: keeps what it finds out for the next command.
KEEPING = {"html", "translate"}


# nbformat asks jsonschema, which compiles forty grammars of addresses for seconds where this package is installed, as
# JupyterLab does it; notebooks hold nothing that it would check.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


# Documents are many small objects that stay: looking for cycles among them all the time is a tenth of a build.
_COLLECT = (200_000, 50, 100)


def say(text: str) -> None:
    print(text, flush=True)


def report(messages: Iterable[Message]) -> None:
    for message in messages:
        print(message, file=sys.stderr, flush=True)


def program() -> NoReturn:
    """The command as a program: `main` and the end of the process.

    A quick command ends at once, as everything is on disk: to give back a book's memory object by object, which Python
    does at its end, takes a tenth of the time in which an author sees an edited sentence.
    """
    status = main()
    if KEEPING.isdisjoint(sys.argv[1:2]):
        sys.exit(status)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; 0 when it succeeded, 1 when not, 2 for a command line that cannot be read."""
    gc.set_threshold(*_COLLECT)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a message says what it can in any encoding
    arguments = _arguments(sys.argv[1:] if argv is None else list(argv))
    if arguments.command == "make":
        from d2lbook import tasks

        return tasks.main(arguments.targets, Path.cwd(), say)
    try:
        return _run(arguments)
    except BookError as error:
        report(error.messages)
        return 1
    except KeyboardInterrupt:
        print("stopped; what was finished is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
        return 141
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "d2lbook":
            raise
        print(f"the package '{error.name}' is missing; run: {_python()} -m d2lbook make setup", file=sys.stderr)
        return 1


def _check_environment() -> None:
    """Refuses a date that Sphinx and the build backends, which ask for it, could not read."""
    date = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not _SECONDS.fullmatch(date):
        what = f"'{date}' is no whole number of seconds since 1970; set it to one, or unset it"
        raise error_at("SOURCE_DATE_EPOCH", 0, 0, what, "config-value")


def _python() -> str:
    return Path(sys.executable).name


def _run(arguments: argparse.Namespace) -> int:
    names = _stage_names(arguments)
    _check_environment()
    _refuse_pages(names, arguments.pages)
    messages = Messages()
    if names == ["html"] and _site_is_current(arguments):
        return 0
    session = _open(arguments, messages, keep=not KEEPING.isdisjoint(names))
    succeeded = not messages.failed or names == ["clear"] or bool(arguments.pages)
    if not WITHOUT_CHECK.issuperset(names):
        succeeded = stage_check(session) and succeeded
    reported: set[Message] = set()
    ready = succeeded  # to build formats, which do not need each other
    for name in names:
        if not ready and name not in WITHOUT_CHECK:
            break
        done = _run_stage(name, session)
        succeeded = succeeded and done
        if not done:
            session.failed.add(name)
            if name in FORMATS and len(names) > 1:
                say(f"{name}: not complete; what failed is as it was before")
        ready = ready and (done or name in FORMATS)
        report(message for message in messages if message not in reported)
        reported |= messages.found
    report(message for message in messages if message not in reported)
    if not KEEPING.isdisjoint(names) and succeeded:
        _keep(session)
    return 0 if succeeded and not messages.failed else 1


def _refuse_pages(names: Sequence[str], pages: Sequence[str]) -> None:
    """Raises BookError for pages given to what works on the whole book."""
    whole = [name for name in names if name not in TAKES_PAGES]
    if whole and pages:
        raise error_at(
            whole[0], 0, 0, f"works on the whole book and takes no pages; leave '{pages[0]}' out", "page-whole"
        )


def _run_stage(name: str, session: Session) -> bool:
    """Runs one stage. A format has messages of its own: one that another format failed with does not stop it."""
    messages = session.messages
    if name in FORMATS:
        session.messages = Messages(messages.strict)
    try:
        return STAGES[name][0](session)
    except BookError as error:
        session.messages.extend(error.messages)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"cannot be read or written: {error.strerror or error}; what was there before is left as it was"
        session.messages.error(str(error.filename or name), 0, 0, what, "file-error")
    finally:
        messages.extend(session.messages)
        session.messages = messages
    return False


def _site_is_current(arguments: argparse.Namespace) -> bool:
    """Whether there is nothing to build: decided from the inputs' bytes, before the book is read."""
    from d2lbook.config import load
    from d2lbook.export.html import is_current, site_directory

    messages = Messages()
    config = load(Path(arguments.config), messages)
    if messages.found or arguments.tab or arguments.lang or not is_current(config, config.tabs):
        return False
    say(f"the site: {site_directory(config) / 'index.html'} (nothing changed)")
    return True


def _stage_names(arguments: argparse.Namespace) -> list[str]:
    if arguments.command != "build":
        return [arguments.command]
    names: list[str] = []
    for name in arguments.stages:
        if name in REPLACED:
            raise error_at("build", 0, 0, f"'{name}' was an inner stage; use {REPLACED[name]}", "stage-replaced")
        if name != "all" and name not in STAGES:
            from d2lbook.config import nearest

            raise error_at("build", 0, 0, f"unknown stage '{name}'{nearest(name, [*STAGES, 'all'])}", "stage-unknown")
        names += ALL if name == "all" else (name,)
    return list(dict.fromkeys(names))


def _open(arguments: argparse.Namespace, messages: Messages, keep: bool) -> Session:
    from d2lbook.book import load_book
    from d2lbook.config import load

    config = load(Path(arguments.config), messages)
    from d2lbook.build_cache import KeptPages, load_kept

    kept = load_kept(config) if keep else KeptPages()
    session = Session(arguments, config, load_book(config, messages, kept.parsed), messages, kept, say)
    if not (arguments.command == "translate" and arguments.pages[:1] == ["add"]):  # whose language is not known yet
        _ = session.languages, session.tabs  # unknown ones are said before anything is done
    return session


def _keep(session: Session) -> None:
    from d2lbook.build_cache import store_kept

    store_kept(session.config, session.kept)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="d2lbook", description="Builds a book of Markdown notebooks.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="run several stages, after a check", allow_abbrev=False)
    build.add_argument("stages", nargs="+", metavar="STAGE", help=f"{', '.join(STAGES)}, all")
    build.set_defaults(pages=[])
    add_options(build, STAGES)
    for name, (_, text) in STAGES.items():
        stage = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False)
        pages = "only these pages" if name in TAKES_PAGES else argparse.SUPPRESS
        stage.add_argument("pages", nargs="*", metavar="PAGE", help=pages)
        add_options(stage, (name,))
    make = commands.add_parser("make", help="the Makefile's targets, for systems without make")
    make.add_argument("targets", nargs="*", default=["help"], metavar="TARGET")
    arguments, words = parser.parse_known_args(argv)
    if arguments.command == "make":
        if wrong := [word for word in words if word.startswith("-")]:
            parser.error(f"make: no option {', '.join(wrong)}; it has none, name targets")
        arguments.targets += words
        return arguments
    named = {"build": "stages"}.get(arguments.command, "pages")
    getattr(arguments, named).extend(word for word in words if not word.startswith("-"))  # behind an option
    commands_named = arguments.stages if arguments.command == "build" else [arguments.command]
    known = [name for stage in commands_named for name in (ALL if stage == "all" else (stage,)) if name in STAGES]
    if text := refused(arguments, words, known):
        parser.error(text)
    arguments.lang_named_by = "--lang" if hasattr(arguments, "lang") else "BOOK_LANG"
    if not hasattr(arguments, "lang"):
        arguments.lang = os.environ.get("BOOK_LANG", "")
    fill_defaults(arguments)
    return arguments
