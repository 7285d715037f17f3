"""HTML, style sheets and scripts of the book's own on its site, and what browsers are told about them."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main
from d2lbook.export.site.assets import inline_scripts

COUNTER = "\n  count({page: 1 < 2});\n"
HEAD = f'<meta name="counter" content="7" />\n<script>{COUNTER}</script>\n<script src="https://count.example/c.js"></script>'
END = '<script type="application/json">{"a": 1}</script>\n<section id="comments"></section>'
CONFIG = "[html]\nhead_html = own/head.html\nend_html = own/end.html\ncontent_sources = https://count.example\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_book(tmp_path, {"part/page": "Text.\n"}, CONFIG)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "head.html").write_text(HEAD)
    (tmp_path / "own" / "end.html").write_text(END)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(root: Path, name: str = "part/page") -> str:
    assert main(["html"]) == 0
    return (root / "_build" / "html" / f"{name}.html").read_text()


def test_it_stands_at_the_end_of_the_head_and_of_every_page(root: Path) -> None:
    for text in (page(root), page(root, "index")):
        assert f"{HEAD}\n</head>" in text
        assert f"{END}\n</body>" in text


def test_the_policy_names_the_servers_and_the_programs_in_it_alone(root: Path) -> None:
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page(root))
    digest = base64.b64encode(hashlib.sha256(COUNTER.encode()).digest()).decode()
    (scripts,) = re.findall(r"script-src ([^;]*);", unescape(policy))
    assert f"'sha256-{digest}'" in scripts and "https://count.example" in scripts
    assert "unsafe-inline" not in scripts and scripts.count("sha256-") == 2  # the other one is the builder's


def test_programs_are_told_from_data_and_addresses() -> None:
    texts = ("<script>a</script><script src=x>b</script>", "<SCRIPT type='module'>c &amp; d</SCRIPT><p>e</p>")
    assert inline_scripts(*texts, '<script type="application/ld+json">{}</script>') == ["a", "c &amp; d"]


def test_a_change_of_the_file_reaches_every_page(root: Path) -> None:
    page(root)
    (root / "own" / "end.html").write_text("<p>Other</p>")
    assert "<p>Other</p>\n</body>" in page(root) and "<p>Other</p>\n</body>" in page(root, "index")


@pytest.mark.parametrize("command", ["check", "html"])
@pytest.mark.parametrize("key", ["head_html", "include_css", "html_logo"])
def test_a_file_that_is_not_there_is_named_at_its_line(
    root: Path, command: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "config.ini").write_text(f"[html]\n{key} = own/none.x\n")
    assert main([command]) == 1
    what = f"config.ini:2:1: error: {key}: there is no file 'own/none.x'; write it, or remove its name [config-file]"
    assert what in capsys.readouterr().err.splitlines()


def test_a_file_that_is_no_text_is_one_message(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "own" / "end.html").write_bytes(b"\xff\xfe\x00")
    assert main(["check"]) == 1
    assert "end.html" in capsys.readouterr().err


def test_a_file_outside_of_the_book_is_not_read(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root.parent / "secret.html").write_text("secret")
    (root / "config.ini").write_text("[html]\nhead_html = ../secret.html\n")
    assert main(["html"]) == 1
    assert "[path-outside]" in capsys.readouterr().err
    assert all("secret" not in path.read_text() for path in (root / "_build").rglob("*.html"))
