"""What a notebook keeps of a figure that was updated while a cell ran."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "from d2l import torch as d2l",
    "print('before')\n"
    "animator = d2l.Animator(xlabel='step', legend=['a', 'b'])\n"
    "for i in range(2000):\n    animator.add(i, (i, -i))\n"
    "print('after')",
    "animator.add(2000, (0, 0))",
    "d2l.plot([1, 2, 3], ylabel='a label')",
    "board = d2l.ProgressBoard(xlabel='x')\nfor i in range(8):\n    board.draw(i, i, 'curve', every_n=4)",
)


def run() -> list[list[Any]]:
    """The outputs of each cell."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    return run()


def svg_of(cell: list[Any]) -> str:
    """The only figure among a cell's outputs."""
    (figure,) = [output.data["image/svg+xml"] for output in cell if "data" in output]
    return str(figure)


def test_2000_points_leave_one_figure_and_keep_what_was_printed(outputs: list[list[Any]]) -> None:
    svg = svg_of(outputs[1])
    printed = "".join(output.text for output in outputs[1] if output.output_type == "stream")
    assert printed == "before\nafter\n"
    assert "2000" in re.findall(r">(−?\d+)</text>", svg)  # the last tick: the last state was drawn


def test_a_later_cell_shows_its_own_copy(outputs: list[list[Any]]) -> None:
    assert svg_of(outputs[2]) != svg_of(outputs[1])


def test_plots_are_svg_in_the_books_inks_with_text_as_text(outputs: list[list[Any]]) -> None:
    svg = svg_of(outputs[3])
    assert ">a label</text>" in svg
    assert set(re.findall(r"#[0-9a-f]{6}", svg)) == {"#222222", "#cccccc", "#0072b2"}
    assert "<dc:date>" not in svg


def test_a_board_shows_one_figure(outputs: list[list[Any]]) -> None:
    assert ">curve</text>" in svg_of(outputs[4])


def test_the_same_data_give_the_same_bytes(outputs: list[list[Any]]) -> None:
    again = run()
    assert [svg_of(cell) for cell in again[1:]] == [svg_of(cell) for cell in outputs[1:]]
