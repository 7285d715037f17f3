"""What scripts of pages listen on: the processes that "Collectives" starts, on the loopback interface only.

TensorFlow is not among them: its servers listen on all addresses, whatever one asks for, and the pages say so.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil
import pytest

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.view import make_view

ROOT = Path(__file__).parent.parent.parent
LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
FRAMEWORKS = {"pytorch": "torch", "mxnet": "mxnet", "jax": "jax"}


@pytest.fixture(scope="module")
def cells() -> dict[str, list[str]]:
    """The code of every cell of the book by framework."""
    messages = Messages()
    book = load_book(load(ROOT / "config.ini", messages), messages)
    return {
        tab: [cell.code for page in book.pages for cell in make_view(page.document, tab, book.tabs).cells]
        for tab in FRAMEWORKS
    }


def listening() -> set[str]:
    """The addresses on which processes that this one has started listen."""
    found = set()
    for process in psutil.Process().children(recursive=True):
        try:
            found |= {link.laddr.ip for link in process.net_connections("tcp") if link.status == psutil.CONN_LISTEN}
        except psutil.Error:
            continue  # it has ended
    return found


@pytest.mark.parametrize("tab", FRAMEWORKS)
def test_two_processes_listen_on_the_loopback_interface_only(
    tab: str, cells: dict[str, list[str]], tmp_path: Path
) -> None:
    d2l = import_module(f"d2l.{FRAMEWORKS[tab]}")
    first_line = "%%writefile {folder}/allreduce.py\n"
    [script] = [code.removeprefix(first_line) for code in cells[tab] if code.startswith(first_line)]
    [start] = [code for code in cells[tab] if "/allreduce.py'" in code and "d2l.launch(" in code]
    (tmp_path / "allreduce.py").write_text(script, "utf-8")
    names: dict[str, Any] = {"d2l": d2l, "json": json, "sys": sys, "folder": str(tmp_path), "sizes": [1024]}
    addresses: set[str] = set()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(exec, start, names)
        while not running.done():
            addresses |= listening()
        running.result()
    assert len([text for text in names["printed"] if '"sum"' in text]) == 2
    assert addresses and addresses <= LOOPBACK


@pytest.mark.parametrize(
    ("tab", "joins", "binds"),
    [
        ("mxnet", "'DMLC_PS_ROOT_URI'", "'DMLC_NODE_HOST': '127.0.0.1'"),
        ("jax", "jax.distributed.initialize(", "coordinator_bind_address="),
    ],
)
def test_every_cell_that_joins_processes_says_where_to_listen(
    tab: str, joins: str, binds: str, cells: dict[str, list[str]]
) -> None:
    joining = [code for code in cells[tab] if joins in code]
    assert len(joining) >= 2
    assert all(binds in code for code in joining)
