"""`synchronize` in the four libraries: it waits for what the framework owes, whatever it is given."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAMS = {
    "torch": """
import torch
waited = []
torch.accelerator.synchronize = waited.append
d2l.synchronize(torch.ones(1), None, 1.0)
assert waited == [], "a CPU owes nothing"
d2l.num_gpus, d2l.gpu = lambda: 2, lambda i=0: f'GPU{i}'
d2l.synchronize()
assert waited == ['GPU0', 'GPU1']
""",
    "mxnet": """
from mxnet import npx
npx.set_np()
waited = []
wait, npx.waitall = npx.waitall, lambda: waited.append(True) or wait()
x = d2l.ones((4, 4))
d2l.synchronize([x @ x], None, 1.0)
d2l.synchronize()
assert waited == [True, True]
""",
    "jax": """
import jax
x = jax.numpy.ones((1500, 1500))
y = x @ x @ x
d2l.synchronize({'y': [y]}, None, 1.0)
assert y.is_ready()
z = x @ x @ x
d2l.synchronize()
assert z.is_ready()
""",
    "tensorflow": """
import tensorflow as tf
waited = []
wait, tf.test.experimental.sync_devices = tf.test.experimental.sync_devices, lambda: waited.append(True) or wait()
d2l.synchronize(tf.ones(1), None, 1.0)
d2l.synchronize()
assert waited == [True, True]
""",
}


@pytest.mark.parametrize("framework", PROGRAMS)
def test_synchronize(framework: str) -> None:
    program = f"from d2l import {framework} as d2l\n{PROGRAMS[framework]}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
