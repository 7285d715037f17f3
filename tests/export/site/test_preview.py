"""`d2lbook html PAGE`: a page as it will look, without its notebook, while others stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from d2lbook.cli import main

INDEX = "# Book\n\n```toc\n:numbered:\n\npage\nother\n```\n"
PAGE = "# Page\n:label:`sec_page`\n\nFirst text, $x^2$.\n\n```{.python .input}\nprint(1)\n```\n"
OTHER = "# Other\n\nSee :numref:`sec_page`.\n"


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config.ini").write_text("[build]\ntabs = pytorch\neval_notebook = false\n")
    for name, text in {"index": INDEX, "page": PAGE, "other": OTHER}.items():
        (tmp_path / f"{name}.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def site(root: Path) -> dict[str, bytes]:
    folder = root / "_build" / "html"
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_page_is_shown_while_another_has_faults_and_nothing_else_is_touched(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["html"]) == 0
    before = site(book)
    (book / "page.md").write_text(PAGE.replace("First", "Second"))
    (book / "other.md").write_text(OTHER.replace("sec_page", "sec_nowhere"))
    capsys.readouterr()
    assert main(["html", "page"]) == 1
    output = capsys.readouterr()
    assert output.out == f"the page: {book / '_build' / 'html' / 'page.html'}\n"
    assert output.err.startswith("other.md:3:5: error:")
    after = site(book)
    assert {name for name in after if after[name] != before.get(name)} == {"page.html"}
    assert b"Second text" in after["page.html"]


def test_the_next_build_brings_all_pages_up_to_date(book: Path) -> None:
    assert main(["html"]) == 0
    before = site(book)
    (book / "page.md").write_text(PAGE.replace("First", "Second"))
    assert main(["html", "page"]) == 0
    (book / "page.md").write_text(PAGE)
    assert main(["html"]) == 0
    assert site(book) == before


def test_a_preview_needs_no_site_and_is_what_the_build_writes(book: Path) -> None:
    assert main(["html", "page.md"]) == 0
    shown = site(book)
    assert "page.html" in shown and "other.html" not in shown and any(name.endswith(".css") for name in shown)
    assert main(["html"]) == 0
    assert site(book)["page.html"] == shown["page.html"]


def test_a_page_with_errors_keeps_its_last_good_version(book: Path) -> None:
    assert main(["html"]) == 0
    before = site(book)
    (book / "page.md").write_text(PAGE.replace("x^2", "\\frac{1"))
    assert main(["html", "page", "--no-faults"]) == 1
    assert site(book) == before
