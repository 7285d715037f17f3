"""What this machine is: its GPUs, their driver, its frameworks' versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_QUESTION = ("index", "name", "memory.total", "driver_version")
_CUDA_RUNTIMES = ("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu13", "nvidia-cuda-runtime-cu12")


@dataclass(frozen=True)
class Gpu:
    index: str
    name: str
    memory: str
    driver: str


def gpus() -> list[Gpu]:
    """The NVIDIA GPUs that this process may use; none without their driver."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    question = [program, f"--query-gpu={','.join(_QUESTION)}", "--format=csv,noheader"]
    done = subprocess.run(question, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    found = [Gpu(*map(str.strip, line.split(",", 3))) for line in lines if line.count(",") >= 3]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        return found
    allowed = [name.strip() for name in visible.split(",")]
    return [gpu for gpu in found if gpu.index in allowed]


def cores() -> int:
    """Cores of the processor that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def described(found: Sequence[Gpu]) -> dict[str, Any]:
    """The machine, as it is recorded with its results."""
    return {
        "gpus": [asdict(gpu) for gpu in found],
        "cores": cores(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def versions(packages: Iterable[Sequence[str]], modules: Iterable[str]) -> dict[str, str]:
    """Versions of packages, each given by the names that it goes by, and of what installed the modules.

    Without local parts, such as "+cu130"; what is not there is left out.
    """
    found = {"python": platform.python_version()}
    for names in packages:
        if version := next(filter(None, map(_version, names)), ""):
            found[names[0]] = version
    wanted = {alias for names in packages for alias in names}
    providers = importlib.metadata.packages_distributions()
    installers = {name for module in modules for name in providers.get(module, ())}
    for name in sorted({re.sub(r"[-_.]+", "-", name).lower() for name in installers} - wanted):
        found[name] = _version(name)
    return found


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution).split("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return ""


def cuda_of() -> str:
    """The version of CUDA that this process's framework was built with; "" where it uses none."""
    torch = sys.modules.get("torch")
    if torch is not None:
        return str(getattr(getattr(torch, "version", None), "cuda", None) or "")
    if "jax" in sys.modules:
        return next(filter(None, map(_version, _CUDA_RUNTIMES)), "")
    return ""
