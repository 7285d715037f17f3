"""Serves the site while it is being written: rebuilds what changes, reloads the browser."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from d2lbook.build_cache import BuildCache
from d2lbook.check import check_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages
from d2lbook.editions import Edition, words_in
from d2lbook.export import html as site
from d2lbook.export.deploy.pages import not_found
from d2lbook.model import Book
from d2lbook.security.output_directory import locked
from d2lbook.server import HOST, Live, open_server, start_address
from d2lbook.watch import Watcher

Say = Callable[[str], None]
PATIENCE_SECONDS = 600.0  # for which a build waits for another command that builds in the same directory


def serve(config: Config, port: int, say: Say, languages: Sequence[str] = ()) -> None:
    """Builds the site, serves it on `port` and builds it again whenever a source changes, until interrupted.

    `languages`: only these; all of the book's without any. Raises BookError when the port is taken.
    """
    live = Live()
    server = open_server(config, port, live, languages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # what was built after which change is said anyway
    say(f"serving http://{HOST}:{server.server_address[1]}{start_address(config, languages)} (Ctrl-C ends it)")
    watcher = Watcher(config)
    watcher.start()
    builder = Builder(config.path, live, say, languages)
    try:
        builder.build(())
        while True:
            builder.build(watcher.changes())
    except KeyboardInterrupt:
        say("stopped serving")
    finally:
        watcher.stop()
        server.shutdown()
        server.server_close()


class Builder:
    """Builds the site from its sources as they are at the moment."""

    def __init__(self, config_path: Path, live: Live, say: Say, languages: Sequence[str] = ()) -> None:
        self._config_path, self._live, self._say, self._languages = config_path, live, say, languages
        self._kept = BuildCache()

    def build(self, changed: Iterable[str]) -> bool:
        """True when the site is up to date; else its last good version stays, and what is wrong is said."""
        names = sorted(changed)
        start = time.monotonic()
        messages = Messages()
        try:
            self._build(messages)
        except BookError as error:
            messages.extend(error.messages)
        except OSError as error:
            # A source that an editor is just replacing, or a full disk: the next change tries again.
            place = str(error.filename or self._config_path.name)
            messages.error(place, 0, 0, error.strerror or str(error), "file-error")
        for message in messages:
            self._say(str(message))
        if messages.failed:
            self._live.broken(str(message) for message in messages)
            self._say("not built; the last good version stays")
            return False
        what = f" after a change of {', '.join(names[:3])}{' …' if len(names) > 3 else ''}" if names else ""
        self._say(f"built in {time.monotonic() - start:.1f} s{what}")
        self._live.built()
        return True

    def _build(self, messages: Messages) -> None:
        config = load(self._config_path, messages)
        place = config.name_in_messages, config.line("build", "output_dir")
        with locked(config.output_dir, config.root, place, PATIENCE_SECONDS):
            self._build_site(config, messages)

    def _build_site(self, config: Config, messages: Messages) -> None:
        book = self._kept.load_book(config, messages)
        check_book(book, config, messages, self._kept.checked)
        for lang in self._languages or config.all_languages:
            if messages.failed:
                break
            site.build(
                book,
                config,
                book.tabs,
                messages,
                pending_ok=True,
                languages=(lang,),
                translations=self._kept.translations,
            )
        self._live.not_found = _not_found(book, config)


def _not_found(book: Book, config: Config) -> bytes:
    """The site's page for an unknown address; its links stay on this server."""
    here = replace(config, base_url="")
    words = {lang: words_in(here, lang) for lang in here.all_languages}
    editions = [Edition(replace(book, words=words[lang]), here.in_language(lang, words[lang])) for lang in words]
    return not_found(editions).encode()
