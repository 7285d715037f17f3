"""The command line: `d2lbook COMMAND`, `python -m d2lbook COMMAND`. The one module that prints and exits.

Stages are imported when their command runs, so that `d2lbook make …` works before anything is installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.messages import BookError, Message, Messages, fail

if TYPE_CHECKING:
    from d2lbook.config import Config
    from d2lbook.kept import KeptPages
    from d2lbook.model import Book

REPLACED = {
    "rst": "'build html' (Sphinx reads the Markdown pages directly)",
    "merge": "'build ipynb' (a notebook per framework needs no merging)",
}
NOT_YET = ("translate",)


@dataclass(slots=True)
class Session:
    """One run of the command line on one book."""

    arguments: argparse.Namespace
    config: Config
    book: Book
    messages: Messages
    kept: KeptPages  # what earlier commands found out
    failed: set[str] = field(default_factory=set)  # stages of this run that did not succeed

    @property
    def tabs(self) -> tuple[str, ...]:
        """The frameworks asked for with --tab, all of the book's without it. Raises BookError for an unknown one."""
        asked = [tab.strip().lower() for tab in (self.arguments.tab or "").split(",") if tab.strip()]
        for tab in asked:
            if tab not in self.book.tabs:
                known = ", ".join(self.book.tabs)
                raise fail("--tab", 0, 0, f"'{tab}' is not a tab of this book; it has {known}", "tab-unknown")
        return tuple(tab for tab in self.book.tabs if not asked or tab in asked)

    @property
    def pages(self) -> tuple[str, ...]:
        """Names of the pages given on the command line, all pages without any. Raises BookError for an unknown one."""
        names = [page.document.name for page in self.book.pages]
        asked = [self._page_name(Path(argument), names) for argument in self.arguments.pages]
        return tuple(name for name in names if not asked or name in asked)

    def _page_name(self, path: Path, names: list[str]) -> str:
        spelt = path.as_posix().removesuffix(".md").removeprefix("./")
        if path.is_absolute() and path.is_relative_to(self.config.root):
            spelt = path.relative_to(self.config.root).as_posix().removesuffix(".md")
        if spelt in names:
            return spelt
        ends = [name for name in names if name.endswith("/" + spelt)]
        if len(ends) == 1:
            return ends[0]
        from d2lbook.config import nearest

        hint = nearest(spelt, names)
        raise fail(str(path), 0, 0, f"no such page in the table of contents{hint}", "page-unknown")


def say(text: str) -> None:
    print(text, flush=True)


def report(messages: Iterable[Message]) -> None:
    for message in messages:
        print(message, file=sys.stderr, flush=True)


# ---- stages: each returns True when it succeeded --------------------------------------------------------------------


def stage_check(session: Session) -> bool:
    from d2lbook.check import check_book

    check_book(session.book, session.config, session.messages, session.kept.checked, session.kept.code)
    if not session.arguments.pages:
        return not session.messages.failed
    # An author at work on one page is not held up by another's: its findings are reported all the same.
    others = {page.document.path for page in session.book.pages if page.document.name not in session.pages}
    return not any(message.level == "error" and message.path not in others for message in session.messages)


def stage_tabcheck(session: Session) -> bool:
    from d2lbook.check import tabcheck

    tabcheck(session.book, session.config, session.messages)
    return not session.messages.failed


def stage_outputcheck(session: Session) -> bool:
    from d2lbook.check import outputcheck

    outputcheck(session.book, session.config, session.messages)
    return not session.messages.failed


def stage_lib(session: Session) -> bool:
    from d2lbook.library import write_libraries

    for path in write_libraries(session.book, session.config, session.tabs, session.messages):
        say(f"wrote {path}")
    return not session.messages.failed


def stage_eval(session: Session) -> bool:
    known = set(session.messages.found)  # other pages' findings, when only some pages are asked for
    stage_lib(session)
    if any(message.level == "error" for message in session.messages.found - known):
        return False
    from d2lbook.execute import evaluate

    arguments = session.arguments
    return evaluate(
        session.book, session.config, session.tabs, session.pages, arguments.force, arguments.jobs, session.messages,
        say, store=not arguments.dry_run,
    )  # fmt: skip


def stage_status(session: Session) -> bool:
    from d2lbook.execute import status

    rows = [row for row in status(session.book, session.config, session.tabs) if row[0] in session.pages]
    width = max((len(page) for page, _, _ in rows), default=0)
    for page, tab, state in rows:
        say(f"{page:<{width}}  {tab:<12}{state}")
    counts = {state: sum(row[2] == state for row in rows) for state in ("fresh", "stale", "missing")}
    say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["stale"] + counts["missing"] == 0


def stage_html(session: Session) -> bool:
    from d2lbook.export.html import build

    path = build(session.book, session.config, session.tabs, session.messages, kept=session.kept.code)
    if not session.messages.failed:
        say(f"the site: {path / 'index.html'}")
    return not session.messages.failed


def stage_ipynb(session: Session) -> bool:
    from d2lbook.export.notebook import build

    solutions = not session.arguments.without_solutions
    pages = session.pages if session.arguments.pages else ()
    for with_outputs in (False, True):
        paths = build(
            session.book, session.config, session.tabs, session.messages, with_outputs, solutions=solutions, pages=pages
        )
        if paths:
            say(f"{len(paths)} notebooks {'with' if with_outputs else 'without'} outputs in {paths[0].parent}")
    return not session.messages.failed


def stage_pdf(session: Session) -> bool:
    from d2lbook.export.pdf.build import build

    for path in build(session.book, session.config, session.tabs, session.messages):
        say(f"the PDF: {path}")
    return not session.messages.failed


def stage_epub(session: Session) -> bool:
    from d2lbook.export.epub.build import build

    for path in build(session.book, session.config, session.tabs, session.messages):
        say(f"the ePub: {path}")
    return not session.messages.failed


def stage_slides(session: Session) -> bool:
    from d2lbook.export.slides.build import build, slides_directory

    pages = session.pages if session.arguments.pages else ()
    paths = build(session.book, session.config, session.tabs, session.messages, pages)
    if paths:
        say(f"{len(paths)} decks of slides: {slides_directory(session.config) / 'index.html'}")
    if session.arguments.pdf and paths:
        from d2lbook.export.slides.build import print_pdfs

        for path in print_pdfs(session.book, session.config, paths, session.messages):
            say(f"the slides as PDF: {path}")
    return not session.messages.failed


def stage_pkg(session: Session) -> bool:
    from d2lbook.export.pkg import build

    solutions = not session.arguments.without_solutions
    path = build(session.book, session.config, session.tabs, session.messages, solutions)
    if path is not None:
        say(f"the notebooks: {path}")
    return not session.messages.failed


def stage_offline(session: Session) -> bool:
    from d2lbook.export.offline import build

    path = build(session.book, session.config, session.tabs, session.messages, session.kept.code)
    if path is not None:
        say(f"the site to read without a server: {path}")
    return not session.messages.failed


def _hosted(session: Session, key: str) -> bool:
    from d2lbook.export.hosted.build import build
    from d2lbook.export.hosted.platforms import PLATFORMS

    pages = session.pages if session.arguments.pages else ()
    platform = PLATFORMS[key]
    paths = build(session.book, session.config, session.tabs, platform, session.messages, pages)
    if paths:
        say(f"{len(paths)} notebooks for {platform.name} in {session.config.output_dir / key}")
    return not session.messages.failed


def stage_colab(session: Session) -> bool:
    return _hosted(session, "colab")


def stage_sagemaker(session: Session) -> bool:
    return _hosted(session, "sagemaker")


def stage_dist(session: Session) -> bool:
    from d2lbook.export.dist import build

    for path in build(session.config, session.messages):
        say(f"the package: {path}")
    return not session.messages.failed


def stage_linkcheck(session: Session) -> bool:
    from d2lbook.export.html import build
    from d2lbook.export.links import check_links, files_below

    site = build(session.book, session.config, session.tabs, session.messages, kept=session.kept.code)
    if session.messages.failed:
        return False
    count = check_links(
        files_below(site), session.config.shown(site), session.config.base_url, session.messages,
        session.arguments.external,
    )  # fmt: skip
    say(f"looked at {count} links")
    return not session.messages.failed


def stage_deploy(session: Session) -> bool:
    from d2lbook.export.deploy.build import changes, deploy_directory, prepare, write
    from d2lbook.export.deploy.targets import Directory, open_target
    from d2lbook.export.html import build, is_current

    arguments, config, messages = session.arguments, session.config, session.messages
    target = open_target(arguments.target, config) if arguments.target else None
    if not arguments.dry_run:
        build(session.book, config, session.tabs, messages, kept=session.kept.code)
    files = prepare(session.book, config, session.tabs, messages, session.failed) if not messages.failed else {}
    if messages.failed:
        return False
    if arguments.dry_run:
        if not is_current(config, session.tabs):
            say("the site is out of date and would be built first; this is what the last one would change")
        place = target or Directory(deploy_directory(config))
        lines = list(changes(files, place.known))
        say("\n".join([*lines, f"{len(lines)} of {len(files)} files would change; nothing was written"]))
        return True
    say(f"{len(files)} files to publish: {write(files, config)}")
    if target is not None:
        say(target.put(files))
    return True


def stage_activate(session: Session) -> bool:
    from d2lbook.activate import activate

    arguments, messages = session.arguments, session.messages
    messages.found.clear()  # what is wrong with other pages does not matter here
    if not arguments.tab and arguments.pages:  # d2lbook 1.0.3: activate TAB PAGE
        arguments.tab = arguments.pages.pop(0)
    if not arguments.pages:
        raise fail("activate", 0, 0, "name a tab, default or all, and pages: d2lbook activate TAB PAGE", "page-unknown")
    for name in session.pages:
        if activate(f"{name}.md", arguments.tab, session.config, messages):
            say(f"changed {name}.md")
    return not messages.failed


def stage_serve(session: Session) -> bool:
    from d2lbook.serve import serve

    session.messages.found.clear()  # `serve` reports them itself, each time it builds
    serve(session.config, session.arguments.port, say)
    return True


def stage_clear(session: Session) -> bool:
    import shutil

    output = session.config.output_dir
    if output in (session.config.root, *session.config.root.parents):
        session.messages.error(
            session.config.name_in_messages, session.config.line("build", "output_dir"), 1,
            f"output_dir is {output}, which holds the book; name a directory of its own", "clear-refused",
        )  # fmt: skip
        return False
    if output.exists():
        shutil.rmtree(output)
        say(f"removed {output}")
    return True


STAGES: dict[str, tuple[Callable[[Session], bool], str]] = {
    "check": (stage_check, "report everything wrong that can be known without running code"),
    "lib": (stage_lib, "write the libraries from the cells marked #@save"),
    "eval": (stage_eval, "run the pages whose frozen results are stale or missing"),
    "status": (stage_status, "list which frozen results are fresh, stale, missing"),
    "html": (stage_html, "build the website from the frozen results"),
    "ipynb": (stage_ipynb, "write a notebook per page and framework, with and without outputs"),
    "pdf": (stage_pdf, "build a PDF per framework from the frozen results"),
    "epub": (stage_epub, "build an ePub per framework from the frozen results"),
    "slides": (stage_slides, "build a deck of slides per marked page and framework from the frozen results"),
    "pkg": (stage_pkg, "pack the notebooks of all frameworks into one archive"),
    "offline": (stage_offline, "pack the site so that it reads from files, search included"),
    "colab": (stage_colab, "write notebooks for Google Colab, which install what they need"),
    "sagemaker": (stage_sagemaker, "write notebooks for SageMaker, which install what they need"),
    "dist": (stage_dist, "build the wheel and the source archive of the book's package"),
    "linkcheck": (stage_linkcheck, "build the site and report links in it that lead nowhere"),
    "deploy": (stage_deploy, "put the site and the formats that lie built into one folder to publish"),
    "serve": (stage_serve, "serve the site, rebuild what changes, reload the browser"),
    "tabcheck": (stage_tabcheck, "report unknown framework tabs"),
    "outputcheck": (stage_outputcheck, "report outputs stored in the pages"),
    "activate": (stage_activate, "switch cells of one tab on and others off in pages' sources: activate TAB PAGE"),
    "clear": (stage_clear, "remove what was built"),
}
ALL = ("lib", "html", "ipynb")  # `build all`: what exists, from frozen results
# One that fails stops no other.
FORMATS = {
    "html",
    "ipynb",
    "pdf",
    "epub",
    "slides",
    "pkg",
    "offline",
    "colab",
    "sagemaker",
    "dist",
    "linkcheck",
    "deploy",
}
WITHOUT_CHECK = {"tabcheck", "outputcheck", "clear", "serve", "check", "status", "activate"}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; 0 when it succeeded, 1 when not, 2 for a command line that cannot be read."""
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
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "d2lbook":
            raise
        print(f"the package '{error.name}' is missing; run: {_python()} -m d2lbook make setup", file=sys.stderr)
        return 1


def _python() -> str:
    return Path(sys.executable).name


def _run(arguments: argparse.Namespace) -> int:
    names = _stage_names(arguments)
    messages = Messages()
    if names == ["html"] and _site_is_current(arguments):
        return 0
    session = _open(arguments, messages, keep="html" in names)
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
        ready = ready and (done or name in FORMATS)
        report(message for message in messages if message not in reported)
        reported |= messages.found
    report(message for message in messages if message not in reported)
    if "html" in names and succeeded:
        _keep(session)
    return 0 if succeeded and not messages.failed else 1


def _run_stage(name: str, session: Session) -> bool:
    """Runs one stage. A format has messages of its own: one that another format failed with does not stop it."""
    messages = session.messages
    if name in FORMATS:
        session.messages = Messages(messages.strict)
    try:
        return STAGES[name][0](session)
    except BookError as error:
        session.messages.extend(error.messages)
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
    if messages.found or arguments.tab or not is_current(config, config.tabs):
        return False
    say(f"the site: {site_directory(config) / 'index.html'} (nothing changed)")
    return True


def _stage_names(arguments: argparse.Namespace) -> list[str]:
    if arguments.command != "build":
        return [arguments.command]
    names: list[str] = []
    for name in arguments.stages:
        if name in REPLACED:
            raise fail("build", 0, 0, f"'{name}' was an inner stage; use {REPLACED[name]}", "stage-replaced")
        if name in NOT_YET:
            raise fail("build", 0, 0, f"'{name}' is not there yet; there are {', '.join(STAGES)}, all", "stage-unknown")
        if name != "all" and name not in STAGES:
            from d2lbook.config import nearest

            raise fail("build", 0, 0, f"unknown stage '{name}'{nearest(name, [*STAGES, 'all'])}", "stage-unknown")
        names += ALL if name == "all" else (name,)
    return list(dict.fromkeys(names))


def _open(arguments: argparse.Namespace, messages: Messages, keep: bool) -> Session:
    from d2lbook.book import load_book
    from d2lbook.config import load

    config = load(Path(arguments.config), messages)
    if arguments.lang not in ("", config.lang):
        raise fail(
            "--lang", 0, 0, f"there is no '{arguments.lang}' of this book; it is in {config.lang}", "lang-unknown"
        )
    from d2lbook.kept import KeptPages, load_kept

    # Only the site's builds keep: they must be quick, and they write to the output directory anyway.
    kept = load_kept(config) if keep else KeptPages()
    return Session(arguments, config, load_book(config, messages, kept.parsed), messages, kept)


def _keep(session: Session) -> None:
    from d2lbook.kept import store_kept

    store_kept(session.config, session.kept)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="d2lbook", description="Builds a book of Markdown notebooks.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--tab", help="only these frameworks, comma-separated")
    common.add_argument("--lang", default="", help="only this language")
    common.add_argument("--config", default="config.ini", help="the book's configuration (default: %(default)s)")
    common.add_argument("--force", action="store_true", help="run pages whose results are fresh, too")
    common.add_argument("--jobs", type=_positive, default=2, help="kernels at a time (default: %(default)s)")
    common.add_argument(
        "--without-solutions", action="store_true", help="leave solutions out of notebooks (ipynb, pkg)"
    )
    common.add_argument("--pdf", action="store_true", help="print the slides as PDF, too (needs Chromium)")
    common.add_argument("--dry-run", action="store_true", help="eval: freeze nothing; deploy: say what would change")
    common.add_argument("--target", default="", help="deploy: a directory, or branch:NAME of the book's repository")
    common.add_argument("--external", action="store_true", help="ask other servers for their links, too (linkcheck)")
    common.add_argument("--port", type=_positive, default=8000, help="of `serve` (default: %(default)s)")
    build = commands.add_parser("build", parents=[common], help="run several stages, after a check")
    build.add_argument("stages", nargs="+", metavar="STAGE", help=f"{', '.join(STAGES)}, all")
    build.set_defaults(pages=[])
    for name, (_, text) in STAGES.items():
        stage = commands.add_parser(name, parents=[common], help=text)
        stage.add_argument("pages", nargs="*", metavar="PAGE", help="only these pages")
    for name in NOT_YET:
        later = commands.add_parser(name, parents=[common], help="not there yet")
        later.set_defaults(command="build", stages=[name], pages=[])
    make = commands.add_parser("make", help="the Makefile's targets, for systems without make")
    make.add_argument("targets", nargs="*", default=["help"], metavar="TARGET")
    return parser.parse_args(argv)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return int(text)
