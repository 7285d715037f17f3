"""What the commands do: each stage is imported when it runs, prints nothing itself and succeeds or not."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from d2lbook.messages import fail

if TYPE_CHECKING:
    from d2lbook.config import Config
    from d2lbook.editions import Edition
    from d2lbook.kept import KeptPages
    from d2lbook.messages import Messages
    from d2lbook.model import Book, Document


@dataclass(slots=True)
class Session:
    """One run of the command line on one book."""

    arguments: argparse.Namespace
    config: Config
    book: Book
    messages: Messages
    kept: KeptPages  # what earlier commands found out
    say: Callable[[str], None]
    failed: set[str] = field(default_factory=set)  # stages of this run that did not succeed
    _editions: list[Edition] | None = None

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
    def languages(self) -> tuple[str, ...]:
        """The languages asked for with --lang, all of the book's without it, its own first. Raises BookError."""
        known = self.config.all_languages
        asked = [lang.strip() for lang in (self.arguments.lang or "").split(",") if lang.strip()]
        for lang in asked:
            if lang not in known:
                what = f"there is no '{lang}' of this book; it is in {', '.join(known)}"
                raise fail("--lang", 0, 0, f"{what}; add it: d2lbook translate add {lang}", "lang-unknown")
        return tuple(lang for lang in known if not asked or lang in asked)

    @property
    def translations(self) -> tuple[str, ...]:
        """The languages asked for without the book's own."""
        return tuple(lang for lang in self.languages if lang != self.config.source_lang)

    @property
    def editions(self) -> list[Edition]:
        """The book in the languages asked for; findings of their catalogs go to the messages."""
        from d2lbook.editions import editions

        if self._editions is None:
            self._editions = editions(self.book, self.config, self.languages, self.messages, self.kept.translations)
        return self._editions

    def each_edition(self) -> Iterator[tuple[Edition, Messages]]:
        """The editions, each with messages of its own: what stops one language stops no other."""
        from d2lbook.messages import Messages

        for edition in self.editions:
            found = Messages(self.messages.strict)
            try:
                yield edition, found
            finally:
                self.messages.extend(edition.told(found))

    def to_run(self, lang: str) -> list[Document]:
        """The pages of a language that have results of their own."""
        from d2lbook.editions import pages_to_run

        return pages_to_run(self.book, self.config, lang)

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


def stage_check(session: Session) -> bool:
    from d2lbook.check import check_book

    check_book(session.book, session.config, session.messages, session.kept.checked, session.kept.code)
    if not session.arguments.pages:
        return not session.messages.failed
    # An author at work on one page is not held up by another's: its findings are reported all the same.
    others = {page.document.path for page in session.book.pages if page.document.name not in session.pages}
    return not any(message.level == "error" and message.path not in others for message in session.messages)


def stage_check_all(session: Session) -> bool:
    """The check by itself looks at the translations, too; before a build they hold nothing up."""
    from d2lbook.translate.edition import check_translations

    succeeded = stage_check(session)
    check_translations(session.book, session.config, session.translations, session.messages, session.kept.translations)
    return succeeded and (bool(session.arguments.pages) or not session.messages.failed)


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
        session.say(f"wrote {path}")
    return not session.messages.failed


def stage_eval(session: Session) -> bool:
    known = set(session.messages.found)  # other pages' findings, when only some pages are asked for
    stage_lib(session)
    if any(message.level == "error" for message in session.messages.found - known):
        return False
    from d2lbook.execute import evaluate

    arguments = session.arguments
    # English, and the pages of other languages whose printed strings are translated.
    every = [session.to_run(lang) if lang in session.translations else None for lang in session.languages]
    done = [
        evaluate(
            session.book, session.config, session.tabs, session.pages, arguments.force, arguments.jobs,
            session.messages, session.say, store=not arguments.dry_run, documents=documents,
        )
        for documents in every
        if documents is None or documents
    ]  # fmt: skip
    return all(done)


def stage_status(session: Session) -> bool:
    from d2lbook.execute import status

    documents = [document for lang in session.translations for document in session.to_run(lang)]
    shown = {*session.pages, *(document.result_name for document in documents if document.name in session.pages)}
    rows = [row for row in status(session.book, session.config, session.tabs, documents) if row[0] in shown]
    width = max((len(page) for page, _, _ in rows), default=0)
    for page, tab, state in rows:
        session.say(f"{page:<{width}}  {tab:<12}{state}")
    counts = {state: sum(row[2] == state for row in rows) for state in ("fresh", "stale", "missing")}
    session.say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return counts["stale"] + counts["missing"] == 0


def stage_html(session: Session) -> bool:
    from d2lbook.export.html import build

    path = build(
        session.book, session.config, session.tabs, session.messages, kept=session.kept.code,
        languages=session.languages, translations=session.kept.translations,
    )  # fmt: skip
    if not session.messages.failed:
        session.say(f"the site: {path / 'index.html'}")
    return not session.messages.failed


def stage_ipynb(session: Session) -> bool:
    from d2lbook.export.notebook import build

    solutions = not session.arguments.without_solutions
    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        for with_outputs in (False, True):
            paths = build(
                edition.book, edition.config, session.tabs, found, with_outputs, solutions=solutions,
                pages=pages,
            )  # fmt: skip
            if paths:
                kind = "with" if with_outputs else "without"
                session.say(f"{len(paths)} notebooks {kind} outputs in {paths[0].parent}")
    return not session.messages.failed


def stage_pdf(session: Session) -> bool:
    from d2lbook.export.pdf.build import build

    for edition, found in session.each_edition():
        for path in build(edition.book, edition.config, session.tabs, found):
            session.say(f"the PDF: {path}")
    return not session.messages.failed


def stage_epub(session: Session) -> bool:
    from d2lbook.export.epub.build import build

    for edition, found in session.each_edition():
        for path in build(edition.book, edition.config, session.tabs, found):
            session.say(f"the ePub: {path}")
    return not session.messages.failed


def stage_slides(session: Session) -> bool:
    from d2lbook.export.slides.build import build, slides_directory

    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        paths = build(edition.book, edition.config, session.tabs, found, pages)
        if paths:
            session.say(f"{len(paths)} decks of slides: {slides_directory(edition.config) / 'index.html'}")
        if session.arguments.pdf and paths:
            from d2lbook.export.slides.build import print_pdfs

            for path in print_pdfs(edition.book, edition.config, paths, found):
                session.say(f"the slides as PDF: {path}")
    return not session.messages.failed


def stage_pkg(session: Session) -> bool:
    from d2lbook.export.pkg import build

    solutions = not session.arguments.without_solutions
    pages = session.pages if session.arguments.pages else ()
    for edition, found in session.each_edition():
        path = build(edition.book, edition.config, session.tabs, found, solutions, pages)
        if path is not None:
            session.say(f"the notebooks: {path}")
    return not session.messages.failed


def stage_offline(session: Session) -> bool:
    from d2lbook.export.html import build
    from d2lbook.export.offline import pack

    build(
        session.book, session.config, session.tabs, session.messages, kept=session.kept.code,
        languages=session.languages, translations=session.kept.translations,
    )  # fmt: skip
    if not session.messages.failed:
        for edition in session.editions:
            path = pack(edition.book, edition.config, session.tabs)
            session.say(f"the site to read without a server: {path}")
    return not session.messages.failed


def _hosted(session: Session, key: str) -> bool:
    from d2lbook.export.hosted.build import build
    from d2lbook.export.hosted.platforms import PLATFORMS

    pages = session.pages if session.arguments.pages else ()
    platform = PLATFORMS[key]
    for edition, found in session.each_edition():
        paths = build(edition.book, edition.config, session.tabs, platform, found, pages)
        if paths:
            session.say(
                f"{len(paths)} notebooks for {platform.name} in {session.config.output_dir / key / edition.lang}"
            )
    return not session.messages.failed


def stage_colab(session: Session) -> bool:
    return _hosted(session, "colab")


def stage_sagemaker(session: Session) -> bool:
    return _hosted(session, "sagemaker")


def stage_dist(session: Session) -> bool:
    from d2lbook.export.dist import build

    for path in build(session.config, session.messages):
        session.say(f"the package: {path}")
    return not session.messages.failed


def stage_linkcheck(session: Session) -> bool:
    from d2lbook.export.html import build
    from d2lbook.export.links import check_links, files_below

    site = build(
        session.book, session.config, session.tabs, session.messages, kept=session.kept.code,
        translations=session.kept.translations,
    )  # fmt: skip
    if session.messages.failed:
        return False
    count = check_links(
        files_below(site), session.config.shown(site), session.config.base_url, session.messages,
        session.arguments.external,
    )  # fmt: skip
    session.say(f"looked at {count} links")
    return not session.messages.failed


def stage_deploy(session: Session) -> bool:
    from d2lbook.editions import editions
    from d2lbook.export.deploy.build import changes, deploy_directory, prepare, write
    from d2lbook.export.deploy.targets import Directory, open_target
    from d2lbook.export.html import build, is_current

    arguments, config, messages = session.arguments, session.config, session.messages
    target = open_target(arguments.target, config) if arguments.target else None
    if not arguments.dry_run:
        build(
            session.book, config, session.tabs, messages, kept=session.kept.code,
            translations=session.kept.translations,
        )  # fmt: skip
    others = editions(session.book, config, config.languages, messages, session.kept.translations)
    files = prepare(session.book, config, session.tabs, messages, session.failed, others) if not messages.failed else {}
    if messages.failed:
        return False
    if arguments.dry_run:
        if not is_current(config, session.tabs):
            session.say("the site is out of date and would be built first; this is what the last one would change")
        place = target or Directory(deploy_directory(config))
        lines = list(changes(files, place.known))
        session.say("\n".join([*lines, f"{len(lines)} of {len(files)} files would change; nothing was written"]))
        return True
    session.say(f"{len(files)} files to publish: {write(files, config)}")
    if target is not None:
        session.say(target.put(files))
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
            session.say(f"changed {name}.md")
    return not messages.failed


def stage_translate(session: Session) -> bool:
    from d2lbook.translate import commands
    from d2lbook.translate.sources import sources

    arguments, config, messages = session.arguments, session.config, session.messages
    action = arguments.pages.pop(0) if arguments.pages else ""
    if action not in TRANSLATE:
        from d2lbook.config import nearest

        known = list(TRANSLATE)
        what = f"unknown '{action}'{nearest(action, known)}" if action else f"say what: {', '.join(known)}"
        raise fail("translate", 0, 0, what, "translate-action")
    messages.found.clear()  # what is wrong with the pages is the check's to say
    languages = session.translations if arguments.lang else commands.languages_of(config)
    if action == "add":
        from d2lbook.translate.add import begin, check_language

        languages = (check_language(config, arguments.pages),)
        arguments.pages.clear()
        begin(config, languages[0], session.say)
    documents = commands.documents_of(session.book, session.pages)
    found = sources(documents, config, session.kept.translations, whole=not arguments.pages)
    if action == "extract":
        commands.extract(found, config, session.say)
    elif action in {"update", "add"}:
        commands.update(found, config, languages, messages, session.say, session.kept.translations)
    elif action == "status":
        commands.status(found, config, languages, messages, session.say)
    else:
        from d2lbook.translate.edition import check_translations

        check_translations(session.book, config, languages, messages, session.kept.translations)
    return not messages.failed


def stage_serve(session: Session) -> bool:
    from d2lbook.serve import serve

    session.messages.found.clear()  # `serve` reports them itself, each time it builds
    serve(session.config, session.arguments.port, session.say, session.languages)
    return True


def stage_clear(session: Session) -> bool:
    import shutil

    config = session.config
    output = config.output_dir
    sources = [config.path.name, *(page.document.path for page in session.book.pages), *config.resources]
    sources += [library.lib_file for library in config.libraries.values() if library.lib_file]
    held = next((name for name in sources if (config.root / name).resolve().is_relative_to(output.resolve())), "")
    if held:
        session.messages.error(
            config.name_in_messages, config.line("build", "output_dir"), 1,
            f"output_dir is {output}, which holds {held} of the book; name a directory of its own", "clear-refused",
        )  # fmt: skip
        return False
    if output.exists():
        shutil.rmtree(output)
        session.say(f"removed {output}")
    return True


TRANSLATE = ("extract", "update", "status", "check", "add")
STAGES: dict[str, tuple[Callable[[Session], bool], str]] = {
    "check": (stage_check_all, "report everything wrong that can be known without running code"),
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
    "translate": (
        stage_translate,
        "update, check, status, extract: the catalogs of the book's translations; add LANGUAGE",
    ),
    "activate": (stage_activate, "switch cells of one tab on and others off in pages' sources: activate TAB PAGE"),
    "clear": (stage_clear, "remove what was built"),
}
ALL = ("lib", "html", "ipynb")  # `build all`: what exists, from frozen results
# One that fails stops no other.
FORMATS = {
    "html", "ipynb", "pdf", "epub", "slides", "pkg", "offline", "colab", "sagemaker", "dist", "linkcheck", "deploy",
}  # fmt: skip
# The others are about the book as a whole.
TAKES_PAGES = {
    "activate", "check", "colab", "eval", "ipynb", "pkg", "sagemaker", "slides", "status", "translate",
}  # fmt: skip
WITHOUT_CHECK = {"tabcheck", "outputcheck", "clear", "serve", "check", "status", "activate", "translate"}
