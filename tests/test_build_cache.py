"""What is kept of code between builds gives what reading all of it anew gives, whatever was edited in between."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from books import cell, open_book, write_book

from d2lbook.build_cache import Findings
from d2lbook.check import check_book
from d2lbook.diagnostics import Messages
from d2lbook.execute.key import kept_key, result_key
from d2lbook.library import BANNER, CodeCache, library_of
from d2lbook.view import make_view

CONFIG = "[build]\ntabs = a, b\n[library-a]\nlib_file = d2l/a.py\n[library-b]\nlib_file = d2l/b.py\n"
SAVES = """import math  #@save

def area(r):  #@save
    return math.pi * square(r)

def square(x):  #@save
    return x * x"""
USES = "from d2l import {tab} as d2l\nprint(d2l.area(2))"
OTHER = "print('no library')"
EDITS = {
    "prose": ("uses.md", "Some words", "Other words"),
    "lines above the code": ("saves.md", "Some words", "Some\n\nwords"),
    "code of a page": ("uses.md", "area(2)", "area(3)"),
    "a comment": ("uses.md", "print(d2l", "# shown\nprint(d2l"),
    "saved code that pages use": ("saves.md", "x * x", "x ** 2"),
    "a saved name": ("saves.md", "def area", "def surface"),
    "a name that saved code lacks": ("saves.md", "math.pi", "maths.pi"),
    "code that does not parse": ("uses.md", "print(d2l.area(2))", "print(d2l.area(2)"),
    "the head of a library": ("d2l/a.py", "x = 1", "def square(x):\n    return 0\n"),
    "the configuration": ("config.ini", "lib_file = d2l/b.py\n", "lib_file = d2l/b.py\nsimple_alias = sin\n"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    book = tmp_path / "book"
    text = "Some words.\n\n"
    uses = text + "\n".join(cell(USES.format(tab=tab), tab) for tab in "ab")
    write_book(book, {"saves": text + cell(SAVES, "all"), "uses": uses, "other": cell(OTHER, "all")}, CONFIG)
    (book / "d2l").mkdir()
    (book / "d2l" / "a.py").write_text(f"x = 1\n{BANNER}\n")
    return book


def findings_and_keys(root: Path, checked: Findings, code: CodeCache) -> tuple[list[str], dict[tuple[str, str], str]]:
    book, config = open_book(root)
    book.memo[CodeCache] = code
    messages = Messages()
    check_book(book, config, messages, checked)
    keys = {
        (page.document.name, tab): kept_key(page.document, tab, book, config, {"numpy": "2"})
        for page in book.pages
        for tab in book.tabs
    }
    return [str(message) for message in messages], keys


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_seen_as_if_nothing_had_been_kept(root: Path, edit: str) -> None:
    checked: Findings = {}
    code = CodeCache()
    assert findings_and_keys(root, checked, code)[0] == []
    file, old, new = EDITS[edit]
    text = (root / file).read_text()
    assert old in text
    (root / file).write_text(text.replace(old, new))
    code = pickle.loads(pickle.dumps(code))
    assert findings_and_keys(root, checked, code) == findings_and_keys(root, {}, CodeCache())


def test_keys_change_with_the_code_they_depend_on_only(root: Path) -> None:
    code = CodeCache()
    before = findings_and_keys(root, {}, code)[1]
    saves = root / "saves.md"
    saves.write_text(saves.read_text().replace("x * x", "x ** 2").replace("Some words", "Other words"))
    after = findings_and_keys(root, {}, code)[1]
    changed = {name for name, _ in before if before[name, "a"] != after[name, "a"]}
    assert changed == {"saves", "uses"}


def test_keys_are_those_of_the_page_as_it_is_run(root: Path) -> None:
    _, keys = findings_and_keys(root, {}, CodeCache())
    book, config = open_book(root)
    for page in book.pages:
        view = make_view(page.document, "b", book.tabs)
        assert keys[page.document.name, "b"] == result_key(view, book, config, {"numpy": "2"})


def test_a_library_with_findings_is_reported_every_time(root: Path) -> None:
    saves = root / "saves.md"
    saves.write_text(saves.read_text().replace("math.pi", "maths.pi"))
    checked: Findings = {}
    code = CodeCache()
    first = findings_and_keys(root, checked, code)[0]
    assert len(first) == 2 and "'maths' is used" in first[0]
    assert findings_and_keys(root, checked, code)[0] == first


def test_after_an_edit_of_prose_no_library_is_put_together(root: Path) -> None:
    code = CodeCache()
    findings_and_keys(root, {}, code)
    uses = root / "uses.md"
    uses.write_text(uses.read_text().replace("Some words", "Other words"))
    book, config = open_book(root)
    kept = code.library(book, config, "a")
    assert kept is not None
    assert kept.names == library_of(book, config, "a").names
