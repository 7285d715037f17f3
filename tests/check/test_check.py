"""What `check` finds in a book as a whole, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_fixtures import CONFIG, open_book

from d2lbook.check import check_book, outputcheck, tabcheck
from d2lbook.parse.listing_language import language_of_fence

TWO_TABS = CONFIG.replace("tabs = pytorch", "tabs = pytorch, jax") + "\n[library-jax]\nlib_file = d2l/jax.py\n"


def check(root: Path, text: str, config: str = TWO_TABS, **files: str) -> list[str]:
    book, loaded, messages = open_book(root, {"config.ini": config, "a.md": text, **files})
    check_book(book, loaded, messages)
    return [str(message) for message in messages]


@pytest.mark.timeout(60)
def test_many_marks_of_lists_in_a_line_take_no_time_to_look_for_a_fence(tmp_path: Path) -> None:
    assert check(tmp_path, "# A\n\n> Three ticks ``` are text.\n> " + "-  " * 40 + "x\n") == []


def cell(code: str) -> str:
    return f"# A\n\n```{{.python .input}}\n{code}\n```\n"  # the code begins in line 4


def more(text: str) -> str:
    """The text as a later part of the page."""
    return text.replace("# A", f"## B{len(text)}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (cell("x = 1"), []),
        (
            cell("#@tab jaxx, torch\nx = 1"),
            [
                "a.md:4:7: error: unknown tab 'jaxx'; did you mean 'jax'? [tab-unknown]",
                "a.md:4:13: error: unknown tab 'torch'; did you mean 'pytorch'? [tab-unknown]",
            ],
        ),
        (
            "# A\n\n:begin_tab:`jax, mxnet`\nText.\n:end_tab:\n",
            ["a.md:3:18: error: unknown tab 'mxnet'; known: pytorch, jax [tab-unknown]"],
        ),
        (
            cell("%load_ext d2lbook.tab\ntab.interact_select(['jax', 'Mxnet'])"),
            ["a.md:5:30: error: unknown tab 'Mxnet'; known: pytorch, jax [tab-unknown]"],
        ),
        (
            cell("%%tab all\nif tab.selected('jax', 'caffe'):\n    x = 1"),
            ["a.md:5:24: error: unknown tab 'caffe'; known: pytorch, jax [tab-unknown]"],
        ),
        (cell("def f(:\n  pass"), ["a.md:4:7: error: not Python: invalid syntax [cell-syntax]"]),
        (
            cell('%%tab all\ndef f():\n    ""Text."""\n    return 1'),
            ["a.md:6:5: error: a docstring begins with three quotation marks, here are two; add one [cell-syntax]"],
        ),
        (
            cell("#@tab all\nx = 'é' + 'é é"),
            ["a.md:5:11: error: not Python: unterminated string literal (detected at line 1) [cell-syntax]"],
        ),
        (
            cell("%%tab all\nif tab.selected('jax'):\n    x = 1\n    d2l.nothing\n"),
            ["a.md:7:9: error: 'nothing' is not in d2l/jax.py; mark its definition with #@save [d2l-name]"],
        ),
        (
            cell(
                "from d2l import torch as d2l\nfrom d2l.torch import f, g\nd2l.f() + d2l.__version__ + d2l.h\n"
                "d2l.mine = 1\nd2l.mine\ndef f():  #@save\n    return 1"
            ),
            [
                "a.md:5:26: error: 'g' is not in d2l/torch.py; mark its definition with #@save [d2l-name]",
                "a.md:6:33: error: 'h' is not in d2l/torch.py; mark its definition with #@save [d2l-name]",
            ],
        ),
        (cell("import other as d2l\nd2l.anything"), []),
        (
            cell("import d2l.jax as lib\nlib.anything"),
            ["a.md:5:5: error: 'anything' is not in d2l/jax.py; mark its definition with #@save [d2l-name]"],
        ),
        (cell("%matplotlib inline\n!ls d2l.x\nx = !ls\n%time d2l.f(\nprint?\nif x:\n    %pdb"), []),
        (cell("text = '''\n%not a magic\n!nor this\n'''\n%magic"), []),
        (cell("def mean():  #@save\n    return 1") + "\n:func:`d2l.mean` :class:`~d2l.torch.mean` :mod:`d2l.x`\n", []),
        (
            cell("def mean():  #@save\n    return 1") + "\nText :func:`d2l.maen` :class:`the mean <d2l.jax.mean>`\n",
            [
                "a.md:8:6: warning: 'maen' is not in the library; did you mean 'mean'? [api-undefined]",
                "a.md:8:23: warning: 'mean' is not in the library; mark its definition with #@save [api-undefined]",
            ],
        ),
        (cell("%%bash\nif then; fi"), []),
        (cell("await x\nreturn 1"), ["a.md:5:1: error: not Python: 'return' outside function [cell-syntax]"]),
        (cell("%%time\n1 +"), ["a.md:5:4: error: not Python: invalid syntax [cell-syntax]"]),
        (
            cell("def f():  #@save\n    return missing"),
            [
                "a.md:5:12: warning: 'missing' is used in d2l/torch.py, which neither defines nor imports it; mark its"
                " definition or import with #@save [lib-name-undefined]"
            ],
        ),
        (
            "# A\n\n```{.json .output}\n{}\n```\n",
            ["a.md:3:1: warning: a stored output; remove it: outputs are frozen apart from the pages [output-stored]"],
        ),
        (
            "# A\n\n![Caption](img/x.svg)\n",
            [
                "a.md:3:1: warning: the figure 'img/x.svg' has no alternative text; say what it shows in a line "
                "':alt:`…`' below it [figure-alt]"
            ],
        ),
    ],
)
def test_finding(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert check(tmp_path, text, **{"img/x.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>"}) == expected


UNKNOWN = "is no language that Pygments knows, so the block is shown as plain text; mend the name, or write 'text'"


def test_a_fence_in_a_language_that_is_none_is_told_and_shown_as_text(tmp_path: Path) -> None:
    text = (
        "# A\n\n```mermaid\ngraph\n```\n\n- In a list:\n\n  ```{note}\n  text\n  ```\n\n  ~~~bash\n  ls ```x\n  ~~~\n"
    )
    text += "\n```text\nplain\n```\n\n```\nnone\n```\n\n1. > ```nolang\n   > x\n   > ```\n"
    assert check(tmp_path, text) == [
        f"a.md:3:1: warning: 'mermaid' {UNKNOWN} [fence-language]",
        "a.md:9:3: warning: '{note}' is no fence of ours, so the block is shown as plain text; for a cell write"
        " '{.python .input}', for a box '> [!NOTE]', else the language alone [fence-language]",
        f"a.md:25:6: warning: 'nolang' {UNKNOWN} [fence-language]",
    ]


@pytest.mark.parametrize(
    ("info", "language"),
    [("", "text"), ("bash", "bash"), ("mermaid", "text"), ("{.python .inactive}", "python"), ("{note} x", "text")],
)
def test_what_a_fence_is_highlighted_as(info: str, language: str) -> None:
    assert language_of_fence(info) == language


def test_a_strict_book_has_no_warnings(tmp_path: Path) -> None:
    config = TWO_TABS.replace("[build]", "[build]\nstrict = true")
    found = check(tmp_path, "# A\n\n```{.json .output}\n{}\n```\n", config)
    assert [line.split(": ")[1] for line in found] == ["error"]


def test_all_findings_in_one_run(tmp_path: Path) -> None:
    found = check(tmp_path, cell("def f(:") + more(cell("x = d2l.nothing")) + more(cell("#@tab caffe\ny")))
    assert [line.rsplit("[")[1] for line in found] == ["cell-syntax]", "d2l-name]", "tab-unknown]"]


def test_names_of_heads_and_aliases_are_known(tmp_path: Path) -> None:
    head = (
        "from .x import y as z\nvalue: int\ndef __getattr__(name):\n    if name == 'plt':\n        return 1\n"
        "    raise AttributeError\n#################   WARNING   ################\n"
    )
    aliases = "lib_name = z\nsimple_alias = ones\nreverse_alias = d2l.size -> z\n"
    config = TWO_TABS.replace("torch.py\n", "torch.py\n" + aliases)
    text = cell("d2l.z, d2l.value, d2l.plt, d2l.ones, d2l.size, d2l.old")
    found = check(tmp_path, text, config, **{"d2l/torch.py": head + "old = 1\n"})
    assert found == ["a.md:4:52: error: 'old' is not in d2l/torch.py; mark its definition with #@save [d2l-name]"]


def test_what_a_star_import_brings_is_not_judged(tmp_path: Path) -> None:
    head = "from numpy import *\n#################   WARNING   ################\n"
    text = cell("d2l.anything\ndef f():  #@save\n    return zeros(1), d2l.ones")
    assert check(tmp_path, text, **{"d2l/torch.py": head}) == []


def test_a_broken_cell_takes_no_names_away(tmp_path: Path) -> None:
    found = check(tmp_path, cell("def f(x:  #@save\n    pass") + more(cell("d2l.f()")))
    assert [line.rsplit("[")[1] for line in found] == ["cell-syntax]"]


def test_a_broken_head_is_told(tmp_path: Path) -> None:
    head = "x = (\n#################   WARNING   ################\n"
    found = check(tmp_path, cell("x = 1  #@save"), **{"d2l/torch.py": head})
    assert found == ["d2l/torch.py:1:5: error: not Python: '(' was never closed [cell-syntax]"]


def test_a_book_without_libraries(tmp_path: Path) -> None:
    config = "[build]\ntabs = pytorch\n"
    assert check(tmp_path, cell("from d2l import torch as d2l\nd2l.anything()\nx = 1  #@save"), config) == []


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    text = "\ufeff" + cell("x = 1\ny = d2l.no\ndef f(:").replace("\n", "\r\n")
    assert check(tmp_path, text) == ["a.md:6:7: error: not Python: invalid syntax [cell-syntax]"]
    text = "\ufeff" + cell("x = 1\ny = d2l.no  #@save").replace("\n", "\r\n")
    assert [line.split(" warning")[0] for line in check(tmp_path, text)] == ["a.md:5:9:"]


def test_outputcheck_and_tabcheck_fail(tmp_path: Path) -> None:
    stored = "# A\n\n```{.json .output}\n{}\n```\n"
    for text, place in ((stored, 3), (cell("#@tab caffe\n"), 4)):
        book, _, messages = open_book(tmp_path, {"config.ini": TWO_TABS, "a.md": text})
        assert not messages.failed
        outputcheck(messages)
        tabcheck(book, messages)
        assert [(message.level, message.line) for message in messages] == [("error", place)]
