"""Pages on a machine with exactly one GPU, and with none: what they decide, and how much work they ask for.

`tests/pretence` makes kernels and scripts believe in one GPU, an ordinary device that `devices(k)` never returns.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import cache

import pytest
from test_pages import PAGES, ROOT, TABS, load_own_book, run_short, turns

from d2lbook.view import make_view

PRETENCE = ROOT / "tests" / "pretence"
MODULES = {"pytorch": "torch", "mxnet": "mxnet", "jax": "jax", "tensorflow": "tensorflow"}
# Steps, epochs, images or repeats that a page may ask of a CPU at once, be it the only device or two simulated ones.
MOST_FOR_A_CPU = 1_536
# Pages that ask how many GPUs there are: they define the functions that others are to ask.
ASK_HOW_MANY = {"chapter_computation/use-gpu", "chapter_computation/simulated-devices"}


@pytest.fixture
def one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PRETENCE))
    monkeypatch.setenv("D2L_PRETEND", "one-gpu")


@cache
def the_cells() -> dict[str, list[ast.Module]]:
    """What each page runs in any framework, the scripts that it writes among it."""
    book, _, _ = load_own_book()
    found = {}
    for page in book.pages:
        views = [make_view(page.document, tab, book.tabs) for tab in book.tabs]
        codes = dict.fromkeys(without_magics(cell.runs) for view in views for cell in view.cells)
        found[page.document.name] = [ast.parse(code) for code in codes]
    return found


def without_magics(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith(("%", "!")))


@pytest.mark.parametrize("tab", TABS)
def test_the_pretended_gpu_is_none_of_the_simulated_devices(tab: str, one_gpu: None) -> None:
    program = f"""
from d2l import {MODULES[tab]} as d2l
two = d2l.devices(2)
gpu, cpu, kind = d2l.link_pair()
assert d2l.num_gpus() == 1 and d2l.try_all_gpus() == [gpu] == [d2l.try_gpu()], d2l.try_all_gpus()
assert len(two) == 2 and gpu not in two and cpu in two and kind == 'gpu+cpu', (two, gpu, cpu, kind)
assert d2l.on_gpus([gpu]) and not d2l.on_gpus(two)
assert (d2l.budget(10, 3), d2l.budget(10, 3, two), d2l.budget(10, 3, [gpu])) == (10, 3, 10)
"""
    environment = {name: value for name, value in os.environ.items() if name != "D2L_SHORT"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_in_the_framework_whose_turn_it_is(
    page: str, one_gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tab := turns().get(page):
        run_short(tab, (page,), monkeypatch)


@pytest.mark.one_gpu
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_page_runs_in_the_other_frameworks(
    after: int, page: str, one_gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the one that is so many places after the one whose turn it is."""
    if turn := turns().get(page):
        run_short(TABS[(TABS.index(turn) + after) % len(TABS)], (page,), monkeypatch)


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of `name` or of `something.name` below `tree`."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in found if getattr(call.func, "attr", getattr(call.func, "id", None)) == name]


@pytest.mark.parametrize("page", PAGES)
def test_pages_ask_whether_their_devices_are_gpus_and_not_how_many_there_are(page: str) -> None:
    if page in ASK_HOW_MANY:
        return
    found = []
    for tree in the_cells()[page]:
        for node in ast.walk(tree):
            test = node.test if isinstance(node, ast.If | ast.IfExp | ast.While) else node
            if test is not node or isinstance(test, ast.Compare | ast.BoolOp):
                found += [
                    ast.unparse(test) for _ in calls(test, "num_gpus") if "LOCAL_WORLD_SIZE" not in ast.unparse(test)
                ]
    assert found == []


@pytest.mark.parametrize("page", PAGES)
def test_the_budget_of_a_page_with_several_devices_is_theirs(page: str) -> None:
    """With one GPU, `devices(2)` are simulated: the budget of the one GPU would be hours of their work."""
    trees = the_cells()[page]
    if not any(calls(tree, "devices") for tree in trees):
        return
    for tree in trees:
        for call in calls(tree, "budget"):
            given = {
                **dict(zip(("gpu", "cpu", "devices"), call.args, strict=False)),
                **{k.arg: k.value for k in call.keywords},
            }
            same = ast.dump(given["gpu"]) == ast.dump(given["cpu"])
            assert same or "devices" in given, ast.unparse(call)


@pytest.mark.parametrize("page", PAGES)
def test_a_cpu_is_asked_for_little(page: str) -> None:
    """A literal number, whatever the machine: one that depends on GPUs that are not in use may be hours of work."""
    for tree in the_cells()[page]:
        for call in calls(tree, "budget"):
            given = {**dict(zip(("gpu", "cpu"), call.args, strict=False)), **{k.arg: k.value for k in call.keywords}}
            for value in (given["cpu"], given["gpu"]):
                assert isinstance(ast.literal_eval(value), int), ast.unparse(call)
            assert ast.literal_eval(given["cpu"]) <= MOST_FOR_A_CPU, ast.unparse(call)


@pytest.mark.parametrize("page", PAGES)
def test_pages_that_compare_numbers_compute_them_in_float32(page: str) -> None:
    """By the one function that says it for each framework, products and convolutions alike; scripts too."""
    texts = [ast.unparse(tree) for tree in the_cells()[page]]
    comparing = any("max_rel_err(" in text or "allclose(" in text for text in texts)
    float32 = [text for text in texts if "use_float32()" in text and "import" in text]
    assert not comparing or len(float32) >= len(TABS), "a page that compares calls d2l.use_float32() in its first cell"
    own = ("allow_tf32", "jax_default_matmul_precision", "enable_tensor_float_32_execution", "fp32_precision")
    assert page in ASK_HOW_MANY or not [text for text in texts if any(name in text for name in own)]
