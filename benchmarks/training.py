"""Seconds of `Trainer.fit` beside a loop by hand that does the same with the same model: steps, losses, validation.

Both keep the loss of every step. No figure is drawn: it would be most of the time of so small a network.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.table import Row

ROOT = Path(__file__).resolve().parent.parent

COMMON = """
import statistics, time
import numpy
rng = numpy.random.default_rng(0)
images = rng.random((256, *SHAPE), dtype="float32")
labels = rng.integers(0, 10, 256)
class Data(d2l.DataModule):
    def train_dataloader(self): return [as_batch(images, labels)] * 24
    def val_dataloader(self): return [as_batch(images, labels)] * 4
data = Data()
def by_trainer(model):
    d2l.Trainer(max_epochs=1).fit(model, data)
def seconds(way, model):
    start = time.perf_counter()
    way(model)
    return time.perf_counter() - start
def compare(model):
    model.board.display = False
    seconds(by_trainer, model), seconds(by_hand, model)  # compile, warm up
    pairs = [(seconds(by_trainer, model), seconds(by_hand, model)) for _ in range(7)]
    print("seconds", *(statistics.median(column) for column in zip(*pairs)))
"""
PROGRAMS = {
    "torch": """
import torch
from torch import nn
from d2l import torch as d2l
SHAPE = (1, 28, 28)
def as_batch(X, y): return torch.from_numpy(X), torch.from_numpy(y)
class Net(d2l.Classifier):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5),
            nn.Sigmoid(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.Sigmoid(), nn.Linear(120, 10))
{common}
def by_hand(model):
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []
    model.train()
    for X, y in data.train_dataloader():
        loss = model.loss(model(X), y)
        losses.append(float(loss))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for X, y in data.val_dataloader():
            losses.append(float(model.loss(model(X), y)))
compare(Net())
""",
    "mxnet": """
from d2l import mxnet as d2l
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn
npx.set_np()
SHAPE = (1, 28, 28)
def as_batch(X, y): return np.array(X), np.array(y)
class Net(d2l.Classifier):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential()
        self.net.add(nn.Conv2D(6, 5, padding=2, activation="sigmoid"), nn.AvgPool2D(2, 2),
            nn.Conv2D(16, 5, activation="sigmoid"), nn.AvgPool2D(2, 2),
            nn.Dense(120, activation="sigmoid"), nn.Dense(10))
        self.net.initialize(init.Xavier())
{common}
def by_hand(model):
    optimizer, losses = gluon.Trainer(model.collect_params(), "sgd", {{"learning_rate": 0.1}}), []
    for X, y in data.train_dataloader():
        with autograd.record():
            loss = model.loss(model(X), y)
        losses.append(float(loss))
        loss.backward()
        optimizer.step(1)
    for X, y in data.val_dataloader():
        losses.append(float(model.loss(model(X), y)))
compare(Net())
""",
    "tensorflow": """
import keras
import tensorflow as tf
from d2l import tensorflow as d2l
SHAPE = (28, 28, 1)
def as_batch(X, y): return tf.constant(X), tf.constant(y)
class Net(d2l.Classifier):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        layers = keras.layers
        self.net = keras.Sequential([layers.Conv2D(6, 5, padding="same", activation="sigmoid"),
            layers.AveragePooling2D(2), layers.Conv2D(16, 5, activation="sigmoid"), layers.AveragePooling2D(2),
            layers.Flatten(), layers.Dense(120, activation="sigmoid"), layers.Dense(10)])
{common}
def by_hand(model):
    optimizer, losses = keras.optimizers.SGD(0.1), []
    for X, y in data.train_dataloader():
        with tf.GradientTape() as tape:
            loss = model.loss(model(X), y)
            losses.append(float(loss))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    for X, y in data.val_dataloader():
        losses.append(float(model.loss(model(X), y)))
compare(Net())
""",
    "jax": """
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from d2l import jax as d2l
SHAPE = (28, 28, 1)
def as_batch(X, y): return jnp.asarray(X), jnp.asarray(y)
class Net(d2l.Classifier):
    def __init__(self, lr=0.1):
        super().__init__()
        self.save_hyperparameters()
        rngs = nnx.Rngs(0)
        pool = lambda X: nnx.avg_pool(X, (2, 2), (2, 2))
        self.net = nnx.Sequential(nnx.Conv(1, 6, (5, 5), rngs=rngs), nnx.sigmoid, pool,
            nnx.Conv(6, 16, (5, 5), padding="VALID", rngs=rngs), nnx.sigmoid, pool,
            lambda X: X.reshape(len(X), -1), nnx.Linear(400, 120, rngs=rngs), nnx.sigmoid,
            nnx.Linear(120, 10, rngs=rngs))
{common}
@nnx.jit
def step(model, optimizer, X, y):
    loss, grads = nnx.value_and_grad(lambda model: model.loss(model(X), y))(model)
    optimizer.update(model, grads)
    return loss
def by_hand(model):
    optimizer, losses = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param), []
    model.train()
    for X, y in data.train_dataloader():
        losses.append(float(step(model, optimizer, X, y)))
    model.eval()
    for X, y in data.val_dataloader():
        losses.append(float(model.loss(model(X), y)))
compare(Net())
""",
}


def measure() -> list[Row]:
    rows = []
    for framework, program in PROGRAMS.items():
        ours, by_hand = _seconds(program.format(common=COMMON))
        rows.append(
            Row(
                f"Trainer.fit, an epoch of 24 minibatches, {framework}, to a loop by hand",
                f"{ours:.3f} s",
                f"{by_hand:.3f} s",
                by_hand / ours,
                "≥ 0.97 (+3 %)",
            )
        )
    return rows


def _seconds(program: str) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    ours, by_hand = done.stdout.rsplit("seconds", 1)[1].split()
    return float(ours), float(by_hand)
