"""The command line: `d2lbook COMMAND`, `python -m d2lbook COMMAND`. The one module that prints and exits.

A command's function is imported when it runs, so that `d2lbook make …` works before anything is installed.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from d2lbook.commands import ALL, BY_NAME, ON_BOOKS, Command, load
from d2lbook.commands.arguments import read_arguments
from d2lbook.commands.output import Output
from d2lbook.diagnostics import UNFINISHED, BookError, Message, Messages, error_at, to_install
from d2lbook.files import sweep
from d2lbook.session import Session

if TYPE_CHECKING:  # a site that is up to date needs none of it
    from d2lbook.model import Book

WRITTEN = ("outputs", "locales")  # folders of the sources that commands write to, beside those of libraries
REPLACED = {
    "rst": "'build html' (the site's writer reads the Markdown pages directly)",
    "merge": "'build ipynb' (a notebook per framework needs no merging)",
}

_SECONDS = re.compile(r"\d{1,10}", re.ASCII)

# nbformat imports jsonschema, which compiles forty grammars of addresses where this package is installed, as with
# JupyterLab: 1.4 of 1.7 s of processor time in each command that reads a notebook or a result. Nothing here uses them.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


# Documents are many small objects that stay: looking for cycles among them all the time is a sixth of a build. What
# cycles a book of 200 pages leaves takes 20 MB.
_COLLECT = (2_000_000, 50, 100)


def program() -> NoReturn:
    """The command as a program: `main` and the end of the process."""
    status = main()
    gc.freeze()  # else Python looks for cycles among all documents once more before it ends: a tenth of a second
    sys.exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; 0 when it succeeded, 1 when not, 2 for a command line that cannot be read."""
    gc.set_threshold(*_COLLECT)
    os.environ["DOCUTILSCONFIG"] = ""  # a docutils.conf in the book could make docutils read any file
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a message says what it can in any encoding
    arguments = read_arguments(sys.argv[1:] if argv is None else list(argv))
    if arguments.command == "make":
        from d2lbook import make

        return make.main(arguments.targets, Path.cwd(), Output().say)
    output = Output(arguments.format, arguments.quiet)
    try:
        return _reported(arguments, output)
    except KeyboardInterrupt:
        print("stopped; what was finished is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
        return 141
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "d2lbook":
            raise
        print(f"the package '{error.name}' is missing; run: {to_install(error.name or '')}", file=sys.stderr)
        return 1


def _reported(arguments: argparse.Namespace, output: Output) -> int:
    """Run a command; what stops it is reported as a finding, too."""
    try:
        return _run(arguments, output)
    except BookError as error:
        output.report(error.messages)
        return 1
    finally:
        output.end()


def _check_environment() -> None:
    """Refuses a date that the build backends, which ask for it, could not read."""
    date = os.environ.get("SOURCE_DATE_EPOCH", "0")
    if not _SECONDS.fullmatch(date):
        what = f"'{date}' is no whole number of seconds since 1970; set it to one, or unset it"
        raise error_at("SOURCE_DATE_EPOCH", 0, 0, what, "config-value")


def _run(arguments: argparse.Namespace, output: Output) -> int:
    rows = _rows(arguments)
    if not rows[0].opens_book:
        return 0 if load(rows[0].run)(arguments, output.say) else 1
    _check_environment()
    _refuse_pages(rows, arguments.pages)
    if not any(row.builds for row in rows):
        return _run_rows(arguments, rows, output)
    from d2lbook.config import load as load_config
    from d2lbook.security.output_directory import is_marked, locked

    config = load_config(Path(arguments.config), Messages())
    if len(rows) == 1 and is_marked(config.output_dir) and (site := _current(rows[0], arguments)):
        output.say(f"the site: {site} (nothing changed)")
        return 0
    with locked(config.output_dir, config.root, (config.name_in_messages, config.line("build", "output_dir"))):
        return _run_rows(arguments, rows, output)


def _run_rows(arguments: argparse.Namespace, rows: Sequence[Command], output: Output) -> int:
    messages = Messages(draft=arguments.draft)
    for folder in WRITTEN:  # where a command that was killed may have left half a file
        sweep(Path(arguments.config).parent / folder)
    if not any(row.endless for row in rows):
        output.begin("reading the book")
    session = _open(arguments, messages, output)
    for place in {Path(library.lib_file).parent for library in session.config.libraries.values() if library.lib_file}:
        if place.name:  # a folder of its own: in the book's lie other programs' files
            sweep(session.config.root / place)
    if not any(row.typesets for row in rows) or arguments.pages:
        return _run_each(arguments, rows, session, output)
    formulas = session.context.formulas
    load("d2lbook.rendering.typesetting:begin")(session.book.pages, formulas)
    try:
        return _run_each(arguments, rows, session, output)
    finally:
        formulas.stop()


def _run_each(arguments: argparse.Namespace, rows: Sequence[Command], session: Session, output: Output) -> int:
    """Runs the commands on the book that was read, one after the other, once it has been checked."""
    messages = session.messages
    succeeded = not messages.failed or arguments.command == "clear" or bool(arguments.pages)
    if any(row.checks_first for row in rows):
        succeeded = load("d2lbook.commands.checking:before_build")(session) and succeeded
    reported: set[Message] = set()
    ready = succeeded  # to build formats, which do not need each other
    for row in rows:
        goes_on = row.shows_faults and not arguments.no_faults
        if not ready and row.checks_first and not goes_on:
            continue
        if session.config.goes_on != goes_on:
            session.config = replace(session.config, goes_on=goes_on)
        if not row.endless:
            output.begin(row.name)
        done = _run_command(row, session)
        succeeded = succeeded and done
        if not done:
            session.failed.add(row.name)
            if not row.stops_others and len(rows) > 1:
                what = "with faults" if goes_on else "not complete"
                what += "; what cannot be built is as it was before"
                output.say(f"{row.name}: {what}")
        ready = ready and (done or not row.stops_others)
        output.report(message for message in messages if message not in reported)
        reported |= messages.found
    output.report(message for message in messages if message not in reported)
    session.kept.store(session.config)
    return 0 if succeeded and not messages.failed else 1


def _refuse_pages(rows: Sequence[Command], pages: Sequence[str]) -> None:
    """Raises BookError for pages given to what works on the whole book."""
    whole = [row.name for row in rows if not row.takes_pages]
    if whole and pages:
        raise error_at(
            whole[0], 0, 0, f"works on the whole book and takes no pages; leave '{pages[0]}' out", "page-whole"
        )


def _run_command(row: Command, session: Session) -> bool:
    """Runs one command. A format has messages of its own: one that another format failed with does not stop it.

    A format that goes on shows the errors that are known on their pages; when it finds others, it is built again.
    """
    if not row.shows_faults:
        return _attempt(row, session)
    if not session.config.goes_on:
        done = _attempt(row, session)
        if done:  # else what was built before stays
            _note_faults(row, session, ())
        return done
    from d2lbook.book.faults import build_showing

    checked, say, said = session.book, session.say, list[str]()

    def build(book: Book) -> bool:
        session.book, session.say, said[:] = book, said.append, []
        return _attempt(row, session)

    done, shown = build_showing(checked, session.messages, build)
    session.book, session.say = checked, say
    for text in said:
        say(text)
    if shown.faults or done:
        _note_faults(row, session, shown.faults)
    return done and not shown.faults


def _note_faults(row: Command, session: Session, faults: Collection[Message]) -> None:
    """Remember whether a format was built with faults or as a draft: `deploy` publishes nothing of it."""
    from d2lbook.cache import Cache

    cache, mark = Cache(session.config.output_dir), f"faults-{row.name}"
    if faults or any(found.code in UNFINISHED for found in session.messages):
        cache.mark(mark, "", [])
    else:
        cache.forget(mark)


def _attempt(row: Command, session: Session) -> bool:
    messages = session.messages
    if not row.stops_others:
        session.messages = messages.apart()
    try:
        return bool(load(row.run)(session))
    except BookError as error:
        session.messages.extend(error.messages)
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"cannot be read or written: {error.strerror or error}; what was there before is left as it was"
        session.messages.error(str(error.filename or row.name), 0, 0, what, "file-error")
    finally:
        messages.extend(session.messages)
        session.messages = messages
    return False


def _current(row: Command, arguments: argparse.Namespace) -> Path | None:
    """What is built, if there is nothing to do: decided from the inputs' bytes, before the book is read."""
    if not row.current or arguments.pages or arguments.draft:
        return None
    from d2lbook.config import load as load_config

    messages = Messages()
    config = load_config(Path(arguments.config), messages)
    asked = [lang.strip() for lang in (arguments.lang or "").split(",") if lang.strip()] or config.all_languages
    if messages.found or arguments.tab or not set(asked) <= set(config.all_languages):
        return None
    place: Path | None = load(row.current)(config, asked)
    return place


def _rows(arguments: argparse.Namespace) -> list[Command]:
    """The commands to run, in order."""
    if arguments.command != "build":
        return [BY_NAME[arguments.command]]
    names: list[str] = []
    for name in arguments.stages:
        if name in REPLACED:
            raise error_at("build", 0, 0, f"'{name}' was an inner stage; use {REPLACED[name]}", "stage-replaced")
        if name != "all" and name not in ON_BOOKS:
            from d2lbook.config.keys import nearest

            raise error_at("build", 0, 0, f"unknown stage '{name}'{nearest(name, [*ON_BOOKS, 'all'])}", "stage-unknown")
        names += ALL if name == "all" else (name,)
    return [BY_NAME[name] for name in dict.fromkeys(names)]


def _open(arguments: argparse.Namespace, messages: Messages, output: Output) -> Session:
    from d2lbook.build_cache import BuildCache
    from d2lbook.config import load as load_config

    config = replace(load_config(Path(arguments.config), messages), trusted=arguments.trust)
    kept = BuildCache.of(config)
    session = Session(
        arguments, config, kept.load_book(config, messages), messages, kept, output.say, output.step, output.table
    )
    if not (arguments.command == "translate" and arguments.pages[:1] == ["add"]):  # whose language is not known yet
        _ = session.languages, session.runs  # unknown ones are said before anything is done
    return session
