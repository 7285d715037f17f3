"""A host of static files, as published books have it."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""


class _Handler(_Quiet):
    """Answers with the site's own `404.html` for every address that is none."""

    below = ""  # where the site is

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        content = (Path(self.directory) / self.below / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


@contextmanager
def served(folder: Path, handler: type[_Quiet] = _Quiet) -> Iterator[str]:
    """The address at which a folder is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def hosted(site: Path, place: Path, below: str) -> Iterator[str]:
    """The address at which the folder `site` is served below a path; `place` is a folder to make for the host."""
    (place / below).parent.mkdir(parents=True)
    (place / below).symlink_to(site)
    with served(place, type("Handler", (_Handler,), {"below": below})) as address:
        yield f"{address}/{below}/"
