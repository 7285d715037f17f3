"""Which device a kernel's framework computes on."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

# Run in the page's kernel after its last cell; each prints the kind and the name of the first accelerator, if any.
PROBES = {
    "pytorch": (
        "import torch as _t\n"
        "if _t.cuda.is_available(): print('cuda', _t.cuda.get_device_name(0), 'x', _t.cuda.device_count())\n"
    ),
    "mxnet": "from mxnet import npx as _n\nif _n.num_gpus(): print('cuda', 'NVIDIA GPU', 'x', _n.num_gpus())\n",
    "jax": (
        "import jax as _j\n"
        "if _j.default_backend() != 'cpu': print('cuda' if _j.default_backend() == 'gpu' else _j.default_backend(),"
        " _j.devices()[0].device_kind, 'x', _j.device_count())\n"
    ),
    "tensorflow": (
        "import tensorflow as _t\n_g = _t.config.list_physical_devices('GPU')\n"
        "if _g: print('cuda', _t.config.experimental.get_device_details(_g[0]).get('device_name', 'GPU'), 'x', len(_g))\n"
    ),
}


@dataclass(frozen=True, slots=True)
class Device:
    kind: str  # "cpu", "cuda", "tpu": names the slot in `outputs/`
    description: str


def from_probe(printed: str) -> Device:
    """The device that a probe's output tells of; the CPU when it printed nothing."""
    line = printed.strip().splitlines()[-1] if printed.strip() else ""
    if not line:
        return Device("cpu", f"CPU, {os.cpu_count()} cores")
    kind, _, rest = line.partition(" ")
    name, _, count = rest.rpartition(" x ")
    return Device(kind, name if count == "1" else f"{count} × {name}")


def gpu_count() -> int:
    """NVIDIA GPUs of this machine, 0 without its driver."""
    program = shutil.which("nvidia-smi")
    if not program:
        return 0
    done = subprocess.run([program, "-L"], capture_output=True, text=True, check=False)
    return len(done.stdout.splitlines()) if done.returncode == 0 else 0
