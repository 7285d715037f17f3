"""Row 3: an eval_rst block shows no file of the machine and brings no active HTML along."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import write_book

from d2lbook.cli import main

SECRET = "asecretofthismachine"
CONFIG = "[build]\ntabs = pytorch\neval_notebook = false\n"


def without_marks(html: str) -> str:
    """A page without the faults that it shows, which are text: they quote what was refused."""
    kept = []
    for line in html.splitlines():
        if line.startswith('<p class="fault"'):
            assert "<a" not in line and "<script" not in line and "<img" not in line
        else:
            kept.append(line)
    return "\n".join(kept)


@pytest.mark.parametrize(
    "text",
    [
        ".. raw:: html\n   :file: @/secret.txt\n",
        ".. raw:: html\n   :url: file://@/secret.txt\n",
        ".. include:: ../../../../../secret.txt\n",
        ".. include:: @/secret.txt\n",
        ".. literalinclude:: /../../../../secret.txt\n",
        ".. csv-table:: a\n   :file: @/secret.txt\n",
        ".. image:: ../../../../secret.txt\n",
        ":download:`x <../../../../secret.txt>`\n",
        ".. role:: x(raw)\n   :format: html\n\n:x:`<img src=x onerror=asecretofthismachine()>`\n",
        "`x <javascript:asecretofthismachine()>`_\n",
        ".. raw:: html\n\n   <script>asecretofthismachine()</script><img src=x onerror=asecretofthismachine()>\n",
    ],
)
def test_no_file_and_no_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (tmp_path / "secret.txt").write_text(SECRET)
    root = tmp_path / "book"
    write_book(root, {"page": f"Text.\n\n```eval_rst\n{text.replace('@', tmp_path.as_posix())}```\n"}, CONFIG)
    monkeypatch.chdir(root)
    main(["html"])
    for path in (root / "_build" / "html").rglob("*"):
        if path.is_file() and path.suffix in {".html", ".txt"}:
            assert SECRET not in without_marks(path.read_text()), path


def test_harmless_html_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(tmp_path, {"page": "Text.\n\n```eval_rst\n.. raw:: html\n\n   <kbd>key</kbd>\n```\n"}, CONFIG)
    monkeypatch.chdir(tmp_path)
    assert main(["html"]) == 0
    assert "<kbd>key</kbd>" in (tmp_path / "_build" / "html" / "page.html").read_text()
