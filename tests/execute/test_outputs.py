"""What is kept of a cell's outputs, and how it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faults import KILLED, run_until

from d2lbook.execute.frozen import CellResult, Produced, Run, load_run, run_path, store_run
from d2lbook.execute.outputs import clean, from_lines, overwrite, to_lines


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def test_pieces_of_a_stream_become_one() -> None:
    assert clean([stream("a\n"), stream("b\n"), stream("!", "stderr"), stream("c")]) == (
        stream("a\nb\n"),
        stream("!", "stderr"),
        stream("c"),
    )


def test_a_progress_line_shows_its_last_state() -> None:
    assert clean([stream("1/3\r"), stream("2/3\r"), stream("3/3\ndone\n")]) == (stream("3/3\ndone\n"),)
    assert overwrite("a\r\nb\r") == "a\nb"


def test_colours_of_a_terminal_and_empty_streams_go() -> None:
    assert clean([stream("\x1b[31mred\x1b[0m"), stream(" \n", "stderr")]) == (stream("red"),)


def test_drawings_come_before_pixels_and_widgets_are_dropped() -> None:
    data = {"image/svg+xml": "<svg/>", "image/png": "AAAA", "text/plain": "<Figure>", "application/x": {"a": 1}}
    shown = {"output_type": "display_data", "data": data, "metadata": {"needs": "x"}, "transient": {"display_id": "1"}}
    only_widget = {"output_type": "display_data", "data": {"application/x": {}}, "metadata": {}}
    assert clean([shown, only_widget]) == (
        {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "text/plain": "<Figure>"}, "metadata": {}},
    )


def test_a_result_has_no_execution_count() -> None:
    result = {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}, "execution_count": 17}
    assert clean([result])[0]["execution_count"] is None


@pytest.mark.parametrize("text", ["", "a", "a\n", "a\nb", "a\n\n", "a\x0b\u2028b\n", "a\rb"])
def test_texts_are_stored_line_by_line_and_read_back_as_they_were(text: str) -> None:
    output = {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}
    assert from_lines(to_lines(output)) == output
    assert from_lines(to_lines(stream(text))) == stream(text)


def test_results_are_stored_the_same_way_each_time_one_slot_per_device(tmp_path: Path) -> None:
    outputs = (stream("é\nb\n"),)
    run = Run("k", (CellResult("h", 0.5, outputs),), Produced({"torch": "2", "numpy": "1"}, "CPU", "2026-01-02", 3.0))
    path = store_run(tmp_path, "ch/page", "jax", run)
    first = path.read_bytes()
    assert path == tmp_path / "outputs/ch/page/jax.cpu.json" == run_path(tmp_path, "ch/page", "jax")
    assert load_run(tmp_path, "ch/page", "jax") == run
    path.unlink()
    store_run(tmp_path, "ch/page", "jax", run)
    assert path.read_bytes() == first
    assert "é" in first.decode() and len(first.splitlines()) > 20
    store_run(tmp_path, "ch/page", "jax", run, "cuda")
    store_run(tmp_path, "ch/page", "jaxx", run, "tpu")
    assert run_path(tmp_path, "ch/page", "jax", "cuda").exists()
    assert load_run(tmp_path, "ch/page", "mxnet") is None


REPLACE = """
from pathlib import Path
from d2lbook.execute.frozen import Produced, Run, store_run
store_run(Path("."), "page", "jax", Run("new", (), Produced({}, "CPU", "2026-01-03", 1.0)))
"""


def test_a_run_killed_at_any_write_leaves_the_last_good_result(tmp_path: Path) -> None:
    def key_after(nth: int) -> tuple[int, str]:
        store_run(tmp_path, "page", "jax", Run("old", (), Produced({}, "CPU", "2026-01-02", 1.0)))
        status = run_until(REPLACE, tmp_path, nth).status
        found = load_run(tmp_path, "page", "jax")
        assert found is not None
        return status, found.key

    assert key_after(0) == (0, "new")
    store_run(tmp_path, "page", "jax", Run("old", (), Produced({}, "CPU", "2026-01-02", 1.0)))
    writes = run_until(REPLACE, tmp_path, 0).writes
    assert writes >= 2
    assert [key_after(nth) for nth in range(1, writes + 1)] == [(KILLED, "old")] * writes
