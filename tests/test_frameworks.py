"""frameworks.py: one row per framework, and nothing else to do for a further one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from books import CONFIG, cell, write_book
from builders import copy_builder, run_copy

from d2lbook import frameworks
from d2lbook.frameworks import FRAMEWORKS
from d2lbook.library import BANNER

ROW = """    Framework(
        tab="abacus",
        label="Abacus",
        modules=("abacus",),
        packages=(("abacus-cpu",),),
        probe="print('cpu', 'Wooden Bead', 'x', m.beads())\\n",
        colours=("#123456", "#abcdef"),
        pip={"abacus": "--no-deps abacus-cpu==4.2"},
    ),
"""
PROJECT = "[project]\ntitle = Sums\nd2l_address = https://sums.example/sums-1.0-py3-none-any.whl\n"
LIBRARY = "[library-abacus]\nlib_file = sums/abacus.py\nlib_name = abacus\nsimple_alias = add\n"
PAGE = "\n".join(
    (
        "## A Sum",
        cell("import abacus as fw\nfrom sums import abacus as d2l", "abacus"),
        cell("import json", "plain"),
        cell("def total(a, b):  #@save\n    return d2l.add(a, b)", "abacus"),
        cell("abacus_sum = fw.add(1, 41)\nabacus_sum", "abacus"),
    )
)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the builder with a row for a framework that does not exist, and that framework installed."""
    room = tmp_path_factory.mktemp("fifth")
    table = copy_builder(room) / "frameworks.py"
    before, after = table.read_text(encoding="utf-8").split("\n)\nTABS = ")
    table.write_text(f"{before}\n{ROW})\nTABS = {after}", encoding="utf-8")
    (room / "abacus").mkdir()
    (room / "abacus/__init__.py").write_text("def add(a, b):\n    return a + b\n\n\ndef beads():\n    return 3\n")
    info = room / "abacus_cpu-4.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: abacus-cpu\nVersion: 4.2\n")
    (info / "top_level.txt").write_text("abacus\n")
    book = room / "book"
    config = f"{PROJECT}{CONFIG}tabs = plain, abacus\n[library]\nversion_file = sums/__init__.py\n"
    write_book(book, {"sums": PAGE}, f"{config}{LIBRARY}")
    (book / "sums").mkdir()
    (book / "sums/__init__.py").write_text('__version__ = "1.0"\n')
    (book / "sums/abacus.py").write_text(f"import abacus\n\n{BANNER}\n")
    run_copy(room, "lib")
    run_copy(room, "eval")
    run_copy(room, "build", "html", "ipynb", "colab")
    return room


def built(room: Path, name: str) -> str:
    return (room / "book/_build" / name).read_text(encoding="utf-8")


def test_its_library_is_written(room: Path) -> None:
    library = (room / "book/sums/abacus.py").read_text()
    assert "def total(a, b):" in library and "add = abacus.add" in library


def test_its_results_say_what_made_them(room: Path) -> None:
    page = built(room, "html/sums.html")
    assert "42" in page and "Abacus 4.2 · 3 × Wooden Bead" in page


def test_its_tab_is_named_and_coloured(room: Path) -> None:
    page = built(room, "html/sums.html")
    assert ">Abacus</button>" in page
    assert "--fw-abacus:#123456" in page and "--fw-abacus:#abcdef" in page
    assert '[data-tab="abacus"],[data-for="abacus"]{--d2l-fw:var(--fw-abacus)}' in page


def test_its_notebooks_are_written_and_install_it(room: Path) -> None:
    assert "abacus_sum" in built(room, "ipynb/en/abacus/sums.ipynb")
    assert "--no-deps abacus-cpu==4.2" in built(room, "colab/en/abacus/sums.ipynb")


@pytest.mark.tex
def test_its_pdf_has_its_pages(room: Path) -> None:
    run_copy(room, "build", "pdf", "--tab", "abacus")
    pdf = room / "book/_build/pdf/en/abacus.pdf"
    text = subprocess.run(["pdftotext", str(pdf), "-"], check=True, capture_output=True, text=True).stdout
    assert "Abacus" in text and "A Sum" in text and "abacus_sum" in text


def test_rows_are_told_apart() -> None:
    for values in ([row.tab for row in FRAMEWORKS], [row.label for row in FRAMEWORKS]):
        assert len(set(values)) == len(values)
    modules = [module for row in FRAMEWORKS for module in row.modules]
    assert len(set(modules)) == len(modules)


def test_a_tab_without_a_row_has_plain_defaults() -> None:
    assert frameworks.label_of("lua") == "lua" and frameworks.packages_of("lua") == ()
    assert frameworks.style(["lua"]) == 'html[data-fw="lua"] [data-for]:not([data-for~="lua"]){display:none}'
