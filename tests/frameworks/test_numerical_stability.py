"""`max_rel_err` in the four libraries: one number for a disagreement, on cases worked out by hand."""

from __future__ import annotations

import importlib
import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest


@pytest.fixture(params=["torch", "mxnet", "jax", "tensorflow"])
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    library = importlib.import_module(f"d2l.{request.param}")
    if request.param == "mxnet":
        from mxnet import npx

        npx.set_np()
    return library


def test_the_error_is_relative_to_the_largest_entry(d2l: ModuleType) -> None:
    assert d2l.max_rel_err(d2l.tensor([0.0, 3.5]), d2l.tensor([1.0, -4.0])) == 7.5 / 4


def test_equal_arrays_differ_by_nothing(d2l: ModuleType) -> None:
    assert d2l.max_rel_err(d2l.tensor([1.0, 2.0]), d2l.tensor([1.0, 2.0])) == 0
    assert d2l.max_rel_err([d2l.zeros(3)], [d2l.zeros(3)]) == 0


def test_each_array_of_a_list_has_its_own_scale(d2l: ModuleType) -> None:
    large, small = d2l.tensor([1000.0, 0.0]), d2l.tensor([0.5])
    assert d2l.max_rel_err([large, d2l.tensor([0.25])], [large, small]) == 0.5


def test_nested_structures_are_compared_leaf_by_leaf(d2l: ModuleType) -> None:
    def tree(last: float) -> dict[str, Any]:
        return {"layers": [{"w": d2l.ones((2, 2)), "b": d2l.tensor([last])}, (d2l.zeros(1), 2.0)]}

    assert d2l.max_rel_err(tree(4.0), tree(4.0)) == 0
    assert d2l.max_rel_err(tree(3.0), tree(4.0)) == 0.25


def test_what_the_framework_computed_may_be_compared_with_numpy(d2l: ModuleType) -> None:
    assert d2l.max_rel_err(d2l.tensor([1.0, 3.0]), np.array([1.0, 4.0])) == 0.25
    assert d2l.max_rel_err(np.array([4.0, 1.0])[::-1], d2l.tensor([1.0, 4.0])) == 0


def test_integers_are_compared_as_numbers(d2l: ModuleType) -> None:
    unsigned = np.array([0, 4], dtype="uint8")
    assert d2l.max_rel_err(unsigned, np.array([1, 4], dtype="uint8")) == 0.25  # not 255 / 4


def test_a_difference_to_zero_is_infinite(d2l: ModuleType) -> None:
    assert d2l.max_rel_err(d2l.tensor([0.0, 1e-9]), d2l.zeros(2)) == math.inf


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_nan_is_never_hidden(d2l: ModuleType, bad: float) -> None:
    good = [d2l.ones(2), d2l.ones(2), d2l.ones(2)]
    for place in range(3):
        spoiled = [*good[:place], d2l.tensor([1.0, bad]), *good[place + 1 :]]
        for error in (d2l.max_rel_err(spoiled, good), d2l.max_rel_err(good, spoiled)):
            assert not error <= 1e300


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones(3), np.ones((3, 1)), r"the arrays have the shapes \(3,\) and \(3, 1\): they must be equal"),
        ([np.ones(2), np.ones(3)], [np.ones(2), np.ones(1)], r"the arrays at \[1\] have the shapes"),
        ([np.ones(2)], [np.ones(2), np.ones(2)], r"only one of the two has \[1\]"),
        ({"w": np.ones(2)}, {"b": np.ones(2)}, r"only one of the two has \['b'\], \['w'\]"),
        ([np.ones(2)], np.ones((1, 2)), r"only one of the two has a single array, \[0\]"),
        ([np.ones(2), None], [np.ones(2), None], r"None at \[1\] is no array"),
        ([], [], "no number to compare"),
        (np.ones((0, 3)), np.ones((0, 3)), "no number to compare"),
    ],
)
def test_what_cannot_be_compared_is_said(d2l: ModuleType, a: Any, b: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        d2l.max_rel_err(a, b)


def test_bfloat16_of_torch_is_compared() -> None:
    torch = importlib.import_module("torch")
    library = importlib.import_module("d2l.torch")
    x = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    assert library.max_rel_err(x, torch.tensor([1.0, 4.0])) == 0.5


def test_bfloat16_of_jax_is_compared() -> None:
    jnp = importlib.import_module("jax.numpy")
    library = importlib.import_module("d2l.jax")
    assert library.max_rel_err(jnp.array([1.0, 2.0], dtype=jnp.bfloat16), jnp.array([1.0, 4.0])) == 0.5


def test_bfloat16_and_variables_of_tensorflow_are_compared() -> None:
    tf = importlib.import_module("tensorflow")
    library = importlib.import_module("d2l.tensorflow")
    x = tf.Variable(tf.constant([1.0, 2.0], dtype=tf.bfloat16))
    assert library.max_rel_err(x, tf.constant([1.0, 4.0])) == 0.5
