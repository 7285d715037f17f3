"""`evaluate_accuracy_gpus` on two simulated devices: counts are summed, whatever the sizes of batches and shards."""

from __future__ import annotations

from typing import Any

import pytest
from programs import Ask

SETUP = {
    "torch": """
import copy
import torch
net = d2l.resnet18(10)
copies = [copy.deepcopy(net).to(device) for device in devices]
images = torch.rand(6, 1, 28, 28)
classes = net.eval()(images).argmax(axis=1)
net.train()
def labels(numbers):
    return torch.tensor(numbers)
""",
    "mxnet": """
from mxnet import np, npx
npx.set_np()
net = copies = d2l.resnet18(10)
net.initialize(ctx=devices)
images = np.random.uniform(size=(6, 1, 28, 28))
classes = net(images.as_in_ctx(devices[0])).argmax(axis=1)
def labels(numbers):
    return np.array(numbers, dtype="int32")
""",
    "jax": """
import jax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec
net = d2l.resnet18(10, rngs=nnx.Rngs(0))
images = jax.random.uniform(jax.random.key(0), (6, 28, 28, 1))
copies = nnx.clone(net)
everywhere = NamedSharding(Mesh(devices, ("data",)), PartitionSpec())
nnx.update(copies, jax.device_put(nnx.state(copies), everywhere))
net.eval()
classes = nnx.jit(net)(images).argmax(axis=1)
net.train()
def labels(numbers):
    return d2l.tensor(numbers)
""",
    "tensorflow": """
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy(devices)
with strategy.scope():
    copies = d2l.resnet18(10)
    copies.build((None, 28, 28, 1))
net = d2l.resnet18(10)
net.build((None, 28, 28, 1))
net.set_weights(copies.get_weights())
images = tf.random.uniform((6, 28, 28, 1))
classes = tf.argmax(net(images, training=False), axis=1)
def labels(numbers):
    return tf.constant(numbers, dtype=tf.int32)
""",
}
PROGRAM = """
import json
from d2l import {framework} as d2l
devices = d2l.devices(2)
{setup}
right = [int(c) for c in d2l.as_array(classes)]
y = labels([*right[:4], *((c + 1) % 10 for c in right[4:])])  # wrong in places 4 and 5
batches = [(images[:5], y[:5]), (images[5:], y[5:])]  # split as 3 + 2; then fewer images than devices
sizes = []

def split(X, y, devices):
    sizes.append([len(X), len(devices)])
    return d2l.split_batch(X, y, devices)

print(json.dumps({{
    "two": d2l.evaluate_accuracy_gpus(copies, batches),
    "one": d2l.evaluate_accuracy_gpu(net, batches),
    "single": d2l.evaluate_accuracy_gpus(net, batches),
    "own split": d2l.evaluate_accuracy_gpus(copies, batches, split),
    "sizes": sizes,
    "training": [n.training for n in copies] if isinstance(copies, list) else [],
}}))
"""


@pytest.fixture(scope="module", params=["torch", "mxnet", "jax", "tensorflow"])
def results(request: pytest.FixtureRequest, ask: Ask) -> dict[str, Any]:
    return ask(request.param, PROGRAM.format(framework=request.param, setup=SETUP[request.param]))


def test_counts_are_summed_over_uneven_shards(results: dict[str, Any]) -> None:
    assert results["two"] == pytest.approx(4 / 6)  # the mean over the shards would be (1 + 0.5 + 0) / 3


def test_two_devices_agree_with_one(results: dict[str, Any]) -> None:
    assert results["two"] == results["one"] == results["single"]


def test_a_function_of_the_caller_splits_the_batches(results: dict[str, Any]) -> None:
    assert results["own split"] == results["two"]
    assert results["sizes"] == [[5, 2], [1, 1]]


def test_networks_are_left_in_training_mode(results: dict[str, Any]) -> None:
    assert all(results["training"])
