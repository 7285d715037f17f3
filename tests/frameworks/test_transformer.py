"""`TransformerBlock` in the four libraries against the same block in NumPy, with the same weights."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from programs import Ask

B, S, H, HEADS = 2, 5, 8, 2
LINEAR = {"qkv": (H, 3 * H), "out": (H, H), "up": (H, 4 * H), "down": (4 * H, H)}
RANDOM = np.random.default_rng(0)
WEIGHTS = {name: (RANDOM.normal(size=shape), RANDOM.normal(size=shape[1])) for name, shape in LINEAR.items()}
NORMS = {name: (RANDOM.normal(size=H), RANDOM.normal(size=H)) for name in ("norm1", "norm2")}
X = RANDOM.normal(size=(B, S, H))
SETUP = {
    "torch": """
import torch
block = d2l.TransformerBlock(8, 2)
with torch.no_grad():
    for name, (w, b) in linear.items():
        getattr(block, name).weight.copy_(torch.tensor(w).T)
        getattr(block, name).bias.copy_(torch.tensor(b))
    for name, (w, b) in norms.items():
        getattr(block, name).weight.copy_(torch.tensor(w))
        getattr(block, name).bias.copy_(torch.tensor(b))
count = sum(p.numel() for p in block.parameters())
""",
    "mxnet": """
from mxnet import np, npx
npx.set_np()
block = d2l.TransformerBlock(8, 2)
block.initialize()
for name, (w, b) in linear.items():
    getattr(block, name).weight.set_data(np.array(w).T)
    getattr(block, name).bias.set_data(np.array(b))
for name, (w, b) in norms.items():
    getattr(block, name).gamma.set_data(np.array(w))
    getattr(block, name).beta.set_data(np.array(b))
count = sum(p.data().size for p in block.collect_params().values())
""",
    "jax": """
import jax
from flax import nnx
from jax import numpy as jnp
block = d2l.TransformerBlock(8, 2, rngs=nnx.Rngs(0))
for name, (w, b) in linear.items():
    getattr(block, name).kernel[...] = jnp.array(w)
    getattr(block, name).bias[...] = jnp.array(b)
for name, (w, b) in norms.items():
    getattr(block, name).scale[...] = jnp.array(w)
    getattr(block, name).bias[...] = jnp.array(b)
count = sum(p.size for p in jax.tree.leaves(nnx.state(block, nnx.Param)))
""",
    "tensorflow": """
block = d2l.TransformerBlock(8, 2)
block(d2l.tensor(X))
for name, arrays in (linear | norms).items():
    getattr(block, name).set_weights([numpy.array(array) for array in arrays])
count = sum(int(d2l.size(p)) for p in block.trainable_weights)
""",
}
PROGRAM = """
import json
import numpy
from d2l import {framework} as d2l
linear, norms, X = json.loads('''{weights}''')
X = numpy.array(X, dtype='float32')
{setup}
print(json.dumps({{"count": int(count), "Y": d2l.as_array(block(d2l.tensor(X))).tolist()}}))
"""


def expected() -> Any:
    def norm(Z: Any, name: str) -> Any:
        scale, shift = NORMS[name]
        return (Z - Z.mean(-1, keepdims=True)) / np.sqrt(Z.var(-1, keepdims=True) + 1e-5) * scale + shift

    def layer(Z: Any, name: str) -> Any:
        weight, bias = WEIGHTS[name]
        return Z @ weight + bias

    Q, K, V = np.split(layer(norm(X, "norm1"), "qkv"), 3, axis=-1)
    read = np.zeros_like(Q)
    for b in range(B):
        for i in range(S):
            for part in np.split(np.arange(H), HEADS):
                scores = np.exp(K[b, : i + 1, part].T @ Q[b, i, part] / math.sqrt(H / HEADS))
                read[b, i, part] = scores / scores.sum() @ V[b, : i + 1, part].T
    Y = X + layer(read, "out")
    up = layer(norm(Y, "norm2"), "up")
    gelu = up * (1 + np.vectorize(math.erf)(up / math.sqrt(2))) / 2
    return Y + layer(gelu, "down")


@pytest.mark.parametrize("framework", list(SETUP))
def test_a_block_is_the_one_of_the_figure(ask: Ask, framework: str) -> None:
    plain = [{name: [a.tolist() for a in pair] for name, pair in part.items()} for part in (WEIGHTS, NORMS)]
    weights = json.dumps([*plain, X.tolist()])

    found = ask(framework, PROGRAM.format(framework=framework, weights=weights, setup=SETUP[framework]))

    assert found["count"] == 12 * H**2 + 13 * H
    np.testing.assert_allclose(found["Y"], expected(), rtol=1e-4, atol=1e-4)
