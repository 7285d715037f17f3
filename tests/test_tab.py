"""The Jupyter extension `d2lbook.tab`, in IPython's own shell."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell

from d2lbook import tab


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A shell with the extension, on a machine that remembers no choice and has no widgets."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # type: ignore[arg-type]
    monkeypatch.setattr(tab, "_choice", tab._Choice())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    run(shell, "%load_ext d2lbook.tab")
    yield shell
    shell.history_manager.end_session() if shell.history_manager else None
    InteractiveShell.clear_instance()


def run(shell: InteractiveShell, cell: str) -> ExecutionResult:
    result = shell.run_cell(cell, store_history=True)
    assert result.success, result.error_in_exec or result.error_before_exec
    return result


def choose(shell: InteractiveShell, name: str = "") -> None:
    run(shell, "%load_ext d2lbook.tab\ntab.interact_select(['pytorch', 'mxnet', 'jax'])")
    if name:
        run(shell, f"tab.select('{name}')")


@pytest.mark.parametrize("mark", ["%%tab {}", "#@tab {}", "# @tab {}", "%%tab  {}  ", "\n#@TAB {}"])
def test_a_marked_cell_runs_for_its_frameworks_only(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    choose(shell, "jax")
    capsys.readouterr()
    cell = mark.format("mxnet, JAX") + "\nran = 1\nran + 1"
    assert run(shell, cell).result == 2
    assert "Skipped" not in capsys.readouterr().out
    run(shell, mark.format("mxnet") + "\nran = 5\nraise ValueError")
    assert capsys.readouterr().out == "Skipped: a cell of mxnet, not of jax.\n"
    assert shell.user_ns["ran"] == 1
    assert run(shell, mark.format("all") + "\nran + 7").result == 8


def test_a_cell_without_a_mark_is_of_the_first_framework(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(shell)
    assert run(shell, "first = 1\nfirst").result == 1
    choose(shell, "mxnet")
    capsys.readouterr()
    run(shell, "first = 2")
    assert capsys.readouterr().out == "Skipped: a cell of pytorch, not of mxnet.\n"
    assert shell.user_ns["first"] == 1
    assert run(shell, "tab.select('pytorch')\n7").result == 7  # a cell that chooses is never skipped


def test_magics_and_the_last_value_work_in_a_marked_cell(shell: InteractiveShell) -> None:
    choose(shell)
    assert run(shell, "%%tab pytorch\nwhere = %pwd\nwhere").result == str(Path.cwd())
    run(shell, "#@tab jax\n%%no_such_magic\nnothing")
    number = shell.execution_count
    run(shell, "%%tab pytorch\n1")
    assert shell.execution_count == number + 1


def test_an_error_in_a_cell_that_runs_is_the_cells_own(shell: InteractiveShell) -> None:
    choose(shell)
    result = shell.run_cell("%%tab pytorch\nnone[0]")
    assert isinstance(result.error_in_exec, NameError)


def test_selected_follows_the_choice(shell: InteractiveShell) -> None:
    choose(shell, "jax")
    cell = "%%tab all\n'one' if tab.selected('pytorch', 'jax') else 'other'"
    assert run(shell, cell).result == "one"
    run(shell, "tab.select('mxnet')")
    assert run(shell, cell).result == "other"
    assert tab.selected(["mxnet"])


def test_before_a_choice_marked_cells_wait_and_others_run(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(shell, "1 + 1").result == 2
    capsys.readouterr()
    run(shell, "#@tab jax\nraise ValueError")
    assert "choose a framework first, as with tab.select('jax')" in capsys.readouterr().out


def test_the_choice_is_remembered_from_notebook_to_notebook(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(shell, "jax")
    monkeypatch.setattr(tab, "_choice", tab._Choice())
    capsys.readouterr()
    choose(shell)
    assert "Cells of jax run. For another framework: tab.select('pytorch') or" in capsys.readouterr().out
    run(shell, "tab.interact_select('pytorch', 'mxnet')")  # a page without the remembered one
    assert tab.selected("pytorch")


def test_a_framework_that_is_not_offered_is_an_error_that_lists_them(shell: InteractiveShell) -> None:
    choose(shell, "jax")
    with pytest.raises(ValueError, match="'torch' is not among the frameworks of this page: pytorch, mxnet, jax"):
        tab.select("torch")
    assert tab.selected("jax")
    with pytest.raises(ValueError, match="interact_select needs the names"):
        tab.interact_select()


def test_where_there_are_widgets_a_click_chooses(shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class ToggleButtons:
        def __init__(self, options: list[str], value: str, description: str) -> None:
            self.options, self.value, self.clicked = options, value, None
            made.append(self)

        def observe(self, function: object, names: str) -> None:
            self.clicked = function

    widgets = types.ModuleType("ipywidgets")
    widgets.ToggleButtons = ToggleButtons  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ipywidgets", widgets)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    choose(shell)
    (buttons,) = made
    assert (buttons.options, buttons.value) == (["pytorch", "mxnet", "jax"], "pytorch")
    buttons.clicked({"new": "mxnet"})
    assert tab.selected("mxnet")


def test_unloaded_every_cell_runs(shell: InteractiveShell) -> None:
    choose(shell, "jax")
    run(shell, "%reload_ext d2lbook.tab")
    assert shell.input_transformers_cleanup.count(tab._only_chosen) <= 1
    run(shell, "%unload_ext d2lbook.tab")
    assert run(shell, "#@tab mxnet\n3").result == 3


def test_a_note_is_quiet_in_jupyter_and_plain_elsewhere() -> None:
    note = tab.Note("Skipped: a < b")
    assert repr(note) == "Skipped: a < b"
    assert "opacity" in note._repr_html_() and "a &lt; b" in note._repr_html_()
