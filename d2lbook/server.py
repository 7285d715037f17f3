"""The web server of `serve`: the built site with a script that reloads its pages, for browsers on this machine only."""

from __future__ import annotations

import errno
import functools
import html
import http.server
import json
import threading
import time
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from d2lbook.config import Config
from d2lbook.diagnostics import error_at
from d2lbook.export.site.current import site_directory
from d2lbook.files import is_file, is_folder
from d2lbook.html.markup import content_policy

HOST = "127.0.0.1"
EVENTS, SCRIPT = "/_d2lbook/events", "/_d2lbook/serve.js"
SCRIPT_FILE = Path(__file__).parent / "static" / "serve.js"
PING_SECONDS = 15.0  # after which a connection is tried, to notice that the browser is gone
LONGEST_ADDRESS = 2000  # characters; no page of a site has one that long


def start_address(config: Config, languages: Sequence[str]) -> str:
    """The address below the server's at which readers begin."""
    first = (*languages, config.source_lang)[0]
    return "/" if first == config.source_lang else f"/{first}/"


class Live:
    """What browsers are told: which build they should show, and what is wrong with the sources now."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._generation = f"{time.time_ns()}"
        self._messages: tuple[str, ...] = ()
        self.not_found = b""  # the page for an unknown address; empty before the first build

    @property
    def state(self) -> tuple[str, tuple[str, ...]]:
        with self._changed:
            return self._generation, self._messages

    def built(self, messages: Iterable[str] = ()) -> None:
        """There is a new version of the site, with faults if there are messages."""
        with self._changed:
            self._generation, self._messages = f"{time.time_ns()}", tuple(messages)
            self._changed.notify_all()

    def broken(self, messages: Iterable[str]) -> None:
        """Nothing can be built of the sources; the last version stays."""
        with self._changed:
            self._messages = tuple(messages)
            self._changed.notify_all()

    def wait(self, seen: tuple[str, tuple[str, ...]], seconds: float) -> tuple[str, tuple[str, ...]]:
        """The state as soon as it is another than `seen`, after `seconds` in any case."""
        with self._changed:
            self._changed.wait_for(lambda: (self._generation, self._messages) != seen, seconds)
            return self._generation, self._messages


def open_server(
    config: Config, port: int, live: Live, languages: Sequence[str] = ()
) -> http.server.ThreadingHTTPServer:
    """A server of the book's site; port 0 takes any that is free. Raises BookError when the port is taken."""
    place = start_address(config, languages)
    handler = functools.partial(_Handler, live=live, start=place, directory=str(site_directory(config)))
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

    def parse_request(self) -> bool:
        """Refuse what no page of the site can have asked for.

        A page elsewhere may have its own name point to this machine, and could then read drafts: the browser would
        send that name as Host.
        """
        if not super().parse_request():
            return False
        if not _is_local(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, explain=f"this server is http://{HOST} only")
        elif len(self.path) > LONGEST_ADDRESS:
            self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)
        elif "\0" in unquote(self.path):
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            return True
        return False

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with the site's own page where there is none at the address."""
        if code == HTTPStatus.NOT_FOUND and self._live.not_found:
            self._send_page(HTTPStatus.NOT_FOUND, self._live.not_found)
        else:
            super().send_error(code, message, explain)

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
        if is_folder(path) and urlsplit(self.path).path.endswith("/"):
            path /= "index.html"
        return path.read_bytes() if path.suffix == ".html" and is_file(path) else b""

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


def _is_local(host: str) -> bool:
    """Whether a request is to this machine by a name of its own; only browsers always send one."""
    name = urlsplit(f"//{host}").hostname or ""
    return not host or name in ("localhost", HOST) or name.endswith(".localhost")


_POLICY = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(())}">'


def _waiting_page(messages: tuple[str, ...]) -> bytes:
    text = "The site is being built." if not messages else "The site could not be built yet:"
    lines = f"<pre>{html.escape(chr(10).join(messages))}</pre>" if messages else ""
    page = f'<!DOCTYPE html><html lang="en">{_POLICY}<title>{text}</title><body><p>{text}</p>{lines}</body></html>'
    return page.encode()
