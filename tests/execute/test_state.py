"""Which frozen results count as fresh, stale, missing: what is in a result's key and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from books import cell, freeze, open_book, write_book

from d2lbook.execute import status
from d2lbook.execute.frozen import load_run, run_path
from d2lbook.library import BANNER, surroundings

# Written by hand above the banner, and beside the library.
HEAD = f"from torch import nn\n\nfrom . import shown\n\n{BANNER}\n"
MODULES = {
    "__init__": '"""A package."""\n\n__version__ = "1.0"\n',
    "shown": '"""Shows."""\n\nimport os\nimport numpy\n\nfrom .moved import move\n',
    "moved": "try:\n    import fast\nexcept ImportError:\n    fast = None\n\n\ndef move():\n    import slow\n",
    "alone": "x = 1\n",
}
CONFIG = "[build]\ntabs = pytorch, jax\n\n[library-pytorch]\nlib_file = d2l/torch.py\n"
SAVED = '''def scale(x):  #@save
    """Twice x."""
    return 2 * x

def shift(x):  #@save
    return scale(x) + 1

def unused(x):  #@save
    return x
'''
USES = '''from d2l import torch as d2l

def f(x):
    """What it does."""
    return d2l.shift(x)  # a comment
f(3)'''
PAGE = "Some prose.\n\n" + cell(USES, "pytorch") + "\n" + cell("print('jax')", "jax")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_book(tmp_path, {"tools": cell(SAVED, "pytorch"), "page": PAGE, "text": "No cells."}, CONFIG)
    (tmp_path / "d2l").mkdir()
    (tmp_path / "d2l" / "torch.py").write_text(HEAD)
    for name, text in MODULES.items():
        (tmp_path / "d2l" / f"{name}.py").write_text(text)
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "all.txt").write_text("torch==2.0.0\njax==0.1\njaxlib==0.1\nflax==0.1\nnumpy==2.0\n")
    freeze(tmp_path, "page", "pytorch", versions={"numpy": "2.0"})
    return tmp_path


def state(root: Path) -> str:
    book, config = open_book(root)
    return {(page, tab): found for page, tab, found in status(book, config, book.tabs)}["page", "pytorch"]


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new), newline="")


def test_the_report_names_every_page_with_cells_in_order(root: Path) -> None:
    book, config = open_book(root)
    assert status(book, config, book.tabs) == [
        ("tools", "pytorch", "missing"),
        ("page", "pytorch", "fresh"),
        ("page", "jax", "missing"),
    ]
    assert status(book, config, ("jax",)) == [("page", "jax", "missing")]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("page.md", "Some prose.", "Other prose, and `code`."),
        ("page.md", "  # a comment", "  # another"),
        ("page.md", "What it does.", "What it did."),
        ("page.md", "\n", "\r\n"),
        ("page.md", "print('jax')", "print('JAX')"),
        ("tools.md", "Twice x.", "Two times x."),
        ("tools.md", "def unused(x):  #@save\n    return x", "def unused(x):  #@save\n    return -x"),
        ("d2l/alone.py", "x = 1", "x = 2"),  # the library does not load it
        ("d2l/__init__.py", '"1.0"', '"1.1"'),
        ("d2l/__init__.py", "A package.", "The package."),
        ("d2l/shown.py", "import os", "import os  # paths"),
        ("requirements/all.txt", "numpy==2.0", "numpy==2.0  # fast"),
    ],
)
def test_what_cannot_change_a_result_leaves_it_fresh(root: Path, name: str, old: str, new: str) -> None:
    edit(root, name, old, new)
    assert state(root) == "fresh"


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("page.md", "f(3)", "f(4)"),
        ("page.md", "d2l.shift(x)", "d2l.unused(x)"),
        ("tools.md", "scale(x) + 1", "scale(x) + 2"),  # used directly
        ("tools.md", "2 * x", "3 * x"),  # through another
        ("requirements/all.txt", "torch==2.0.0", "torch==2.0.1"),
        ("requirements/all.txt", "numpy==2.0", "numpy==2.1"),  # recorded, because the library imports it
        ("d2l/__init__.py", "__version__", "raise SystemExit\n__version__"),
        ("d2l/shown.py", "import os", "import os\nraise SystemExit"),
        ("d2l/moved.py", "import slow", "import quick"),  # loaded by another module
        ("d2l/moved.py", "import fast", "import faster as fast"),
        ("d2l/torch.py", "from torch import nn", "import einops\nfrom torch import nn"),
        ("d2l/torch.py", "import shown", "import shown, alone"),
    ],
)
def test_what_can_change_a_result_makes_it_stale(root: Path, name: str, old: str, new: str) -> None:
    edit(root, name, old, new)
    assert state(root) == "stale"


def test_a_new_cell_makes_it_stale_and_taking_it_back_fresh(root: Path) -> None:
    before = (root / "page.md").read_text()
    (root / "page.md").write_text(before + "\n" + cell("g = 1", "all"))
    assert state(root) == "stale"
    (root / "page.md").write_text(before)
    assert state(root) == "fresh"


def test_a_page_that_does_not_use_the_library_does_not_depend_on_its_modules(root: Path) -> None:
    (root / "page.md").write_text(f"# The Page\n:label:`sec_page`\n\n{cell('print(1)', 'pytorch')}")
    freeze(root, "page", "pytorch")
    edit(root, "d2l/shown.py", "import os", "import sys")
    assert state(root) == "fresh"


def test_what_a_library_loads_is_followed_through_its_folder(root: Path) -> None:
    found = surroundings(*open_book(root), "pytorch")
    assert [name for name, _ in found.modules] == ["__init__", "moved", "shown"]
    assert found.packages == ("fast", "numpy", "torch")


def test_another_framework_s_packages_do_not_matter(root: Path) -> None:
    edit(root, "requirements/all.txt", "jax==0.1", "jax==0.2")
    assert state(root) == "fresh"


def test_a_damaged_result_is_stale_and_says_so_when_it_is_read(root: Path) -> None:
    from d2lbook.diagnostics import BookError

    run_path(root, "page", "pytorch").write_text('{"key": "x", "cells": [')
    assert state(root) == "stale"
    with pytest.raises(BookError, match=r"outputs/page/pytorch.cpu.json: error: a damaged result .* d2lbook eval page"):
        load_run(root, "page", "pytorch")


def test_nothing_is_missing_where_notebooks_are_not_run(root: Path) -> None:
    edit(root, "config.ini", "[build]", "[build]\neval_notebook = False")
    book, config = open_book(root)
    assert status(book, config, book.tabs) == []


def test_the_declared_data_is_in_the_key(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from d2lbook.execute import key

    edit(root, "page.md", "f(3)", "f(3)  # FashionMNIST")
    freeze(root, "page", "pytorch")
    monkeypatch.setattr(key, "FASHION_MNIST", ())
    monkeypatch.setattr(key, "DATA", {"FashionMNIST": ("another",)})
    assert state(root) == "fresh"  # only in a comment
    edit(root, "page.md", "f(3)", "FashionMNIST = f(3)")
    monkeypatch.undo()
    freeze(root, "page", "pytorch")
    assert state(root) == "fresh"
    monkeypatch.setattr(key, "DATA", {"FashionMNIST": ("another",)})
    assert state(root) == "stale"
