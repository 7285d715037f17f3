"""What `linkcheck` finds in a finished site, and what it lets pass."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from site_book import TINYBOOK, build_site

from d2lbook.diagnostics import Messages
from d2lbook.export.site import links
from d2lbook.export.site.links import check_links, files_below


def site(root: Path, **pages: str) -> Path:
    """A site of pages given by name, `_` for `/`, beside a style sheet, a drawing and a notebook."""
    (root / "part").mkdir(parents=True)
    for name, body in pages.items():
        (root / f"{name.replace('_', '/')}.html").write_text(f"<!DOCTYPE html>\n<html><body>{body}</body></html>")
    (root / "a b.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><path id="tick" d="M0 0"/></svg>')
    (root / "style.css").write_text('@import "nowhere.css"; /* url(gone.png) */\na { background: url(a%20b.svg) }')
    return root


def found(root: Path, base_url: str = "", external: bool = False) -> list[str]:
    messages = Messages()
    check_links(files_below(root), "site", base_url, messages, external)
    return [
        f"{message.path.removeprefix('site/')}:{message.line}:{message.column}: {message.code}" for message in messages
    ]


def test_every_kind_of_reference_that_leads_nowhere_is_reported_with_its_place(tmp_path: Path) -> None:
    body = """
<a href="gone.html">x</a> <a href="part/page.html?fw=jax#nowhere">x</a>
<img src="gone.png" srcset="gone-1.png 1x, a%20b.svg 2x"><script src="gone.js"></script>
<link rel="stylesheet" href="gone.css"><p style="background: url('gone.svg')"></p>
<style>p { background: url(gone.gif) }</style><svg><use xlink:href="a%20b.svg#nowhere"/></svg>
<a href="../config.ini">x</a><a href="/part/page.html">x</a><a href="#nowhere">x</a>"""
    root = site(tmp_path / "site", index=body, part_page='<a href="index.html">x</a>')
    assert found(root) == [
        "index.html:3:1: link-file",
        "index.html:3:27: link-anchor",
        "index.html:4:1: link-file",
        "index.html:4:1: link-file",
        "index.html:4:58: link-file",
        "index.html:5:1: link-file",
        "index.html:5:40: link-file",
        "index.html:6:24: link-file",
        "index.html:6:52: link-anchor",
        "index.html:7:1: link-file",
        "index.html:7:30: link-address",
        "index.html:7:61: link-anchor",
        "part/page.html:2:13: link-file",
        "style.css:1:1: link-file",
    ]


def test_what_leads_somewhere_is_silent(tmp_path: Path) -> None:
    body = """<h1 id="a&amp;b">x</h1><a href="#a%26b">x</a><a href="?fw=jax">x</a><a href="part/">x</a>
<a href="part/index.html?fw=jax#end">x</a><a href="mailto:a@b.c">x</a><a href="#">x</a><a href="#top">x</a>
<img src="data:image/png;base64,AA=="><svg><use href="a%20b.svg#tick"/></svg><a href="a b.svg">x</a>"""
    root = site(tmp_path / "site", index=body, part_index='<a name="end" href="../index.html#a&amp;b">x</a>')
    (root / "style.css").write_text(
        '@font-face { src: url(a%20b.svg) format("woff2"), url(gone.woff) format("woff") }\n'
        "a { background: url(data:image/png;base64,AA==) }"
    )
    assert found(root) == []


def test_the_sites_own_address_is_no_other_site(tmp_path: Path) -> None:
    own = '<a href="https://book.org/v2/part/page.html">x</a> <a href="https://book.org/v2/gone.html">x</a>'
    root = site(tmp_path / "site", index="", part_page=own + '<a href="https://book.org/v22">x</a>')
    (root / "style.css").unlink()
    assert found(root, "https://book.org/v2/") == ["part/page.html:2:64: link-file"]
    assert found(root) == []


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """Another site on this machine: its address, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(f"{self.command} {self.path}")
            status = {"/here": 200, "/gone": 404, "/late": 503}.get(self.path, 405 if self.command == "HEAD" else 200)
            self.send_response(status)
            self.end_headers()

        do_GET = do_HEAD

        def log_message(self, format: str, *args: object) -> None:
            pass

    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def test_other_sites_are_asked_only_on_request_and_once(
    tmp_path: Path, server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, asked = server
    names = ("here#x", "here", "gone", "late", "get-only")
    body = "\n".join(f'<a href="{address}/{name}">x</a>' for name in names)
    root = site(tmp_path / "site", index=body, part_page=body)
    (root / "style.css").unlink()
    assert found(root) == [] and asked == []
    monkeypatch.setattr(links, "TIMEOUT_SECONDS", 5.0)
    messages = Messages()
    check_links(files_below(root), "site", "", messages, external=True)
    assert [(message.path, message.line, message.level) for message in messages] == [
        ("site/index.html", 4, "error"),
        ("site/index.html", 5, "warning"),
    ]
    assert sorted(asked) == ["GET /get-only", "HEAD /get-only", "HEAD /gone", "HEAD /here", "HEAD /late"]


def test_a_server_that_does_not_answer_is_a_warning(
    tmp_path: Path, server: tuple[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = site(tmp_path / "site", index='<a href="http://127.0.0.1:1/">x</a>')
    (root / "style.css").unlink()
    messages = Messages()
    check_links(files_below(root), "site", "", messages, external=True)
    (message,) = messages
    assert message.level == "warning" and "does not answer" in message.text


def test_the_tiny_book_has_no_broken_link(tmp_path: Path) -> None:
    root = tmp_path / "book"
    shutil.copytree(TINYBOOK, root, ignore=shutil.ignore_patterns("_build"))
    assert found(build_site(root)) == []
