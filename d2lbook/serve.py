"""Serves the site while it is being written: rebuilds what changes, reloads the browser."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from d2lbook.book.faults import build_showing
from d2lbook.build_cache import BuildCache
from d2lbook.check import check_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Message, Messages
from d2lbook.editions import Edition, words_in
from d2lbook.execute.versions import lacking
from d2lbook.export.deploy.pages import not_found
from d2lbook.export.site.build import build
from d2lbook.frameworks import with_free
from d2lbook.library import write_libraries
from d2lbook.model import Book
from d2lbook.rendering.book_context import BookContext
from d2lbook.security.output_directory import locked
from d2lbook.server import HOST, Live, open_server, start_address
from d2lbook.watch import Watcher

Say = Callable[[str], None]
PATIENCE_SECONDS = 600.0  # for which a build waits for another command that builds in the same directory


def serve(
    config: Config,
    port: int,
    say: Say,
    languages: Sequence[str] = (),
    evaluates: bool = False,
    draft: bool = False,
) -> None:
    """Builds the site, serves it on `port` and builds it again whenever a source changes, until interrupted.

    `languages`: only these; all of the book's without any. `evaluates`: a page that was saved is run where its results
    are stale. `draft`: as on the command line. `config.trusted`: whether programs of the book run.
    Raises BookError when the port is taken.
    """
    live = Live()
    server = open_server(config, port, live, languages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # what was built after which change is said anyway
    say(f"serving http://{HOST}:{server.server_address[1]}{start_address(config, languages)} (Ctrl-C ends it)")
    watcher = Watcher(config)
    watcher.start()
    builder = Builder(config.path, live, say, languages, draft, config.trusted)
    try:
        builder.build(())
        while True:
            changed = watcher.changes()
            builder.build(changed)
            if evaluates:
                builder.evaluate(changed)  # new results are a change themselves, after which the site is built again
    except KeyboardInterrupt:
        say("stopped serving")
    finally:
        watcher.stop()
        server.shutdown()
        server.server_close()


class Builder:
    """Builds the site from its sources as they are at the moment."""

    def __init__(
        self,
        config_path: Path,
        live: Live,
        say: Say,
        languages: Sequence[str] = (),
        draft: bool = False,
        trusted: bool = False,
    ) -> None:
        self._config_path, self._live, self._say, self._languages = config_path, live, say, languages
        self._draft, self._trusted = draft, trusted
        self._kept: BuildCache | None = None
        self._of_sources: list[str] = []  # what is wrong with them
        self._of_cells: dict[str, list[str]] = {}  # what went wrong when pages were run, by page

    def build(self, changed: Iterable[str]) -> bool:
        """True when the site is up to date and has no faults; what is wrong is said, and shown on the pages.

        Where nothing can be built, as without a configuration, the last version stays.
        """
        names = sorted(changed)
        start = time.monotonic()
        messages, built = self._attempt(search=False, said=())
        if not built:
            self._live.broken(["The last good version is shown. What is wrong now:", *map(str, messages)])
            self._of_sources = list(map(str, messages))
            self._say("not built; the last good version stays")
            return False
        what = f" after a change of {', '.join(names[:3])}{' …' if len(names) > 3 else ''}" if names else ""
        self._say(f"built in {time.monotonic() - start:.1f} s{what}")
        self._of_sources = list(map(str, messages)) if messages.failed else []
        self._live.built(self._wrong())
        found, built = self._attempt(search=True, said=messages)  # takes longer, and nobody waits for it
        return built and not found.failed

    def evaluate(self, changed: Iterable[str]) -> None:
        """Runs those of the changed pages whose results are stale, in the frameworks that are installed here.

        What goes wrong is said and shown in the browser, until the page is run again.
        """
        names = {name.removesuffix(".md") for name in changed if name.endswith(".md")}
        try:
            found = self._evaluate(names) if names else {}
        except BookError:
            return  # which the build has said
        for messages in found.values():
            for message in messages:
                self._say(message)
        self._of_cells = {page: told for page, told in (self._of_cells | found).items() if told}
        if found:
            self._live.broken(self._wrong())

    def _evaluate(self, names: Collection[str]) -> dict[str, list[str]]:
        """What went wrong, by page, for each page that the book has."""
        from d2lbook.execute.schedule import evaluate

        config, before = load(self._config_path, Messages()), Messages()
        self._kept = self._kept or BuildCache.of(config)
        book = self._kept.load_book(config, before)
        tabs = [tab for tab in config.tabs if not lacking(tab)]
        write_libraries(book, config, tabs, before)
        wrong: dict[str, list[str]] = {}
        for document in (page.document for page in book.pages if page.document.name in names):
            messages = Messages(config.strict)
            if not any(message.path == document.path and message.level == "error" for message in before):
                evaluate(book, config, with_free(tabs), [document.name], False, 1, messages, lambda _: None)
            wrong[document.name] = list(map(str, messages))
        return wrong

    def _wrong(self) -> list[str]:
        """What browsers show: faults of the sources, then those of cells that were run."""
        told = [*self._of_sources, *(text for texts in self._of_cells.values() for text in texts)]
        return ["What is wrong now:", *told] if told else []

    def _attempt(self, search: bool, said: Iterable[Message]) -> tuple[Messages, bool]:
        """Builds, and says what is wrong beside what was `said` before; the findings, and whether there is a site."""
        messages, built = Messages(draft=self._draft), False
        try:
            self._build(messages, search)
            built = True
        except BookError as error:
            messages.extend(error.messages)
        except OSError as error:
            # A source that an editor is just replacing, or a full disk: the next change tries again.
            place = str(error.filename or self._config_path.name)
            messages.error(place, 0, 0, error.strerror or str(error), "file-error")
        known = set(said)
        for message in messages:
            if message not in known:
                self._say(str(message))
        return messages, built

    def _build(self, messages: Messages, search: bool) -> None:
        config = load(self._config_path, messages)
        place = config.name_in_messages, config.line("build", "output_dir")
        with locked(config.output_dir, config.root, place, PATIENCE_SECONDS):
            self._kept = self._kept or BuildCache.of(config)
            self._build_site(config, messages, search, self._kept)

    def _build_site(self, config: Config, messages: Messages, search: bool, kept: BuildCache) -> None:
        config = replace(config, goes_on=True, trusted=self._trusted)
        book = kept.load_book(config, messages)
        check_book(book, config, messages, kept.checked)
        build_showing(book, messages, lambda shown: self._build_languages(shown, config, messages, search, kept))
        self._live.not_found = _not_found(book, config)

    def _build_languages(self, book: Book, config: Config, messages: Messages, search: bool, kept: BuildCache) -> None:
        context = BookContext.of(book, config, book.tabs, messages, kept.translations)
        for lang in self._languages or config.all_languages:
            build(context, (lang,), pending_ok=True, search=search)


def _not_found(book: Book, config: Config) -> bytes:
    """The site's page for an unknown address; its links stay on this server."""
    here = replace(config, base_url="")
    words = {lang: words_in(here, lang) for lang in here.all_languages}
    editions = [Edition(replace(book, words=words[lang]), here.in_language(lang, words[lang])) for lang in words]
    return not_found(editions).encode()
