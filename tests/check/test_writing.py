"""tests/check/*.md: pages with a mistake that can be known without running or building them, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import Case, read_cases

from d2lbook.cli import main

CASES = read_cases(Path(__file__).parent)
CONFIG = "[build]\ntabs = a, b\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_check_says_it(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"config.ini": CONFIG, "index.md": "# Book\n\n```toc\npage\n```\n", **case.texts}
    expected = files.pop("messages", "")
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == (": error: " in expected)
    assert capsys.readouterr().err == expected


def test_a_file_in_another_encoding_is_named_with_its_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.ini").write_text(CONFIG)
    (tmp_path / "index.md").write_text("# Book\n\n```toc\npage\nempty\n```\n")
    (tmp_path / "page.md").write_bytes("# Page\n\nÄ and ".encode() + "ä\n".encode("latin-1"))
    (tmp_path / "empty.md").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["check"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert "page.md:3:7: error: not UTF-8; save it in that encoding [file-encoding]" in said
    assert any(line.startswith("empty.md:1:1: error: the page is empty") for line in said)
