"""`accuracy`, `Accumulator` and `evaluate_accuracy_gpu` in the four libraries, on cases worked out by hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

SCORES = np.eye(3, dtype=np.float32)[[0, 1, 2, 0, 1]]  # (5, 3): the predicted classes are 0, 1, 2, 0, 1
LABELS = np.array([0, 1, 0, 0, 2])  # right in places 0, 1 and 3


@pytest.fixture(params=["torch", "mxnet", "jax", "tensorflow"])
def d2l(request: pytest.FixtureRequest) -> ModuleType:
    library = importlib.import_module(f"d2l.{request.param}")
    if request.param == "mxnet":
        from mxnet import npx

        npx.set_np()
    return library


def arrays(d2l: ModuleType, X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    if d2l.__name__ == "d2l.mxnet":
        from mxnet import np as mxnet_np

        return mxnet_np.array(X), mxnet_np.array(y, dtype="int32")
    return d2l.tensor(X), d2l.tensor(y)


def same(x: Any) -> Any:
    return x


def module(d2l: ModuleType, scale: float = 1.0) -> Any:
    """A module in training mode with one layer, which multiplies the (N, 3) scores by `scale`, then drops half."""
    if d2l.__name__ == "d2l.torch":
        import torch
        from torch import nn

        net = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Dropout(0.9))
        net[0].weight.data = scale * torch.eye(3)
        return net
    if d2l.__name__ == "d2l.mxnet":
        from mxnet import init
        from mxnet import np as mxnet_np
        from mxnet.gluon import nn as gluon_nn

        block = gluon_nn.Sequential()
        block.add(gluon_nn.Dense(3, in_units=3, use_bias=False), gluon_nn.Dropout(0.9))
        block.initialize(init.Zero())
        block[0].weight.set_data(scale * mxnet_np.eye(3))
        return block
    if d2l.__name__ == "d2l.jax":
        import jax.numpy as jnp
        from flax import nnx

        rngs = nnx.Rngs(0)
        net = nnx.Sequential(nnx.Linear(3, 3, use_bias=False, rngs=rngs), nnx.Dropout(0.9, rngs=rngs))
        net.layers[0].kernel[...] = scale * jnp.eye(3)
        return net
    import keras

    layers = [keras.Input((3,)), keras.layers.Dense(3, use_bias=False), keras.layers.Dropout(0.9)]
    model = keras.Sequential(layers)
    model.set_weights([scale * np.eye(3)])
    return model


def test_accuracy_counts_right_answers_of_scores_and_of_classes(d2l: ModuleType) -> None:
    assert float(d2l.accuracy(*arrays(d2l, SCORES, LABELS))) == 3
    _, classes = arrays(d2l, SCORES, SCORES.argmax(axis=1))
    _, labels = arrays(d2l, SCORES, LABELS)
    assert float(d2l.accuracy(classes, labels)) == 3


@pytest.mark.parametrize(
    ("network", "expected"), [(lambda d2l: same, 0.6), (module, 0.6), (lambda d2l: module(d2l, -1.0), 0.2)]
)
def test_accuracy_over_uneven_batches_equals_that_of_the_whole(
    d2l: ModuleType, network: Callable[[ModuleType], Any], expected: float
) -> None:
    """With the scores negated the first of the two smallest scores wins: 1, 0, 0, 1, 0, right in place 2 only."""
    net = network(d2l)
    uneven = [arrays(d2l, SCORES[:4], LABELS[:4]), arrays(d2l, SCORES[4:], LABELS[4:])]
    whole = [arrays(d2l, SCORES, LABELS)]
    assert d2l.evaluate_accuracy_gpu(net, uneven) == d2l.evaluate_accuracy_gpu(net, whole) == expected


def test_accuracy_can_be_evaluated_on_a_named_device(d2l: ModuleType) -> None:
    batches = [arrays(d2l, SCORES, LABELS)]
    assert d2l.evaluate_accuracy_gpu(module(d2l), batches, d2l.cpu()) == 0.6
    assert d2l.evaluate_accuracy_gpu(same, batches, device=d2l.cpu()) == 0.6


def test_batches_go_to_the_device_of_the_parameters() -> None:
    from d2l import mxnet as d2l  # isort: skip
    from mxnet import npx

    npx.set_np()
    net = module(d2l)
    net.collect_params().reset_ctx(npx.cpu(1))
    seen = []
    net.register_forward_pre_hook(lambda block, inputs: seen.append(inputs[0].ctx))
    d2l.evaluate_accuracy_gpu(net, [arrays(d2l, SCORES, LABELS)])
    assert seen == [npx.cpu(1)]


def test_evaluation_leaves_a_network_in_training_mode() -> None:
    from d2l import torch as d2l

    net = module(d2l)
    d2l.evaluate_accuracy_gpu(net, [arrays(d2l, SCORES, LABELS)])
    assert net.training
    net.eval()
    d2l.evaluate_accuracy_gpu(net, [arrays(d2l, SCORES, LABELS)])
    assert not net.training


def test_evaluation_leaves_an_nnx_module_in_training_mode() -> None:
    from d2l import jax as d2l

    net = module(d2l)
    d2l.evaluate_accuracy_gpu(net, [arrays(d2l, SCORES, LABELS)])
    assert not net.layers[1].deterministic


def test_an_accumulator_sums_numbers_and_arrays(d2l: ModuleType) -> None:
    sums = d2l.Accumulator(2)
    one, _ = arrays(d2l, np.ones((), np.float32), LABELS)
    for _ in range(3):
        sums.add(one, 2)
    assert (sums[0], sums[1], sums[-1]) == (3.0, 6.0, 6.0)
    sums.add(one, 0.5)
    assert (sums[0], sums[1]) == (4.0, 6.5)
    sums.reset()
    assert (sums[0], sums[1]) == (0.0, 0.0)


def test_an_accumulator_wants_one_number_for_each_sum(d2l: ModuleType) -> None:
    with pytest.raises(ValueError, match="1 numbers for 2 sums"):
        d2l.Accumulator(2).add(1)


def test_an_accumulator_keeps_no_graph_of_a_loss() -> None:
    import torch

    from d2l import torch as d2l

    sums = d2l.Accumulator(1)
    sums.add((torch.ones(1, requires_grad=True) * 2).sum())
    assert not sums.unread[0][0].requires_grad
    assert sums[0] == 2.0
