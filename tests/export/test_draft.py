"""`--draft`: a chapter is built before the pages that it refers to are written, and before it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import cell, freeze, write_book

from d2lbook.cli import main

CONFIG = "[project]\nname = small\n[build]\ntabs = a\n"
CHAPTER = "[**A slide.**] See :numref:`sec_nowhere`.\n\n" + cell("1 + 1")
FINDINGS = ("[label-undefined]", "[result-missing]")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A book with one chapter, which refers to a page that is not there and has not been run."""
    write_book(tmp_path, {"chapter": CHAPTER}, CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def warned(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The codes of what was said, all of it warnings."""
    said = [line for line in capsys.readouterr().err.splitlines() if line]
    assert all(": warning: " in line for line in said), said
    return [line.rpartition(" ")[2] for line in said]


def test_labels_and_results_that_are_missing_are_warnings(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["html", "--draft"]) == 0
    assert sorted(warned(capsys)) == sorted(FINDINGS)
    page = (root / "_build/html/chapter.html").read_text()
    assert "<code>sec_nowhere</code>" in page and "Not run yet" in page and 'class="fault"' not in page
    assert main(["html", "--draft"]) == 0
    assert sorted(warned(capsys)) == sorted(FINDINGS)  # told until they are mended


def test_a_page_alone_is_drafted_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["html", "--draft", "chapter"]) == 0
    assert sorted(warned(capsys)) == sorted(FINDINGS)
    assert "Not run yet" in (root / "_build/html/chapter.html").read_text()


def test_check_says_them_as_warnings(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--draft"]) == 0
    assert "[label-undefined]" in warned(capsys)
    assert main(["check"]) == 1


def test_a_strict_book_has_drafts_too(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "config.ini").write_text(CONFIG + "strict = true\n")
    assert main(["html", "--draft"]) == 0
    assert sorted(warned(capsys)) == sorted(FINDINGS)


def test_other_formats_build_a_draft(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "epub", "slides", "ipynb", "--draft"]) == 0
    assert set(warned(capsys)) == set(FINDINGS)
    assert (root / "_build/epub/en/a.epub").is_file()
    assert (root / "_build/ipynb-with-outputs/en/a/chapter.ipynb").is_file()


def test_a_draft_is_no_reason_to_be_content(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "html", "epub", "--draft"]) == 0
    capsys.readouterr()
    assert main(["build", "html", "epub"]) == 1
    said = capsys.readouterr().err
    assert all(text in said for text in FINDINGS) and ": warning: " not in said
    assert 'class="fault"' in (root / "_build/html/chapter.html").read_text()


def test_other_mistakes_are_errors_in_a_draft(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "chapter.md").write_text("# The Page\n\nSee :cite:`nobody2020`.\n")
    assert main(["html", "--draft"]) == 1
    assert "error: 'nobody2020' is not in the bibliography" in capsys.readouterr().err


def test_a_stale_result_is_a_warning(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "chapter.md").write_text("# The Page\n\n" + cell("1 + 1"))
    freeze(root, "chapter", "a")
    (root / "chapter.md").write_text("# The Page\n\n" + cell("1 + 2"))
    assert main(["html", "--draft"]) == 0
    assert warned(capsys) == ["[result-stale]"]


def test_a_draft_is_not_published(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "html", "epub", "--draft"]) == 0
    (root / "chapter.md").write_text("# The Page\n\nWords.\n")
    assert main(["deploy"]) == 1
    assert "the format epub was last built with faults, or as a draft" in capsys.readouterr().err
    assert main(["build", "epub", "deploy", "--no-faults"]) == 0
    assert "Words." in (root / "_build/deploy/chapter.html").read_text()
