"""What `from d2l import FRAMEWORK` adds to importing the framework with its layer library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.table import Row

ROOT = Path(__file__).resolve().parent.parent
# MXNet cannot be imported on a current NumPy without the compatibility module, so the peer gets it, too.
BASELINES = {
    "torch": "import torch; from torch import nn",
    "mxnet": "import d2l.mxnet_compat; import mxnet; from mxnet import gluon",
    "tensorflow": "import tensorflow; import keras",
    "jax": "import jax; import jax.numpy; import flax; from flax import nnx",
}
ROUNDS = 9


def measure() -> list[Row]:
    rows = []
    for framework, baseline in BASELINES.items():
        bare, ours = _interleaved(baseline, f"from d2l import {framework}")
        rows.append(
            Row(f"from d2l import {framework}", f"{ours:.2f} s", f"{bare:.2f} s", bare / ours, "≥ 0.91 (+10 %)")
        )
    return rows


def _interleaved(first: str, second: str) -> tuple[float, float]:
    """Least seconds of two programs, run in turns so that both meet the same machine.

    What else the machine does only adds to a time: of many, the least is the program's own (see Python's `timeit`).
    """
    for program in (first, second):  # files come from the cache in both
        _seconds(program)
    pairs = [(_seconds(first), _seconds(second)) for _ in range(ROUNDS)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def _seconds(program: str) -> float:
    timed = f"import time; start = time.perf_counter(); {program}; print('seconds', time.perf_counter() - start)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", timed], env=environment, cwd=ROOT, check=True, capture_output=True, text=True
    )
    return float(done.stdout.rsplit("seconds", 1)[1])
