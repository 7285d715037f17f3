"""What scripts of pages listen on: the loopback interface only, or the pages say what else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import psutil
import pytest

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.view import make_view

ROOT = Path(__file__).parent.parent.parent
FRAMEWORKS = {"pytorch": "torch", "mxnet": "mxnet", "jax": "jax", "tensorflow": "tensorflow"}
ELSEWHERE = "accept connections from other machines"  # said where d2l.launch is introduced
LAUNCHED = "sec_collectives"
LISTEN = "0A"  # a socket's state in /proc/net/tcp


@pytest.fixture(scope="module")
def cells() -> dict[str, list[str]]:
    """The code of every cell of the book by framework."""
    messages = Messages()
    book = load_book(load(ROOT / "config.ini", messages), messages)
    return {
        tab: [cell.code for page in book.pages for cell in make_view(page.document, tab, book.tabs).cells]
        for tab in FRAMEWORKS
    }


def listeners() -> dict[str, str]:
    """Every socket of this machine that listens now: the name of its file, and its address."""
    found = {}
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for row in table.read_text().splitlines()[1:]:
            _, local, _, state, _, _, _, _, _, inode, *_ = row.split()
            if state == LISTEN:
                words = bytes.fromhex(local.partition(":")[0])  # of four bytes, each in the order of this machine
                turned = b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4))
                address = ip_address(turned if sys.byteorder == "little" else words)
                found[f"socket:[{inode}]"] = str(getattr(address, "ipv4_mapped", None) or address)
    return found


def sockets(pid: int) -> set[str]:
    """The names of the sockets that a process has open; none, if it has ended."""
    found = set()
    with suppress(OSError):
        for file in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(str(file.readlink()))
    return found


def during(run: Callable[[], object]) -> set[str]:
    """The addresses on which processes that this one starts listen while something runs.

    Some listen for a few milliseconds only, so who has a socket is asked when one is new, and not each time.
    """
    addresses: set[str] = set()
    seen = set(listeners())
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        while not running.done():
            if new := {name: address for name, address in listeners().items() if name not in seen}:
                own = set().union(*(sockets(child.pid) for child in psutil.Process().children(recursive=True)))
                addresses |= {address for name, address in new.items() if name in own}
                seen |= own & new.keys()
        running.result()
    assert addresses
    return addresses


def is_loopback(addresses: set[str]) -> bool:
    """All of 127.0.0.0/8 is the loopback interface: Debian gives a machine's own name the address 127.0.1.1."""
    return all(ip_address(text).is_loopback for text in addresses)


@pytest.mark.parametrize("tab", FRAMEWORKS)
def test_two_processes_listen_where_the_page_says(tab: str, cells: dict[str, list[str]], tmp_path: Path) -> None:
    d2l = import_module(f"d2l.{FRAMEWORKS[tab]}")
    first_line = "%%writefile {folder}/allreduce.py\n"
    [script] = [code.removeprefix(first_line) for code in cells[tab] if code.startswith(first_line)]
    [start] = [code for code in cells[tab] if "/allreduce.py'" in code and "d2l.launch(" in code]
    (tmp_path / "allreduce.py").write_text(script, "utf-8")
    names: dict[str, Any] = {"d2l": d2l, "json": json, "sys": sys, "folder": str(tmp_path)}
    addresses = during(partial(exec, start, names))
    assert len([text for text in names["printed"] if '"sum"' in text]) == 2
    assert is_loopback(addresses) == (tab != "tensorflow"), addresses


def test_what_listens_elsewhere_is_said(tmp_path: Path) -> None:
    """torchrun's store does, as TensorFlow's servers do: where `d2l.launch` is introduced, which starts all of them."""
    script = tmp_path / "script.py"
    script.write_text("from torch import distributed as dist\ndist.init_process_group('gloo')\ndist.barrier()\n")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", script]
    environment = {"OMP_NUM_THREADS": 1, "GLOO_SOCKET_IFNAME": "lo"}
    d2l = import_module("d2l.torch")
    assert not is_loopback(during(lambda: d2l.launch([command], [environment])))
    texts = [path.read_text("utf-8") for path in (ROOT / "chapter_computation").glob("*.md")]
    [said] = [text for text in texts if f":label:`{LAUNCHED}`" in text]
    assert ELSEWHERE in " ".join(said.split())
    starting = [text for text in texts if "torch.distributed.run" in text or "TF_CONFIG" in text]
    assert len(starting) >= 4 and all("d2l.launch(" in text for text in starting)


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


def test_the_pages_own_server_listens_on_loopback_and_asks_for_the_key(
    cells: dict[str, list[str]], tmp_path: Path
) -> None:
    """The server of the page on parameter servers: without runs, it stops as soon as both workers are there."""
    for name, part in ("model", "gradients"), ("worker", "Client("), ("server", "Listener("):
        first_line = f"%%writefile {{folder}}/{name}.py\n"
        [script] = [code for code in cells["jax"] if code.startswith(first_line) and part in code]
        (tmp_path / f"{name}.py").write_text(script.removeprefix(first_line), "utf-8")
    d2l = import_module("d2l.jax")
    port = d2l.free_port()
    commands = [[sys.executable, tmp_path / "server.py", port, "[]"]]
    commands += [[sys.executable, tmp_path / "worker.py", rank, port] for rank in range(2)]
    shared = {"KEY": "the right key", "JAX_PLATFORMS": "cpu"}
    assert is_loopback(during(partial(d2l.launch, commands, [shared] * 3)))
    with pytest.raises(RuntimeError, match="AuthenticationError"):
        d2l.launch(commands[:2], [shared, {**shared, "KEY": "a stranger's"}])
