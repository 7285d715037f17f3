"""Images per second of `load_data_fashion_mnist` beside a pipeline that transforms one sample at a time.

The peer is each framework's own loader over the same decoded arrays: it makes a float image in [0, 1] of every sample
and collates batches of 256. For JAX that is Grain, the loader of the JAX project.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.table import Row

ROOT = Path(__file__).resolve().parent.parent
BATCH = 256

COMMON = """
import statistics, time
def rate(batches, count):
    start = time.perf_counter()
    seen = 0
    for X, y in batches:
        seen += X.shape[0]
    finish(X)
    assert seen == count, seen
    return seen / (time.perf_counter() - start)
def compare(ours, theirs, count):
    rate(ours, count)  # decode once, warm up
    pairs = [(rate(ours, count), rate(theirs, count)) for _ in range(3)]
    print("rates", *(statistics.median(column) for column in zip(*pairs)))
def arrays():
    import numpy as np
    X = np.concatenate([d2l.numpy(X) for X, y in test_batches])
    y = np.concatenate([d2l.numpy(y) for X, y in test_batches])
    return (X * 255).astype("uint8"), y
"""
PROGRAMS = {
    "torch": """
import torch
from d2l import torch as d2l
finish = lambda X: None
class Samples(torch.utils.data.Dataset):
    def __init__(self, X, y): self.X, self.y = X, y
    def __len__(self): return len(self.X)
    def __getitem__(self, i): return torch.from_numpy(self.X[i]).to(torch.float32) / 255, int(self.y[i])
train, test_batches = d2l.load_data_fashion_mnist({batch})
compare(test_batches, torch.utils.data.DataLoader(Samples(*arrays()), {batch}), 10000)
""",
    "mxnet": """
from d2l import mxnet as d2l
from mxnet import np as mnp, npx, gluon
npx.set_np()
finish = lambda X: npx.waitall()
train, test_batches = d2l.load_data_fashion_mnist({batch})
X, y = (array for array in arrays())
samples = gluon.data.ArrayDataset(X, y.astype("int32"))
to_float = lambda image: mnp.array(image).astype("float32") / 255
compare(test_batches, gluon.data.DataLoader(samples.transform_first(to_float), {batch}), 10000)
""",
    "tensorflow": """
import tensorflow as tf
from d2l import tensorflow as d2l
finish = lambda X: X.numpy()
train, test_batches = d2l.load_data_fashion_mnist({batch})
samples = tf.data.Dataset.from_tensor_slices(arrays())
compare(test_batches, samples.map(lambda X, y: (tf.cast(X, tf.float32) / 255, y)).batch({batch}), 10000)
""",
    "jax": """
import grain, jax
import jax.numpy as jnp
from d2l import jax as d2l
finish = lambda X: X.block_until_ready()
train, test_batches = d2l.load_data_fashion_mnist({batch})
class Samples:
    def __init__(self, X, y): self.X, self.y = X, y
    def __len__(self): return len(self.X)
    def __getitem__(self, i): return self.X[i].astype("float32") / 255, self.y[i]
class OnDevice:
    def __init__(self, batches): self.batches = batches
    def __iter__(self): return (jax.tree.map(jnp.asarray, batch) for batch in self.batches)
samples = grain.MapDataset.source(Samples(*arrays())).batch({batch})
compare(test_batches, OnDevice(samples.to_iter_dataset()), 10000)
""",
}


def measure() -> list[Row]:
    rows = []
    for framework, program in PROGRAMS.items():
        ours, theirs = _rates(COMMON + program.format(batch=BATCH))
        rows.append(
            Row(f"Fashion-MNIST, images/s, {framework}", f"{ours:,.0f}", f"{theirs:,.0f}", ours / theirs, "≥ 5, aim 20")
        )
    return rows


def _rates(program: str) -> tuple[float, float]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment.pop("D2L_SHORT", None)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    ours, theirs = done.stdout.rsplit("rates", 1)[1].split()
    return float(ours), float(theirs)
