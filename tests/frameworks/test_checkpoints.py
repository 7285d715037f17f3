"""`save_checkpoint` and `load_checkpoint` in the four libraries: every bit, and what is refused."""

from __future__ import annotations

import os
import pickle
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

FRAMEWORKS = ["torch", "mxnet", "jax", "tensorflow"]


@pytest.fixture(params=FRAMEWORKS)
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "mxnet":
        import_module("d2l.mxnet").npx.set_np()  # without it an array cannot be empty
    return import_module(f"d2l.{request.param}")


def array(d2l: ModuleType, values: Any) -> Any:
    """A float32 array of the library on its CPU."""
    x = d2l.tensor(np.asarray(values, "float32"))
    return x.astype("float32") if d2l.__name__.endswith("mxnet") else x


def model(d2l: ModuleType, shift: float = 0.0) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "weights": {"W": array(d2l, rng.normal(size=(3, 4)) + shift), "b": array(d2l, [0.1, 1e-30, np.inf])},
        "velocity": [array(d2l, [shift]), array(d2l, np.zeros((0, 2)))],
        "seed": np.array(5),
    }


def test_a_checkpoint_returns_every_bit(d2l: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    saved = model(d2l)
    d2l.save_checkpoint(path, 17, saved)
    like = model(d2l, shift=1.0)
    step, loaded = d2l.load_checkpoint(str(path), like)
    assert step == 17
    assert list(loaded) == ["weights", "velocity", "seed"]
    for name in ("W", "b"):
        there, here = loaded["weights"][name], saved["weights"][name]
        assert type(there) is type(here)
        assert d2l.as_array(there).tobytes() == d2l.as_array(here).tobytes()
    assert [d2l.as_array(x).shape for x in loaded["velocity"]] == [(1,), (0, 2)]
    assert loaded["seed"] == 5
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]
    with np.load(path) as file:  # NumPy alone can read it
        assert file["step"] == 17
        assert file["params/weights/W"].shape == (3, 4)


def test_every_cut_and_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    d2l = import_module("d2l.jax")
    path = tmp_path / "model.npz"
    d2l.save_checkpoint(path, 3, {"w": np.arange(3.0)})
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="cut off, damaged or no checkpoint"):
            d2l.load_checkpoint(path, {"w": np.zeros(3)})
    for position in range(0, len(data), 7):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        with pytest.raises(ValueError, match="cut off, damaged or no checkpoint"):
            d2l.load_checkpoint(path, {"w": np.zeros(3)})


def test_a_checkpoint_of_another_model_is_refused(d2l: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    d2l.save_checkpoint(path, 3, {"W": array(d2l, np.zeros((3, 4))), "b": array(d2l, [0])})
    for like, message in [
        ({"W": array(d2l, np.zeros((3, 4)))}, "of another model: b is not expected"),
        ({"W": array(d2l, np.zeros((3, 4))), "b": array(d2l, [0]), "c": array(d2l, [0])}, "c is missing"),
        ({"W": array(d2l, np.zeros((4, 3))), "b": array(d2l, [0])}, r"W has shape \(3, 4\) .* expected are \(4, 3\)"),
        ({"W": np.zeros((3, 4)), "b": array(d2l, [0])}, "type float32, expected .* float64"),
        ([array(d2l, [0])] * 9, "0 is missing; 1 is missing; 2 is missing and 8 more"),
    ]:
        with pytest.raises(ValueError, match=message):
            d2l.load_checkpoint(path, like)


class Bomb:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("exploded",)


def test_no_code_in_a_file_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of a pickle, nor of one in an otherwise valid file with a valid checksum."""
    import hashlib
    import io

    d2l = import_module("d2l.jax")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "model.npz"
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match="no checkpoint"):
        d2l.load_checkpoint(path, {"w": np.zeros(3)})
    buffer = io.BytesIO()
    np.savez(buffer, step=1, **{"params/w": np.array([Bomb()], dtype=object)})
    path.write_bytes(buffer.getvalue() + hashlib.sha256(buffer.getvalue()).digest())
    with pytest.raises(ValueError, match="allow_pickle"):
        d2l.load_checkpoint(path, {"w": np.zeros(3)})
    assert not (tmp_path / "exploded").exists()


def test_a_failed_write_leaves_the_last_good_file(
    d2l: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    d2l.save_checkpoint(path, 1, {"w": np.zeros(3)})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        d2l.save_checkpoint(path, 2, {"w": np.ones(3)})
    step, _ = d2l.load_checkpoint(path, {"w": np.zeros(3)})
    assert step == 1
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def test_what_cannot_be_saved(d2l: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with pytest.raises(ValueError, match="step -1"):
        d2l.save_checkpoint(path, -1, {})
    with pytest.raises(ValueError, match="two arrays have the path a/b"):
        d2l.save_checkpoint(path, 0, {"a/b": np.zeros(1), "a": {"b": np.zeros(1)}})
    with pytest.raises(ValueError, match=r"text/0 cannot be stored: .*<U3"):
        d2l.save_checkpoint(path, 0, {"text": ["abc"]})
    with pytest.raises(ValueError, match=r"w cannot be stored: .*object"):
        d2l.save_checkpoint(path, 0, {"w": None})
    with pytest.raises(FileNotFoundError):
        d2l.save_checkpoint(tmp_path / "nowhere" / "model.npz", 0, {})
    with pytest.raises(FileNotFoundError):
        d2l.load_checkpoint(path, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_type_that_numpy_lacks(framework: str, tmp_path: Path) -> None:
    d2l = import_module(f"d2l.{framework}")
    x = d2l.ones(2)
    x = x.bfloat16() if framework == "torch" else x.astype("bfloat16")
    with pytest.raises(ValueError, match=r"w cannot be stored: .*[bB][fF]loat16"):
        d2l.save_checkpoint(tmp_path / "model.npz", 0, {"w": x})
