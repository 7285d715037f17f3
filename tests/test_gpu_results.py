"""What `benchmarks/gpu.md` tells to run on a lent machine: pages that exist, all that ask for one GPU, in time."""

from __future__ import annotations

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from d2lbook.book import load_book
from d2lbook.config import load
from d2lbook.diagnostics import Messages
from d2lbook.execute.frozen import load_run
from d2lbook.model import Book
from d2lbook.pycode import parse_cell
from d2lbook.view import make_view

ROOT = Path(__file__).parents[1]
TABS = ("pytorch", "jax")
LONGEST_COMMAND = 2_000  # characters, on the lent machine
LENT = 3 * 570 - 170  # seconds for pages in three commands, the first of which begins with tests
ASK_FOR_ONE = {"try_gpu", "link_pair"}
OF_THE_CPU = "On the CPU whose results this page shows"
FOR_OTHERS = {
    "chapter_computation/simulated-devices",
    "chapter_computation/tools",
}  # define what asks; compute on the CPU


@cache
def blocks() -> list[str]:
    text = (ROOT / "benchmarks" / "gpu.md").read_text()
    return re.findall(r"```bash\n(.*?)```", text, re.DOTALL)


def words_of(program: str) -> list[str]:
    """What stands behind `program` in its command."""
    (block,) = (block for block in blocks() if program in block)
    line = next(line for line in block.replace("\\\n", " ").splitlines() if program in line)
    return shlex.split(line.split(program, 1)[1])


def pages_in(words: list[str]) -> list[str]:
    """The words before the first option."""
    end = next((number for number, word in enumerate(words) if word.startswith("--")), len(words))
    return words[:end]


@cache
def own_book() -> Book:
    messages = Messages()
    return load_book(load(ROOT / "config.ini", messages), messages)


def asks_for_one_gpu(name: str, tab: str) -> bool:
    document = next(page.document for page in own_book().pages if page.document.name == name)
    trees = [parse_cell(cell.runs).tree for cell in make_view(document, tab, own_book().tabs).cells]
    calls = (node.func for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", None)) in ASK_FOR_ONE for call in calls)


def test_both_commands_name_the_same_pages() -> None:
    packed = words_of("--bundle")
    assert packed[0] == ".gpu/bundle.zip" and packed[1:3] == ["--tab", ",".join(TABS)]
    assert packed[3:] == pages_in(words_of("/tmp/bundle/run.py"))


def test_they_are_the_pages_that_use_one_gpu() -> None:
    asking = {
        page.document.name
        for page in own_book().pages
        if any(asks_for_one_gpu(page.document.name, tab) for tab in TABS)
    }
    listed = {f"chapter_computation/{name}" for name in pages_in(words_of("/tmp/bundle/run.py"))}
    assert listed == asking - FOR_OTHERS


def test_a_command_is_short_enough() -> None:
    (block,) = (block for block in blocks() if "/tmp/bundle/run.py" in block)
    assert len(block) <= LONGEST_COMMAND


@pytest.mark.parametrize("tab", TABS)
def test_no_page_takes_longer_than_it_may_and_all_fit(tab: str) -> None:
    """By the seconds of the frozen results of two cores; a GPU's machine is faster, and is given more to do."""
    words = words_of("/tmp/bundle/run.py")
    seconds = {
        name: run.produced.seconds
        for name in pages_in(words)
        if (run := load_run(ROOT, f"chapter_computation/{name}", tab)) is not None
    }
    assert max(seconds.values()) < float(words[words.index("--limit") + 1])
    assert sum(seconds.values()) < LENT / len(TABS)


@pytest.mark.parametrize("tab", TABS)
def test_what_is_said_of_the_cpu_s_result_stands_beside_it_in_print_too(tab: str) -> None:
    """There a cell shows the GPU's result alone, unless it says that the text compares."""
    for page in own_book().pages:
        view = make_view(page.document, tab, own_book().tabs)
        starts = [cell.cell.span.start for cell in view.cells]
        for cell, end in zip(view.cells, [*starts[1:], None], strict=False):
            told = OF_THE_CPU in page.document.text[cell.cell.span.end : end]
            assert not told or cell.compare_devices, f"{page.document.path}:{cell.cell.span.line}"


def test_what_is_carried_is_not_part_of_the_tree() -> None:
    assert "/.gpu/" in (ROOT / ".gitignore").read_text().splitlines()
