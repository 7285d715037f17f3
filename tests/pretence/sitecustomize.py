"""Makes every Python that finds this folder on its path pretend that its machine has exactly one GPU.

Set `D2L_PRETEND=one-gpu` and put this folder on PYTHONPATH: kernels and the scripts that pages start then patch each
library of the book when it is imported. The GPU is an ordinary device of the CPU that `devices(k)` never returns. So
what runs on it computes as elsewhere, and only what pages decide differs.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any


def pretend_torch(d2l: ModuleType) -> Any:
    """`cpu:0`, which is unequal to `cpu`; what waits for accelerators has none to wait for."""
    import torch

    torch.accelerator.synchronize = lambda device=None: None
    if notebook() is not None:  # scripts leave PyTorch's own code to ask, as that of FSDP does
        # Optimizers ask for one that is available, and then for its stream.
        torch.accelerator.current_accelerator = lambda check_available=False: (
            None if check_available else torch.device("cuda")
        )
    return lambda: torch.device("cpu", 0)


def pretend_mxnet(d2l: ModuleType) -> Any:
    """The third CPU: MXNet's profiler knows as many CPUs as there are cores, and one more."""
    from mxnet import npx

    return lambda: npx.cpu(2)


def pretend_jax(d2l: ModuleType) -> Any:
    """One CPU device more than is asked for, the last; new arrays are made on it, as on a GPU."""
    import jax

    update = jax.config.update

    def update_with_one_more(name: str, value: Any) -> None:
        update(name, value + 1 if name == "jax_num_cpu_devices" else value)

    jax.config.update = update_with_one_more
    jax.config.update("jax_num_cpu_devices", 1)

    def last() -> Any:
        device = jax.local_devices(backend="cpu")[-1]
        update("jax_default_device", device)
        return device

    return last


def pretend_tensorflow(d2l: ModuleType) -> Any:
    """One logical CPU more than is asked for, the last."""
    import tensorflow as tf

    configure = tf.config.set_logical_device_configuration

    def configure_with_one_more(device: Any, devices: Sequence[Any]) -> None:
        configure(device, [*devices, tf.config.LogicalDeviceConfiguration()])

    tf.config.set_logical_device_configuration = configure_with_one_more
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
    return lambda: d2l.Device(f"/CPU:{len(tf.config.get_logical_device_configuration(cpu)) - 1}")


PRETEND = {
    "d2l.torch": pretend_torch,
    "d2l.mxnet": pretend_mxnet,
    "d2l.jax": pretend_jax,
    "d2l.tensorflow": pretend_tensorflow,
}


def patch(d2l: ModuleType) -> None:
    """Change a library that has just been imported, and what a page defines again."""
    if os.environ.get("D2L_PRETEND") == "one-gpu" and not hidden(d2l):
        pretend_one_gpu(d2l)


def hidden(d2l: ModuleType) -> bool:
    """Whether a page has hidden the machine's GPUs from this process, a script that computes on the CPU."""
    if d2l.__name__ == "d2l.jax":
        return os.environ.get("JAX_PLATFORMS") == "cpu"
    return os.environ.get("CUDA_VISIBLE_DEVICES") == ""


def pretend_one_gpu(d2l: ModuleType) -> None:
    name_of_gpu = PRETEND[d2l.__name__](d2l)
    gpu_itself = d2l.gpu

    def num_gpus() -> int:
        return 1

    def gpu(i: int = 0) -> Any:
        return name_of_gpu() if i == 0 else gpu_itself(i)

    num_gpus.pretended = gpu.pretended = True  # type: ignore[attr-defined]
    d2l.num_gpus, d2l.gpu = num_gpus, gpu
    after_each_cell(lambda names: names.update({f.__name__: f for f in (num_gpus, gpu) if f.__name__ in names}))


def notebook() -> Any:
    """The shell of the notebook that this is, or None in a script."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def after_each_cell(change: Callable[[dict[str, Any]], None]) -> None:
    """In a notebook, let `change` see its names: the page on devices defines `num_gpus` and `gpu` itself."""
    if (shell := notebook()) is not None:
        shell.events.register("post_run_cell", lambda result: change(shell.user_ns))


class Finder(importlib.abc.MetaPathFinder):
    """Finds the four libraries as usual, and lets them be patched as soon as they are loaded."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name not in PRETEND:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_patch(module: ModuleType) -> None:
                execute(module)
                patch(module)

            spec.loader.exec_module = execute_and_patch  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, Finder())
