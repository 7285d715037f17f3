"""tests/dialect/*.md is the dialect's specification: sources, and the model and messages that they give.

`python tests/parse/test_dialect.py` prints what is given now for each case that has no expectation yet.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from cases import Case, read_cases
from model_dump import dump

from d2lbook.diagnostics import Messages
from d2lbook.parse import markdown, parse_document

HERE = Path(__file__).parents[1]
CASES = read_cases(HERE / "dialect")
SHARED = [case for case in CASES if "source" in case.texts]
RENDERED = [case for case in CASES if "inline" in case.texts]
# Every row of the dialect's tables, by words of its first column: each needs a case that uses it.
ROWS = [
    "```{.python .input}",
    "n=3",
    "#@tab all",
    "#@tab mxnet, pytorch",
    "%%tab",
    "# @TAB",
    "%load_ext d2lbook.tab",
    "tab.interact_select(",
    "required_libs(",
    "tab.selected(",
    ":begin_tab:`",
    ":end_tab:",
    "#@save",
    "```{.json .output n=1}",
    "#@alt",
    "add_to_class",
    "# Hide code",
    "# Hide outputs",
    "#@hide",
    "#@hide_code",
    "#@hide_output",
    "#@hide_all",
    "#@gpu_first",
    "#@compare_devices",
    "```toc",
    ":maxdepth:",
    ":numbered:",
    ":label:`",
    ":width:`",
    ":height:`",
    ":alt:`",
    ":interactive:`",
    ":library:`",
    "![",
    ":eqlabel:`",
    ":eqref:`",
    ":numref:`",
    ":ref:`",
    ":cite:`",
    ":citet:`",
    ":citep:`",
    ":bibliography:`",
    ":class:`",
    ":func:`",
    ":mod:`",
    "[**",
    "(**",
    "[~~",
    "(~~",
    "```eval_rst",
    ":begin_solution:",
    ":end_solution:",
    "라고",
]


def parsed(case: Case) -> tuple[str, str]:
    """The model of a case's source, and the messages about it."""
    messages = Messages()
    document = parse_document(case.texts["source"], "page.md", messages)
    return dump(document), "".join(f"{message}\n" for message in messages)


@pytest.mark.parametrize("case", SHARED, ids=lambda case: case.title)
def test_model(case: Case) -> None:
    model, messages = parsed(case)
    assert "model" in case.texts, f"no expectation; now it gives:\n{model}"
    assert messages == case.texts.get("messages", "")
    assert model == case.texts["model"]


@pytest.mark.parametrize("case", RENDERED, ids=lambda case: case.title)
def test_inline(case: Case) -> None:
    assert rendered(case) == case.texts.get("html", "no expectation")


def rendered(case: Case) -> str:
    """HTML of a case's prose, with tags of our own for roles and marks."""
    parser = markdown()
    parser.add_render_rule("d2l_role", lambda _, tokens, at, *__: f"<{tokens[at].meta['kind']}:{tokens[at].content}>")
    parser.add_render_rule("d2l_mark_open", lambda _, tokens, at, *__: _mark(tokens[at].meta, ""))
    parser.add_render_rule("d2l_mark_close", lambda _, tokens, at, *__: _mark(tokens[at].meta, "/"))
    return parser.render(case.texts["inline"])


def _mark(meta: dict[str, bool], slash: str) -> str:
    return f"<{slash}{'new' if meta['new_slide'] else 'same'}{'-only' if meta['only_slides'] else ''}>"


def test_every_row_of_the_dialect_has_a_case() -> None:
    sources = "\n".join([*(case.texts["source"] for case in SHARED), *(case.texts["inline"] for case in RENDERED)])
    assert [row for row in ROWS if row not in sources] == []


@pytest.mark.parametrize("case", SHARED, ids=lambda case: case.title)
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["unix", "windows"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_line_ends_and_byte_order_mark_change_no_place(case: Case, ends: str, mark: str) -> None:
    text = mark + case.texts["source"].replace("\n", ends)
    document = parse_document(text, "page.md", Messages())
    assert document.text == text
    plain = re.sub(r"\r", "", dump(document))
    reference = re.sub(r"\r", "", dump(parse_document(case.texts["source"], "page.md", Messages())))
    assert _without_ends(plain) == _without_ends(reference)


def _without_ends(model: str) -> str:
    """Ends of places count the characters of a line's end on Windows; starts do not."""
    return re.sub(r"(\d+:\d+)-\d+:\d+", r"\1", model)


def main() -> None:
    for case in SHARED:
        model, messages = parsed(case)
        if "model" not in case.texts:
            print(
                f"## {case.title}\n~~~~ model\n{model}~~~~\n" + (f"~~~~ messages\n{messages}~~~~\n" if messages else "")
            )
    for case in RENDERED:
        if "html" not in case.texts:
            print(f"## {case.title}\n~~~~ html\n{rendered(case)}~~~~\n")


if __name__ == "__main__":
    main()
