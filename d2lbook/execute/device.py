"""Which device a kernel's framework computes on."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

# What an accelerator of a framework is called, as Python that prints its kind, its name and how many there are.
_PROBES = {
    "pytorch": (
        "torch",
        "if m.cuda.is_available(): print('cuda', m.cuda.get_device_name(0), 'x', m.cuda.device_count())\n"
        "elif m.backends.mps.is_available(): print('mps', 'Apple GPU', 'x', 1)\n",
    ),
    "mxnet": ("mxnet", "n = m.context.num_gpus()\nif n: print('cuda', 'NVIDIA GPU', 'x', n)\n"),
    "jax": (
        "jax",
        "kind = m.default_backend()\n"
        "if kind != 'cpu': print({'gpu': 'cuda'}.get(kind, kind), m.devices()[0].device_kind, 'x', m.device_count())\n",
    ),
    "tensorflow": (
        "tensorflow",
        "gpus = m.config.list_physical_devices('GPU')\n"
        "if gpus: print('cuda', m.config.experimental.get_device_details(gpus[0]).get('device_name', 'GPU'),"
        " 'x', len(gpus))\n",
    ),
}


def probe_code(tab: str) -> str:
    """Code for a page's kernel, after its last cell; a page that has not loaded its framework ran on the CPU."""
    module, body = _PROBES.get(tab, ("", ""))
    if not module:
        return "pass"
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    return f"import sys\nif (m := sys.modules.get('{module}')) is not None:\n{indented}"


@dataclass(frozen=True, slots=True)
class Device:
    kind: str  # "cpu", "cuda", "tpu": names the slot in `outputs/`
    description: str


def from_probe(printed: str, cores: int = 0) -> Device:
    """The device that a probe's output tells of; the CPU when it printed nothing, `cores` of it."""
    line = printed.strip().splitlines()[-1] if printed.strip() else ""
    if not line:
        return Device("cpu", cpu_description(cores))
    kind, _, rest = line.partition(" ")
    name, _, count = rest.rpartition(" x ")
    return Device(kind, name if count == "1" else f"{count} × {name}")


def cpu_description(cores: int = 0) -> str:
    """ "CPU, 2 cores", or "CPU, 1 of 2 cores" when a page was given fewer than there are."""
    there = os.cpu_count() or 1
    count = f"{cores} of {there}" if 0 < cores < there else str(there)
    return f"CPU, {count} core{'s' if there > 1 else ''}"


def available_cores() -> tuple[int, ...]:
    """The processor's cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


def gpu_count() -> int:
    """NVIDIA GPUs of this machine, 0 without its driver."""
    program = shutil.which("nvidia-smi")
    if not program:
        return 0
    done = subprocess.run([program, "-L"], capture_output=True, text=True, check=False)
    return len(done.stdout.splitlines()) if done.returncode == 0 else 0
