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
