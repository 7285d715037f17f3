"""Which device a kernel's framework computes on."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

from d2lbook.frameworks import BY_TAB


def probe_code(tab: str) -> str:
    """Code for a page's kernel, after its last cell; a page that has not loaded its framework ran on the CPU."""
    framework = BY_TAB.get(tab)
    if framework is None or not framework.probe:
        return "pass"
    indented = "".join(f"    {line}\n" for line in framework.probe.splitlines())
    return f"import sys\nif (m := sys.modules.get('{framework.modules[0]}')) is not None:\n{indented}"


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


def visible_gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named is None:
        return [str(number) for number in range(gpu_count())]
    return [name.strip() for name in named.split(",") if name.strip() not in {"", "-1"}]
