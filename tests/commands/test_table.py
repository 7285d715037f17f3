"""The table of commands: a format is one package and one row, and shows up wherever formats do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = """
from d2lbook.export.offer import Offer


def run(session):
    for context in session.each_language():
        path = place(context.config)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(page.document.name for page in context.book.pages))
        session.say(f"the poem: {path}")
    return not session.messages.failed


def place(config):
    return config.output_dir / "poem" / config.lang / "book.poem"


def check(session):
    session.messages.warning("page.md", 1, 1, "does not rhyme; say it otherwise", "poem-rhyme")


def offer(config, tabs, words):
    found = Offer()
    found.add(words("The book as a poem"), place(config), menu=words("The book as a poem"))
    return found
"""
ROW = """
COMMANDS = (*COMMANDS, Command(
    "poem", "d2lbook.export.poem:run", "write the book as a poem", "poem --lang en", (LANG,), is_format=True,
    in_all=True, offer="d2lbook.export.poem:offer", check="d2lbook.export.poem:check", environment="html",
))
"""


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the builder that has one format more."""
    root = tmp_path_factory.mktemp("builder")
    shutil.copytree(ROOT / "d2lbook", root / "d2lbook", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "d2lbook" / "export" / "poem").mkdir()
    (root / "d2lbook" / "export" / "poem" / "__init__.py").write_text(PACKAGE)
    table = root / "d2lbook" / "commands" / "table.py"
    before, rest = table.read_text().split("BY_NAME =", 1)
    table.write_text(f"{before}{ROW}BY_NAME ={rest}")
    return root


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "config.ini").write_text("[build]\ntabs = pytorch\n")
    (tmp_path / "index.md").write_text("# Book\n\n```toc\n:numbered:\n\npage\n```\n")
    (tmp_path / "page.md").write_text("# Page\n\nText.\n")
    return tmp_path


def d2lbook(builder: Path, book: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "d2lbook", *arguments]
    environment = os.environ | {"PYTHONPATH": str(builder)}
    return subprocess.run(command, cwd=book, env=environment, capture_output=True, text=True, check=False)


def test_a_new_format_is_a_command_with_help_and_options_of_its_own(builder: Path, book: Path) -> None:
    assert "write the book as a poem" in d2lbook(builder, book, "--help").stdout
    shown = d2lbook(builder, book, "poem", "--help").stdout
    assert "--lang" in shown and "--tab" not in shown
    done = d2lbook(builder, book, "poem")
    assert (done.returncode, done.stderr) == (0, "")
    assert (book / "_build" / "poem" / "en" / "book.poem").read_text() == "index page"
    refused = d2lbook(builder, book, "poem", "page")
    assert refused.returncode == 1 and "[page-whole]" in refused.stderr


def test_the_check_asks_a_new_format(builder: Path, book: Path) -> None:
    done = d2lbook(builder, book, "check")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "page.md:1:1: warning: does not rhyme; say it otherwise [poem-rhyme]\n"


def test_a_new_format_is_built_by_build_all_and_published(builder: Path, book: Path) -> None:
    done = d2lbook(builder, book, "build", "all", "deploy")
    assert (done.returncode, done.stderr) == (0, "")
    folder = book / "_build" / "deploy"
    assert (folder / "downloads" / "book.poem").read_text() == "index page"
    assert '<a href="downloads/book.poem">The book as a poem</a>' in (folder / "index.html").read_text()
    assert "The book as a poem" in (folder / "page.html").read_text()


def test_a_new_format_is_a_target_of_make_and_one_of_all_formats(builder: Path, book: Path) -> None:
    assert "make poem" in d2lbook(builder, book, "make", "help").stdout
    program = (
        "from d2lbook.make import TARGETS; print(TARGETS['all-formats'].commands, TARGETS['deploy-preview'].commands)"
    )
    command = [sys.executable, "-c", program]
    environment = os.environ | {"PYTHONPATH": str(builder)}
    shown = subprocess.run(command, cwd=book, env=environment, capture_output=True, text=True, check=True).stdout
    assert shown.count("'poem'") == 2
