"""`Residual` and `resnet18` in the four libraries: shapes, parameters, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

SETUP = {
    "torch": """
X, layout = d2l.ones(2, 64, 7, 7), "NCHW"
def residual(*args, **kwargs):
    return d2l.Residual(*args, **kwargs)
net = d2l.resnet18(10, 3)
trained = sum(p.numel() for p in d2l.resnet18(10).parameters())
logits = net(d2l.ones(2, 3, 28, 28))
""",
    "mxnet": """
from mxnet import npx
npx.set_np()
X, layout = d2l.ones((2, 64, 7, 7)), "NCHW"
def residual(*args, **kwargs):
    block = d2l.Residual(*args, **kwargs)
    block.initialize()
    return block
net = d2l.resnet18(10)
net.initialize()
net(d2l.ones((2, 1, 28, 28)))
trained = sum(p.data().size for p in net.collect_params().values() if p.grad_req != "null")
logits = net(d2l.ones((2, 1, 28, 28)))
""",
    "jax": """
import jax
from flax import nnx
X, layout = d2l.ones((2, 7, 7, 64)), "NHWC"
def residual(*args, **kwargs):
    return d2l.Residual(64, *args, **kwargs, rngs=nnx.Rngs(0))
trained = sum(p.size for p in jax.tree.leaves(nnx.state(d2l.resnet18(10, rngs=nnx.Rngs(0)), nnx.Param)))
logits = d2l.resnet18(10, 3, rngs=nnx.Rngs(0))(d2l.ones((2, 28, 28, 3)))
""",
    "tensorflow": """
X, layout = d2l.ones((2, 7, 7, 64)), "NHWC"
def residual(*args, **kwargs):
    return d2l.Residual(*args, **kwargs)
net = d2l.resnet18(10)
logits = net(d2l.ones((2, 28, 28, 1)))
trained = sum(int(d2l.size(p)) for p in net.trainable_weights)
""",
}
PROGRAM = """
import json
from d2l import {framework} as d2l
{setup}
def shape(x):
    n, *rest = x.shape
    return [n, *(rest if layout == "NCHW" else [rest[-1], *rest[:-1]])]

try:
    residual(64, strides=2)
    error = None
except ValueError as problem:
    error = str(problem)
print(json.dumps({{
    "same": shape(residual(64)(X)),
    "wider": shape(residual(128, use_1x1conv=True)(X)),
    "halved": shape(residual(128, True, 2)(X)),
    "smallest": float(d2l.as_array(residual(64)(X)).min()),
    "error": error,
    "trained": int(trained),
    "logits": list(logits.shape),
}}))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return ask(request.param, PROGRAM.format(framework=request.param, setup=SETUP[request.param]))


def test_a_plain_block_keeps_the_shape(results: dict[str, Any]) -> None:
    assert results["same"] == [2, 64, 7, 7]


def test_a_convolution_on_the_side_path_allows_other_channels(results: dict[str, Any]) -> None:
    assert results["wider"] == [2, 128, 7, 7]


def test_a_stride_halves_the_resolution_rounding_up(results: dict[str, Any]) -> None:
    assert results["halved"] == [2, 128, 4, 4]


def test_a_block_ends_with_a_relu(results: dict[str, Any]) -> None:
    assert results["smallest"] >= 0


def test_a_stride_without_a_convolution_on_the_side_path_is_refused(results: dict[str, Any]) -> None:
    assert results["error"] == "a block with strides=2 needs use_1x1conv=True"


def test_resnet18_has_the_trainable_parameters_of_the_book(results: dict[str, Any]) -> None:
    assert results["trained"] == 11_175_818


def test_resnet18_gives_ten_logits_an_image(results: dict[str, Any]) -> None:
    assert results["logits"] == [2, 10]
