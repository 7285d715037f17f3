"""`devices(k)`, in a new process for each framework since two of them settle the number early; `run_ranks`."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
FRAMEWORKS = ["torch", "mxnet", "jax", "tensorflow"]
ASK = """
from d2l import {framework} as d2l
def show(k):
    try:
        print(*(str(getattr(device, 'id', device)) for device in d2l.devices(k)))
    except (RuntimeError, ValueError) as error:
        print(f'{{type(error).__name__}}: {{error}}')
d2l.num_gpus = lambda: 0
show(2)
{operation}
for k in 2, 1, 3, 0:
    show(k)
d2l.num_gpus, d2l.gpu = lambda: 2, lambda i=0: f'GPU{{i}}'
show(2)
"""
OPERATION = {
    "torch": "import torch; torch.ones(1)",
    "mxnet": "from mxnet import np, npx; npx.set_np(); np.ones(1)",
    "jax": "import jax; jax.numpy.ones(1)",
    "tensorflow": """
import tensorflow as tf
try:
    with tf.device('/CPU:5'):
        tf.ones(1)
    print('soft placement')
except tf.errors.InvalidArgumentError:
    pass
""",
}
NAMES = {
    "torch": ["cpu", "cpu", "cpu"],
    "mxnet": ["cpu(0)", "cpu(1)", "cpu(2)"],
    "jax": ["0", "1"],
    "tensorflow": ["/CPU:0", "/CPU:1"],
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_devices(framework: str) -> None:
    """Two before the start; then the same two, one of them, three, none; and GPUs when there are enough."""
    code = ASK.format(framework=framework, operation=OPERATION[framework])
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    two, again, one, three, none, gpus = done.stdout.splitlines()
    names = NAMES[framework]
    assert (two, again, one) == (" ".join(names[:2]), " ".join(names[:2]), names[0])
    if len(names) == 3:
        assert three == " ".join(names)
    else:
        assert three.startswith("RuntimeError: ")
        assert "has started with 2 CPU device(s)" in three
        assert "devices(3) before any other operation" in three
    assert none == "ValueError: 0 devices: there must be at least one"
    assert gpus == "GPU0 GPU1"


PAIRS = """
from d2l import {framework} as d2l
for gpus in 0, 1, 2:
    d2l.num_gpus, d2l.gpu = lambda: gpus, lambda i=0: f'GPU{{i}}'
    *pair, kind = d2l.link_pair()
    print(*(str(getattr(device, 'id', device)) for device in pair), kind)
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_link_pair(framework: str) -> None:
    """Without a GPU, with one, with two; asked before anything else, as by a page's first cell."""
    code = PAIRS.format(framework=framework)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    none, one, two = done.stdout.splitlines()
    names = NAMES[framework]
    assert none == f"{names[0]} {names[1]} simulated"
    assert one == f"GPU0 {names[0]} gpu+cpu"
    assert two == "GPU0 GPU1 gpus"


# What each framework answers about itself after `use_float32`, whatever had been asked for before.
FLOAT32 = {
    "torch": """
import torch
backends, cudnn = torch.backends, torch.backends.cudnn
def older():
    backends.cuda.matmul.allow_tf32 = cudnn.allow_tf32 = True
    torch.set_float32_matmul_precision('medium')
def newer():
    backends.cuda.matmul.fp32_precision = cudnn.conv.fp32_precision = cudnn.rnn.fp32_precision = 'tf32'
def everything():
    backends.fp32_precision = 'tf32'
BEFORE
d2l.use_float32()
assert [o.fp32_precision for o in (backends.cuda.matmul, cudnn.conv, cudnn.rnn)] == ['ieee'] * 3
assert not backends.cuda.matmul.allow_tf32 and not cudnn.allow_tf32  # they raise if the two ways disagree
assert torch.get_float32_matmul_precision() == 'highest'
with cudnn.flags(enabled=False):  # reads them, too
    pass
""",
    "mxnet": """
d2l.use_float32()
import os
assert os.environ['NVIDIA_TF32_OVERRIDE'] == '0'
""",
    "jax": """
d2l.use_float32()
import jax
def product(x):
    return x @ x
def convolution(x):
    return jax.lax.conv(x[None, None], x[None, None, :1, :1], (1, 1), 'SAME')
for function in product, convolution:
    text = str(jax.make_jaxpr(function)(jax.numpy.ones((4, 4))))
    assert 'HIGHEST' in text, text
""",
    "tensorflow": """
import tensorflow as tf
assert tf.config.experimental.tensor_float_32_execution_enabled()
d2l.use_float32()
assert not tf.config.experimental.tensor_float_32_execution_enabled()
""",
}


@pytest.mark.parametrize(
    ("framework", "before"),
    [
        *(("torch", call) for call in ("", "older()", "newer()", "everything()")),
        *((framework, "") for framework in FRAMEWORKS[1:]),
    ],
)
def test_float32_is_float32(framework: str, before: str) -> None:
    code = f"from d2l import {framework} as d2l\n" + FLOAT32[framework].replace("BEFORE", before)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_ranks_sum_and_answer_in_their_order() -> None:
    import torch

    from d2l import torch as d2l

    def sum_of_ranks(rank: int, group: Any) -> tuple[int, float]:
        x = torch.tensor([float(rank)])
        group.allreduce([x]).wait()
        return rank, x.item()

    assert d2l.run_ranks(sum_of_ranks, 3) == [(0, 3.0), (1, 3.0), (2, 3.0)]


def test_a_rank_that_fails_is_heard_at_once() -> None:
    import torch

    from d2l import torch as d2l

    def fail_at_one(rank: int, group: Any) -> None:
        if rank == 1:
            raise KeyError("rank 1")
        group.allreduce([torch.zeros(1)]).wait()  # nobody answers

    start = time.monotonic()
    with pytest.raises(KeyError, match="rank 1"):
        d2l.run_ranks(fail_at_one, 2)
    assert time.monotonic() - start < 15  # the others' time limit is 30 seconds
