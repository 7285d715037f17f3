"""Row 14: what frozen results and `eval_rst` blocks hold and no format shows is told, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from books import cell, freeze_output, write_book

from d2lbook.cli import main
from d2lbook.execute.frozen import run_path

CONFIG = "[build]\ntabs = pytorch\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">{}</svg>'
TABLE = '<style scoped>th {color: red}</style><table class="dataframe"><tr><td>1</td></tr></table>'


def findings(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.chdir(root)
    status = main(["check"])
    said = capsys.readouterr().err.splitlines()
    assert status == int(bool(said))
    return said


@pytest.mark.parametrize(
    ("kind", "content", "what"),
    [
        ("text/html", "<b>x</b>\n<script>f()</script>\n", "script>"),
        ("text/html", "<b>x</b>\n<img src='a.png' onerror='f()'>\n", "onerror="),
        ("text/html", "<img src='https://evil.example/a.png'>", "src="),
        ("text/html", "<iframe src='https://evil.example'></iframe>", "iframe"),
        ("text/markdown", "Text <object data=x></object> on.\n", "object"),
        ("image/svg+xml", SVG.format("\n<script>f()</script>\n"), "script>"),
        ("image/svg+xml", SVG.format('<path onload="f()"/>'), "onload"),
        ("image/svg+xml", SVG.format('<image href="https://evil.example/a.png"/>'), "href"),
        ("image/svg+xml", "<svg", "<svg"),
    ],
)
def test_what_no_format_shows_of_a_result_is_told_at_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    content: str,
    what: str,
) -> None:
    write_book(tmp_path, {"page": cell("print()")}, CONFIG)
    freeze_output(tmp_path, "page", "pytorch", {kind: content})
    (said,) = findings(tmp_path, monkeypatch, capsys)
    place, _, text = said.partition(": error: ")
    path, line, column = place.split(":")
    assert path == "outputs/page/pytorch.cpu.json" and text.endswith("[result-unsafe]")
    shown = (tmp_path / path).read_text().splitlines()[int(line) - 1][int(column) - 1 :]
    assert shown.startswith(what) or (kind == "image/svg+xml" and content == "<svg")


@pytest.mark.parametrize(
    ("kind", "content"),
    [("text/html", TABLE), ("text/markdown", "A <kbd>key</kbd>."), ("image/svg+xml", SVG.format("<path/>"))],
)
def test_ordinary_results_are_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str, content: str
) -> None:
    write_book(tmp_path, {"page": cell("print()")}, CONFIG)
    freeze_output(tmp_path, "page", "pytorch", {kind: content})
    assert findings(tmp_path, monkeypatch, capsys) == []


@pytest.mark.parametrize(
    "output",
    [
        {"output_type": "stream", "name": "stdout"},
        {"output_type": "stream", "name": 1, "text": "a"},
        {"output_type": "stream", "name": "stdout", "text": {"a": 1}},
        {"output_type": "display_data"},
        {"output_type": "stream", "name": "stdout", "text": "\ud83d"},
        {"output_type": "display_data", "data": {"text/html": "\ud83d"}, "metadata": {}},
        {"output_type": "display_data", "data": {"text/plain": "a"}},
        {"output_type": "display_data", "data": {"text/html": 1}},
        {"output_type": "display_data", "data": []},
        {},
        [],
        None,
    ],
)
def test_a_result_of_another_shape_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], output: Any
) -> None:
    write_book(tmp_path, {"page": cell("print()")}, CONFIG)
    freeze_output(tmp_path, "page", "pytorch", {"text/plain": "1"})
    path = run_path(tmp_path, "page", "pytorch")
    data = json.loads(path.read_text())
    data["cells"][0]["outputs"] = [output]
    path.write_text(json.dumps(data))
    (said,) = findings(tmp_path, monkeypatch, capsys)
    assert said.startswith("outputs/page/pytorch.cpu.json: error: ") and said.endswith("[result-damaged]")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A.\n\n.. raw:: html\n\n   <b>x</b><iframe src=x></iframe>\n", 7),
        ("A.\n\n.. image:: https://evil.example/a.png\n", 7),
        ("A.\n\n.. figure:: //evil.example/a.png\n", 7),
        ("A.\n\n.. |x| image:: https://evil.example/a.png\n\nB |x| c.\n", 7),
        ("A `b <javascript:f()>`_.\n", 5),
    ],
)
def test_what_no_format_shows_of_restructured_text_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, line: int
) -> None:
    write_book(tmp_path, {"page": f"```eval_rst\n{text}```\n"}, f"{CONFIG}eval_notebook = false\n")
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 1
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"page.md:{line}:1: error: ") and said.endswith("[html-unsafe]")


def test_no_class_of_restructured_text_is_one_of_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rst = ".. container:: d2l-svg mine\n\n   Text.\n"
    write_book(tmp_path, {"page": f"```eval_rst\n{rst}```\n"}, f"{CONFIG}eval_notebook = false\n")
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 0
    text = (tmp_path / "_build" / "html" / "page.html").read_text()
    assert 'class="mine docutils container"' in text
