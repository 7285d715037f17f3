"""Serves the site while it is being written: rebuilds what changes, reloads the browser."""

from __future__ import annotations

import errno
import functools
import html
import http.server
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from d2lbook.book import ParsedPages, load_book
from d2lbook.build_cache import Findings
from d2lbook.check import check_book
from d2lbook.config import Config, load
from d2lbook.diagnostics import BookError, Messages, error_at
from d2lbook.export import html as site
from d2lbook.library import KeptCode
from d2lbook.translate.unit_cache import KeptTranslations
from d2lbook.watch import Watcher

Say = Callable[[str], None]
HOST = "127.0.0.1"
EVENTS, SCRIPT = "/_d2lbook/events", "/_d2lbook/serve.js"
SCRIPT_FILE = Path(__file__).parent / "static" / "serve.js"
PING_SECONDS = 15.0  # after which a connection is tried, to notice that the browser is gone


def serve(config: Config, port: int, say: Say, languages: Sequence[str] = ()) -> None:
    """Builds the site, serves it on `port` and builds it again whenever a source changes, until interrupted.

    `languages`: only these; all of the book's without any. Raises BookError when the port is taken.
    """
    live = Live()
    server = open_server(config, port, live, languages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # what was built after which change is said anyway
    say(f"serving http://{HOST}:{server.server_address[1]}{_start(config, languages)} (Ctrl-C ends it)")
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


def _start(config: Config, languages: Sequence[str]) -> str:
    """The address below the server's at which readers begin."""
    first = (*languages, config.source_lang)[0]
    return "/" if first == config.source_lang else f"/{first}/"


class Live:
    """What browsers are told: which build they should show, and what is wrong with the sources now."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._generation = f"{time.time_ns()}"
        self._messages: tuple[str, ...] = ()

    @property
    def state(self) -> tuple[str, tuple[str, ...]]:
        with self._changed:
            return self._generation, self._messages

    def built(self) -> None:
        """There is a new good version of the site."""
        with self._changed:
            self._generation, self._messages = f"{time.time_ns()}", ()
            self._changed.notify_all()

    def broken(self, messages: Iterable[str]) -> None:
        """The sources have errors; the last good version stays."""
        with self._changed:
            self._messages = tuple(messages)
            self._changed.notify_all()

    def wait(self, seen: tuple[str, tuple[str, ...]], seconds: float) -> tuple[str, tuple[str, ...]]:
        """The state as soon as it is another than `seen`, after `seconds` in any case."""
        with self._changed:
            self._changed.wait_for(lambda: (self._generation, self._messages) != seen, seconds)
            return self._generation, self._messages


class Builder:
    """Builds the site from its sources as they are at the moment."""

    def __init__(self, config_path: Path, live: Live, say: Say, languages: Sequence[str] = ()) -> None:
        self._config_path, self._live, self._say, self._languages = config_path, live, say, languages
        self._parsed = ParsedPages()
        self._checked: Findings = {}
        self._code = KeptCode()
        self._translations = KeptTranslations()

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
        book = load_book(config, messages, self._parsed)
        check_book(book, config, messages, self._checked, self._code)
        for lang in self._languages or config.all_languages:
            if messages.failed:
                break
            site.build(
                book,
                config,
                book.tabs,
                messages,
                pending_ok=True,
                kept=self._code,
                languages=(lang,),
                translations=self._translations,
            )


def open_server(
    config: Config, port: int, live: Live, languages: Sequence[str] = ()
) -> http.server.ThreadingHTTPServer:  # fmt: skip
    """A server of the book's site; port 0 takes any that is free. Raises BookError when the port is taken."""
    place = _start(config, languages)
    handler = functools.partial(_Handler, live=live, start=place, directory=str(site.site_directory(config)))
    try:
        server = _Server((HOST, port), handler)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        why = "is in use by another program" if error.errno == errno.EADDRINUSE else "is not for ordinary users"
        raise error_at("--port", 0, 0, f"port {port} {why}; choose another: --port {port + 1}", "port-taken") from error
    return server


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site's files; HTML gets the script that reloads it, on the way out."""

    def __init__(self, *arguments: object, live: Live, start: str, directory: str) -> None:
        self._live, self._start = live, start
        super().__init__(*arguments, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == EVENTS:
            self._send_events()
        elif path == SCRIPT:
            self._send(HTTPStatus.OK, "text/javascript; charset=utf-8", SCRIPT_FILE.read_bytes())
        elif not (Path(self.directory) / self._start.strip("/") / "index.html").exists():
            self._send_page(HTTPStatus.SERVICE_UNAVAILABLE, _waiting_page(self._live.state[1]))
        elif path == "/" and not (Path(self.directory) / "index.html").exists():
            self._redirect(self._start)  # only another language is being served
        elif page := self._page():
            self._send_page(HTTPStatus.OK, page)
        else:
            super().do_GET()

    def _page(self) -> bytes:
        """The HTML that is asked for; empty when something else is, or it is not there."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and urlsplit(self.path).path.endswith("/"):
            path /= "index.html"
        return path.read_bytes() if path.suffix == ".html" and path.is_file() else b""

    def _send_page(self, status: HTTPStatus, page: bytes) -> None:
        script = f'<script src="{SCRIPT}" data-generation="{self._live.state[0]}"></script>'.encode()
        before, end, after = page.rpartition(b"</body>")
        self._send(status, "text/html; charset=utf-8", before + script + end + after if end else page + script)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _redirect(self, address: str) -> None:
        self.send_response(HTTPStatus.FOUND)
        self.send_header("Location", address)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send_events(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        state = self._live.state
        try:
            while True:
                generation, messages = state
                event = f"event: messages\ndata: {json.dumps(messages)}\n\nevent: generation\ndata: {generation}\n\n"
                self.wfile.write(event.encode())
                self.wfile.flush()
                state = self._live.wait(state, PING_SECONDS)
        except (BrokenPipeError, ConnectionResetError):
            return  # the browser went elsewhere

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not reported: what matters in the terminal is what is wrong with the sources."""


def _waiting_page(messages: tuple[str, ...]) -> bytes:
    text = "The site is being built." if not messages else "The site could not be built yet:"
    lines = f"<pre>{html.escape(chr(10).join(messages))}</pre>" if messages else ""
    page = f'<!DOCTYPE html><html lang="en"><title>{text}</title><body><p>{text}</p>{lines}</body></html>'
    return page.encode()
